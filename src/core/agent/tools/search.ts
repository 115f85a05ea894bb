import { RE2JS, RE2JSException } from 're2js';
import { REDACTED, redact } from '../../../lib/credentials.ts';
import { pluralize } from '../../../lib/format.ts';
import { MAX_FILE_BYTES } from '../../edits/change.ts';
import { decodeText, escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { splitLines, withoutLineEnding } from '../../edits/text/lines.ts';
import { MAX_FEW_FILES_HITS, MAX_FILE_HITS } from '../../state/tools.ts';
import { GLOB_HINT } from '../shared/file-list.ts';
import { largestShare } from '../shared/response-size.ts';
import { formatPath, quoteTruncated, REDACTED_NOTE } from '../shared/tool-results.ts';

/** The text or pattern to look for in a line, and the number of lines to show before and after each one. */
export type SearchQuery = {
  readonly query: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly context: number;
};

/** Why a query cannot be searched for, for the model; null if it can. */
export function findQueryProblem(query: SearchQuery): string | null {
  try {
    const size = compile(query).programSize();
    return size <= MAX_PROGRAM_SIZE || !query.regex
      ? null
      : `Nothing was searched: the regular expression ${quoteTruncated(query.query)} is too large (${size} steps of ${MAX_PROGRAM_SIZE}). Use smaller repetition counts.`;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `Nothing was searched: ${quoteTruncated(query.query)} is not a regular expression in RE2 syntax (${withoutExpression(error.message)}). Repetition counts go up to 1000; there are no look-around and no back-references.`;
  }
}

/** The time of a match is at most the product of this and the length of the line. */
const MAX_PROGRAM_SIZE = 1000;

function compile({ query, regex, ignoreCase }: SearchQuery): RE2JS {
  return RE2JS.compile(regex ? query : RE2JS.quote(query), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
}

function withoutExpression(message: string): string {
  const [line = ''] = message.split('\n');
  return line
    .replace(/^error parsing regexp: /, '')
    .replace(/: `.*$/, '')
    .slice(0, 100);
}

function createMatcher(query: SearchQuery): (line: string) => number {
  if (!query.regex && !query.ignoreCase) return (line) => line.indexOf(query.query);
  const pattern = compile(query);
  return (line) => {
    if (!pattern.test(line)) return -1;
    const matcher = pattern.matcher(line);
    return matcher.find() ? matcher.start() : 0;
  };
}

type SearchedFile = { readonly path: string; readonly bytes: Uint8Array };

/** A file with the number of its matching lines, and the first of them. */
export type FoundFile = { readonly path: string; readonly lineCount: number; readonly hits: readonly Hit[] };

/** The rows of a matching line and of those around it. */
type Hit = readonly ResultRow[];

/** An excerpt of a line; `line` is 1-based. */
type ResultRow = { readonly line: number; readonly text: string; readonly isHit: boolean };

/**
 * Prepares the search of one file after the other for the lines that match outside of secrets: null for none, or why a
 * file was not searched.
 */
export function createFileSearch(query: SearchQuery): (file: SearchedFile) => FoundFile | SkipReason | null {
  const matchAt = createMatcher(query);
  let files = 0;
  return ({ path, bytes }) => {
    if (bytes.length > MAX_FILE_BYTES) return 'too-large';
    const decoded = decodeText(bytes);
    if (decoded.kind !== 'text') return decoded.kind;
    // Most files have no match, and need not be searched for secrets.
    if (!splitLines(decoded.text).some((line) => matchAt(withoutLineEnding(line)) !== -1)) return null;
    const lines = splitLines(redact(decoded.text)).map(withoutLineEnding);
    const maxHits = files < MAX_SEARCH_HITS ? MAX_FEW_FILES_HITS : 0;
    const hits: Hit[] = [];
    let lineCount = 0;
    for (const [index, line] of lines.entries()) {
      const at = matchAt(line);
      if (at === -1) continue;
      lineCount += 1;
      if (hits.length < maxHits) hits.push(rowsAround(lines, index, at, query.context));
    }
    if (lineCount === 0) return null;
    files += 1;
    return { path, lineCount, hits };
  };
}

const MAX_SEARCH_HITS = 100;

function rowsAround(lines: readonly string[], index: number, at: number, context: number): Hit {
  const first = Math.max(0, index - context);
  return lines.slice(first, index + context + 1).map((line, offset) => {
    const isHit = first + offset === index;
    return { line: first + offset + 1, text: excerpt(line, isHit ? at : 0), isHit };
  });
}

const MAX_EXCERPT_CHARACTERS = 240;

/** A part of the line around a match. */
function excerpt(line: string, at: number): string {
  if (line.length <= MAX_EXCERPT_CHARACTERS) return escapeHiddenCharacters(line);
  const from = Math.max(0, Math.min(at - MAX_EXCERPT_CHARACTERS / 3, line.length - MAX_EXCERPT_CHARACTERS));
  const shown = line.slice(from, from + MAX_EXCERPT_CHARACTERS);
  return `${from > 0 ? '…' : ''}${escapeHiddenCharacters(shown)}${from + MAX_EXCERPT_CHARACTERS < line.length ? '…' : ''}`;
}

/** Why a readable file that matches the glob was not searched. */
export type SkipReason = 'needs-approval' | 'too-large' | 'too-many' | 'not-utf8' | 'binary';

/** What a search found in all files; `isComplete` is false if time ran out. */
export type SearchResults = {
  readonly found: readonly FoundFile[];
  readonly skipped: readonly { readonly path: string; readonly reason: SkipReason }[];
  readonly isComplete: boolean;
};

/** The output of `search`: a header, then `path:line:text`, then the files with more lines, then the skipped files. */
export function formatSearchResults(query: SearchQuery, glob: string | null, results: SearchResults): string {
  const { found, skipped, isComplete } = results;
  const where = glob === null ? '' : ` in files matching ${quoteTruncated(glob)}`;
  const end = isComplete ? [] : ['The search took too long and ended early. Narrow the glob, or simplify the query.'];
  const hits = found.length === 0 ? [describeNone(query, where)] : formatFound(query, where, found);
  return [...hits, ...formatSkipped(skipped), ...end].join('\n');
}

function describeNone({ query, regex, ignoreCase }: SearchQuery, where: string): string {
  const kind = regex ? 'The query is a regular expression for one line' : 'The query is literal text';
  const letters = ignoreCase ? 'upper and lower case count as the same' : 'upper and lower case differ';
  return `No line ${regex ? 'matches' : 'contains'} ${quoteTruncated(query)}${where}. ${kind}, ${letters}.`;
}

/** The output of `search` where the glob leaves nothing to search, which says nothing about the text. */
export function formatNothingSearched({ query, regex }: SearchQuery, glob: string): string {
  return `No line ${regex ? 'matches' : 'contains'} ${quoteTruncated(query)}, because no file matches the glob ${quoteTruncated(glob)}: nothing was searched. ${GLOB_HINT}`;
}

function formatFound(query: SearchQuery, where: string, found: readonly FoundFile[]): readonly string[] {
  const lineCounts = found.map(({ lineCount }) => lineCount);
  // What one of few files leaves is for the others.
  const files = takeHits(found, Math.max(MAX_FILE_HITS, largestShare(lineCounts, MAX_FEW_FILES_HITS)));
  const total = lineCounts.reduce((sum, count) => sum + count, 0);
  const shown = files.reduce((sum, { hits }) => sum + hits.length, 0);
  const verb = query.regex ? ['matches', 'match'] : ['contains', 'contain'];
  const lines = total === 1 ? `1 line ${verb[0]}` : `${total} lines ${verb[1]}`;
  const more = shown < total ? `, showing ${shown}` : '';
  const rows = formatRows(files, query.context > 0);
  const notes = rows.some((row) => row.includes(REDACTED)) ? [`${REDACTED_NOTE}.`] : [];
  return [
    `${lines} ${quoteTruncated(query.query)}${where} (${pluralize(found.length, 'file')}${more}):`,
    ...rows,
    ...formatPartial(files),
    ...notes,
  ];
}

/** The files with so many of their hits as are shown. */
function takeHits(found: readonly FoundFile[], perFile: number): readonly FoundFile[] {
  let room = MAX_SEARCH_HITS;
  return found.map((file) => {
    const hits = file.hits.slice(0, Math.min(perFile, room));
    room -= hits.length;
    return { ...file, hits };
  });
}

/** Each line once. With context, `--` stands between lines that are not neighbors. */
function formatRows(files: readonly FoundFile[], hasContext: boolean): readonly string[] {
  const blocks = files
    .filter(({ hits }) => hits.length > 0)
    .map(({ path, hits }) => {
      const rows = new Map<number, ResultRow>();
      for (const row of hits.flat()) if (row.isHit || !rows.has(row.line)) rows.set(row.line, row);
      const sorted = [...rows.values()].toSorted((one, other) => one.line - other.line);
      return sorted.flatMap(({ line, text, isHit }, index) => {
        const sign = isHit ? ':' : '-';
        const gap = hasContext && index > 0 && sorted[index - 1]?.line !== line - 1 ? ['--'] : [];
        return [...gap, `${formatPath(path)}${sign}${line}${sign}${text}`];
      });
    });
  return blocks.flatMap((block, index) => (hasContext && index > 0 ? ['--', ...block] : block));
}

const MAX_PARTIAL_NAMED = 50;

/** Says of each file how many lines are not shown, so that the model can ask for that file alone. */
function formatPartial(files: readonly FoundFile[]): readonly string[] {
  const partial = files.filter(({ lineCount, hits }) => hits.length < lineCount);
  if (partial.length === 0) return [];
  const named = partial.slice(0, MAX_PARTIAL_NAMED);
  const more = partial.length > named.length ? [`${partial.length - named.length} more files with further lines`] : [];
  return [
    'Not all lines are shown; narrow the query or the glob to see others:',
    ...named.map(({ path, lineCount, hits }) => `${shortPath(path)}: ${lineCount} lines, ${hits.length} shown`),
    ...more,
  ];
}

const SKIP_REASON_TEXT = {
  'needs-approval': 'people must first approve that they are read; read_file asks them',
  'too-large': `larger than ${MAX_FILE_BYTES / 1_000} kB`,
  'too-many': 'more than one search can fetch; narrow the glob to search them',
  'not-utf8': 'not valid UTF-8',
  binary: 'binary',
} as const satisfies Record<SkipReason, string>;

const MAX_SKIPPED_NAMED = 5;

/** Tells the model which files were skipped, so that it does not conclude that a text exists nowhere. */
function formatSkipped(skipped: SearchResults['skipped']): readonly string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, files]) => {
    const count = files.length === 1 ? '1 file was' : `${files.length} files were`;
    const named = files.slice(0, MAX_SKIPPED_NAMED).map(({ path }) => shortPath(path));
    const more = files.length > named.length ? ` and ${files.length - named.length} more` : '';
    // Names of images and archives help nobody; the result of each search would repeat them.
    const names = reason === 'binary' ? '.' : `: ${named.join(', ')}${more}`;
    return `${count} not searched (${SKIP_REASON_TEXT[reason]})${names}`;
  });
}

const MAX_PATH_CHARACTERS = 300;

function shortPath(path: string): string {
  const name = formatPath(path);
  return name.length > MAX_PATH_CHARACTERS ? `${name.slice(0, MAX_PATH_CHARACTERS)}…` : name;
}
