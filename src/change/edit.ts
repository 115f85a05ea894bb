import { dominantEnding, keepEndings } from './endings.ts';
import { countLines, lineEnd, lineStart } from './lines.ts';
import { findMatches, type Match, matchLines, withoutOverlaps } from './match.ts';
import { type NearMatch, nearMatches } from './near-match.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** A replacement as a model asks for it. */
export type EditRequest = { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean };

/** One run of whole lines that an edit rewrites: offsets of the text before, and what stands there afterwards. */
export type Place = { readonly start: number; readonly end: number; readonly text: string };

/** What an edit comes to. `lines` are the 1-based lines on which the matches begin. */
export type EditResult =
  | {
      readonly kind: 'edited';
      readonly text: string;
      readonly matches: number;
      readonly lines: readonly number[];
      readonly firstLine: number;
      /** 1-based line on which the first match ends. */
      readonly lastLine: number;
      /** Matches on the same or neighbouring lines are one place. */
      readonly places: readonly Place[];
    }
  | { readonly kind: 'not-unique'; readonly matches: number; readonly lines: readonly number[] }
  | {
      readonly kind: 'not-found';
      readonly fileLines: number;
      readonly suggestions: readonly NearMatch[];
      /** 1-based line where the new text already stands, if it does. */
      readonly alreadyPresent: number | null;
    }
  /** More than anybody could review; nothing was replaced. */
  | { readonly kind: 'too-many'; readonly matches: number }
  | { readonly kind: 'no-change' }
  | { readonly kind: 'empty-old' };

/** The diff of so many replacements is beyond what one proposal may have; building it would only take time. */
const MOST_MATCHES = 100_000;

type Replacement = Match & { readonly text: string };

/**
 * Replaces text literally: exactly one occurrence, or every one with `replaceAll`. Line endings are not compared;
 * bytes outside the matches stay as they are, and those inside keep the endings that the file has.
 */
export function applyEdit(text: string, request: EditRequest): EditResult {
  if (request.oldString === '') return { kind: 'empty-old' };
  if (request.oldString === request.newString) return { kind: 'no-change' };
  const found = findMatches(text, request.oldString);
  if (found.length === 0) return notFound(text, request);
  if (found.length > 1 && !request.replaceAll) {
    return { kind: 'not-unique', matches: found.length, lines: matchLines(text, found) };
  }
  const matches = withoutOverlaps(found);
  if (matches.length > MOST_MATCHES) return { kind: 'too-many', matches: matches.length };
  const replacements = replacementsFor(text, matches, request.newString);
  const edited = splice(text, 0, text.length, replacements);
  if (edited === text) return { kind: 'no-change' };
  const lines = matchLines(text, matches);
  const [first] = matches;
  const [firstLine = 1] = lines;
  return {
    kind: 'edited',
    text: edited,
    matches: matches.length,
    lines,
    firstLine,
    lastLine: firstLine + (first === undefined ? 0 : countLines(text.slice(first.start, first.end)) - 1),
    places: placesOf(text, replacements),
  };
}

function notFound(text: string, request: EditRequest): EditResult {
  const present = request.newString === '' ? undefined : findMatches(text, request.newString)[0];
  return {
    kind: 'not-found',
    fileLines: countLines(text),
    suggestions: nearMatches(text, request.oldString),
    alreadyPresent: present === undefined ? null : (matchLines(text, [present])[0] ?? null),
  };
}

function replacementsFor(text: string, matches: readonly Match[], newString: string): Replacement[] {
  const marked = text.startsWith(BYTE_ORDER_MARK);
  const fresh = marked && newString.startsWith(BYTE_ORDER_MARK) ? newString.slice(1) : newString;
  if (!text.includes('\r\n') && !fresh.includes('\r\n')) return matches.map((match) => ({ ...match, text: fresh }));
  const dominant = dominantEnding(text);
  return matches.map((match) => ({
    ...match,
    text: keepEndings(text.slice(match.start, match.end), fresh, dominant),
  }));
}

function splice(text: string, start: number, end: number, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let offset = start;
  for (const replacement of replacements) {
    pieces.push(text.slice(offset, replacement.start), replacement.text);
    offset = replacement.end;
  }
  pieces.push(text.slice(offset, end));
  return pieces.join('');
}

/** Whole lines around each replacement, those that meet taken together. */
function placesOf(text: string, replacements: readonly Replacement[]): Place[] {
  const groups: { start: number; end: number; members: Replacement[] }[] = [];
  for (const replacement of replacements) {
    const last = groups.at(-1);
    if (last !== undefined && replacement.start <= last.end) {
      last.members.push(replacement);
      last.end = endOf(text, replacement, last.end);
      continue;
    }
    const start = lineStart(text, replacement.start);
    groups.push({ start, end: endOf(text, replacement, 0), members: [replacement] });
  }
  return groups.map(({ start, end, members }) => ({ start, end, text: splice(text, start, end, members) }));
}

/** Where the lines that a replacement rewrites end, `known` being an end of lines found before. */
function endOf(text: string, replacement: Replacement, known: number): number {
  if (replacement.end < known) return known;
  return closesLine(text, replacement) ? replacement.end : lineEnd(text, replacement.end);
}

/** Whether the line behind a replacement stays a line of its own. */
function closesLine(text: string, { start, end, text: fresh }: Replacement): boolean {
  if (text[end - 1] !== '\n') return false;
  return fresh === '' ? start === lineStart(text, start) : fresh.endsWith('\n');
}
