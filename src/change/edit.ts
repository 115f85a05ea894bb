import { MOST_COUNTED, MOST_FILE_BYTES, MOST_LINES_NAMED } from './limits.ts';
import type { LineTable } from './line-table.ts';
import { countLines, lineEnd, lineStart } from './lines.ts';
import { type Counted, countMatches, type Findable, findable, findMatches, matchesApart, matchLine } from './match.ts';
import { type NearMatch, nearMatches } from './near-match.ts';
import { leastLength, type Replacement, replacementsFor, replacementText } from './replacements.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** A replacement as a model asks for it. */
export type EditRequest = { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean };

/** One run of whole lines that an edit rewrites: offsets of the text before, and what stands there afterwards. */
export type Place = { readonly start: number; readonly end: number; readonly text: string };

/** What an edit comes to. */
export type EditResult =
  | {
      readonly kind: 'edited';
      /** All places as one, with what stands between them: outside of it the text stays as it is. */
      readonly whole: Place;
      readonly matches: number;
      /** 1-based line on which the first match begins. */
      readonly firstLine: number;
      /** 1-based line on which the first match ends. */
      readonly lastLine: number;
      /** Matches on the same or neighbouring lines are one place. */
      readonly places: readonly Place[];
      /** Whether what was replaced is known to stand nowhere else, not even overlapping itself. */
      readonly alone: boolean;
    }
  /** `matches` is counted no further than to one more than MOST_COUNTED; `lines` are the 1-based ones on which the first of them begin. */
  | { readonly kind: 'not-unique'; readonly matches: number; readonly lines: readonly number[] }
  | {
      readonly kind: 'not-found';
      readonly fileLines: number;
      readonly suggestions: readonly NearMatch[];
      /** 1-based line where the new text already stands, if it does. */
      readonly alreadyPresent: number | null;
    }
  /** More than anybody could review; nothing was replaced. */
  | { readonly kind: 'too-many'; readonly most: number }
  /** The text would have so many letters or more; nothing was replaced. */
  | { readonly kind: 'too-large'; readonly letters: number }
  /** The lines from the first to the last difference would be so many or more, before and after together; nothing was replaced. */
  | { readonly kind: 'too-far'; readonly lines: number }
  | { readonly kind: 'no-change' }
  | { readonly kind: 'empty-old' };

/** The diff of so many replacements is beyond what one proposal may have; building it would only take time. */
const MOST_MATCHES = 50_000;

/**
 * Replaces text literally: exactly one occurrence, or every one with `replaceAll`. Line endings are not compared;
 * bytes outside the matches stay as they are, and those inside keep the endings that the file has.
 */
export function applyEdit(base: LineTable, request: EditRequest): EditResult {
  const { text } = base;
  if (request.oldString === '') return { kind: 'empty-old' };
  if (request.oldString === request.newString) return { kind: 'no-change' };
  const within = findable(text);
  const { matches, count } = matchesFor(within, request);
  if (count === 0) return notFound(base, within, request);
  if (request.replaceAll && count > MOST_MATCHES) return { kind: 'too-many', most: MOST_MATCHES };
  if (!request.replaceAll && count > 1) {
    return { kind: 'not-unique', matches: count, lines: matches.map((match) => matchLine(base, match)) };
  }
  const fresh = replacementText(text, request.newString);
  const letters = leastLength(text, matches, fresh);
  if (letters > MOST_FILE_BYTES) return { kind: 'too-large', letters };
  const made = replacementsFor(base, matches, fresh);
  return made.kind === 'too-far' ? made : replaced(base, made.replacements, request);
}

/** What is to be replaced, or, of one replacement, the first of the matches that would have to be one. */
function matchesFor(text: Findable, { oldString, replaceAll }: EditRequest): Counted {
  if (!replaceAll) return countMatches(text, oldString, MOST_LINES_NAMED, MOST_COUNTED);
  const matches = matchesApart(text, oldString, MOST_MATCHES + 1);
  return { matches, count: matches.length };
}

function replaced(base: LineTable, replacements: readonly Replacement[], request: EditRequest): EditResult {
  const { text } = base;
  if (replacements.every(({ start, end, text: fresh }) => text.slice(start, end) === fresh))
    return { kind: 'no-change' };
  const [first] = replacements;
  const firstLine = first === undefined ? 1 : matchLine(base, first);
  const places = placesOf(text, replacements);
  return {
    kind: 'edited',
    whole: spliced(text, places[0]?.start ?? 0, places.at(-1)?.end ?? 0, places),
    matches: replacements.length,
    firstLine,
    lastLine: firstLine + (first === undefined ? 0 : countLines(text.slice(first.start, first.end)) - 1),
    places,
    // A byte order mark is looked for at the beginning only, so that the same letters may stand further below.
    alone: !request.replaceAll && !request.oldString.startsWith(BYTE_ORDER_MARK),
  };
}

function notFound(base: LineTable, within: Findable, request: EditRequest): EditResult {
  const present = request.newString === '' ? undefined : findMatches(within, request.newString, 1)[0];
  return {
    kind: 'not-found',
    fileLines: base.count,
    suggestions: nearMatches(base.text, request.oldString),
    alreadyPresent: present === undefined ? null : matchLine(base, present),
  };
}

/** What a stretch of the text becomes by the replacements in it. */
function spliced(text: string, start: number, end: number, replacements: readonly Replacement[]): Place {
  const pieces: string[] = [];
  let offset = start;
  for (const replacement of replacements) {
    pieces.push(text.slice(offset, replacement.start), replacement.text);
    offset = replacement.end;
  }
  pieces.push(text.slice(offset, end));
  return { start, end, text: pieces.join('') };
}

/** Offsets of whole lines in the text before, and what is replaced in them. */
type Group = { readonly start: number; end: number; readonly replacements: Replacement[] };

/** Whole lines around each replacement, those that meet taken together. */
function placesOf(text: string, replacements: readonly Replacement[]): Place[] {
  const groups: Group[] = [];
  let offset = 0;
  // The last letter of the edited text so far: none at its beginning.
  let letter = '';
  for (const replacement of replacements) {
    if (replacement.start > offset) letter = text.charAt(replacement.start - 1);
    if (replacement.text !== '') letter = replacement.text.charAt(replacement.text.length - 1);
    offset = replacement.end;
    const closes = text[offset - 1] === '\n' && (letter === '' || letter === '\n');
    const last = groups.at(-1);
    const start = last !== undefined && replacement.start <= last.end ? last.end : lineStart(text, replacement.start);
    if (last !== undefined && start <= last.end) {
      last.end = endOf(text, replacement, closes, last.end);
      last.replacements.push(replacement);
    } else groups.push({ start, end: endOf(text, replacement, closes, 0), replacements: [replacement] });
  }
  return groups.map((group) => spliced(text, group.start, group.end, group.replacements));
}

/**
 * Where the lines that a replacement rewrites end, `known` being an end of lines found before. `closes` says whether a line
 * ends with it both before and after: then the line behind stays one of its own.
 */
function endOf(text: string, { end }: Replacement, closes: boolean, known: number): number {
  if (end < known) return known;
  return closes ? end : lineEnd(text, end);
}
