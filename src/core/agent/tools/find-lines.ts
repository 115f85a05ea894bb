import { RE2JS, RE2JSException } from 're2js';
import { lineEnd, lineStart, withoutLineEnding } from '../../edits/text/lines.ts';
import { forEachOccurrence, STOP_SEARCH } from '../../edits/text/occurrences.ts';
import { quoteTruncated } from '../shared/tool-results.ts';

/** The text or pattern to look for in a line. Literal text with exact case is found much faster than anything else. */
export type LineQuery = { readonly query: string; readonly regex: boolean; readonly ignoreCase: boolean };

/** A line with a match: where the line starts, and where the match is in it. */
type FoundLine = { readonly start: number; readonly at: () => number };

/** Visits the lines that match, each once, until the visitor returns false. */
export type LineFinder = (text: string, visit: (line: FoundLine) => boolean) => void;

/** Whether a query is literal text with exact case, which `indexOf` finds. */
function isLiteral({ regex, ignoreCase }: LineQuery): boolean {
  return !regex && !ignoreCase;
}

/** Prepares a query that `findQueryProblem` accepts. The time of a search is linear in the text. */
export function createLineFinder(query: LineQuery): LineFinder {
  if (isLiteral(query)) return (text, visit) => findLiteral(text, query.query, visit);
  const pattern = compile(query);
  return (text, visit) => findPattern(text, pattern, visit);
}

/** Why a query cannot be searched for, for the model; null if it can. */
export function findQueryProblem(query: LineQuery): string | null {
  if (isLiteral(query)) return null;
  try {
    const size = compile(query).programSize();
    return size <= MAX_PROGRAM_SIZE
      ? null
      : `Nothing was searched: the regular expression ${quoteTruncated(query.query)} is too large (${size} steps of ${MAX_PROGRAM_SIZE}). Use smaller repetition counts.`;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `Nothing was searched: ${quoteTruncated(query.query)} is not a regular expression in RE2 syntax (${firstLine(error.message)}). Repetition counts go up to 1000; there are no look-around and no back-references.`;
  }
}

/** The time of a match is at most the product of this and the length of the line. */
const MAX_PROGRAM_SIZE = 1000;

function compile({ query, regex, ignoreCase }: LineQuery): RE2JS {
  return RE2JS.compile(regex ? query : RE2JS.quote(query), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
}

/** Without the expression, which the message ends with. */
function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line
    .replace(/^error parsing regexp: /, '')
    .replace(/: `.*$/, '')
    .slice(0, 100);
}

function findLiteral(text: string, query: string, visit: (line: FoundLine) => boolean): void {
  forEachOccurrence(text, query, (offset) => {
    const start = lineStart(text, offset);
    return visit({ start, at: () => offset - start }) ? lineEnd(text, offset) : STOP_SEARCH;
  });
}

function findPattern(text: string, pattern: RE2JS, visit: (line: FoundLine) => boolean): void {
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    const line = withoutLineEnding(text.slice(start, end));
    if (pattern.test(line) && !visit({ start, at: () => firstMatch(pattern, line) })) return;
    start = end;
  }
}

function firstMatch(pattern: RE2JS, line: string): number {
  const matcher = pattern.matcher(line);
  return matcher.find() ? matcher.start() : 0;
}
