import type { SecretRange } from '../../../lib/credentials.ts';
import { redactRanges } from '../../../lib/redaction.ts';
import { BYTE_ORDER_MARK } from '../text/characters.ts';
import { findNearMatches, type NearMatch } from '../text/closest-text.ts';
import {
  type CountedMatches,
  countMatches,
  createSearchableText,
  findMatches,
  findNonOverlappingMatches,
  lineOfMatch,
  type SearchableText,
} from '../text/find-text.ts';
import { MAX_COUNTED_MATCHES, MAX_FILE_BYTES, MAX_LISTED_MATCHES } from '../text/limits.ts';
import { createLineTable, type LineTable } from '../text/line-table.ts';
import { countLines, lineEnd, lineStart } from '../text/lines.ts';
import { buildReplacements, minResultLength, replacementText, type TextReplacement } from './replacements.ts';

/** The replacement that a model requests. */
export type EditRequest = { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean };

/** A run of whole lines that an edit rewrites: offsets in the old text, and the new text. */
export type LineSpan = { readonly start: number; readonly end: number; readonly text: string };

export type EditResult =
  | {
      readonly kind: 'edited';
      /** All spans and the text between them as one. The text outside is unchanged. */
      readonly combinedSpan: LineSpan;
      readonly matches: number;
      /** 1-based line on which the first match begins. */
      readonly firstLine: number;
      /** 1-based line on which the first match ends. */
      readonly lastLine: number;
      /** Matches on the same or adjacent lines share a span. */
      readonly spans: readonly LineSpan[];
      /** Whether the replaced text has no other occurrence, not even an overlapping one. */
      readonly isOnlyMatch: boolean;
    }
  /** `matches` is counted up to `MAX_COUNTED_MATCHES + 1`; `lines` are the 1-based lines of the first matches. */
  | { readonly kind: 'not-unique'; readonly matches: number; readonly lines: readonly number[] }
  | {
      readonly kind: 'not-found';
      readonly fileLines: number;
      readonly suggestions: readonly NearMatch[];
      /** 1-based line that already has the new text, if any. */
      readonly alreadyPresent: number | null;
      /** Whether the file has secrets, in which nothing is found. */
      readonly hasSecrets: boolean;
    }
  /** Too many to review. */
  | { readonly kind: 'too-many-matches'; readonly max: number }
  /** `characters` is a lower bound for the length of the result. */
  | { readonly kind: 'too-large'; readonly characters: number }
  /** `lines` is a lower bound for the lines from the first to the last difference, old and new together. */
  | { readonly kind: 'span-too-long'; readonly lines: number }
  | { readonly kind: 'no-change' }
  | { readonly kind: 'empty-old-string' };

/** An edit that can be made. */
export type EditedResult = Extract<EditResult, { kind: 'edited' }>;

/** With more replacements the diff exceeds its limit anyway, and building it takes time. */
const MAX_REPLACED_MATCHES = 50_000;

/**
 * Replaces text literally: the only occurrence, or all with `replaceAll`. CRLF and LF match each other. Bytes outside
 * the matches stay, and new lines get the line endings of the file. A secret is never matched, so it stays too.
 */
export function applyEdit(base: LineTable, request: EditRequest, secrets: readonly SecretRange[] = []): EditResult {
  const { text } = base;
  if (request.oldString === '') return { kind: 'empty-old-string' };
  if (request.oldString === request.newString) return { kind: 'no-change' };
  const { matches, count } = findEditMatches(createSearchableText(text, secrets), request);
  if (count === 0) return createNotFoundResult(base, request, secrets);
  if (request.replaceAll && count > MAX_REPLACED_MATCHES)
    return { kind: 'too-many-matches', max: MAX_REPLACED_MATCHES };
  if (!request.replaceAll && count > 1) {
    return { kind: 'not-unique', matches: count, lines: matches.map((match) => lineOfMatch(base, match)) };
  }
  const replacement = replacementText(text, request.newString);
  const characters = minResultLength(text, matches, replacement);
  if (characters > MAX_FILE_BYTES) return { kind: 'too-large', characters };
  const built = buildReplacements(base, matches, replacement);
  if (built.kind === 'span-too-long') return built;
  const { replacements } = built;
  // A needle with a byte order mark is searched for at the start only, so the text can occur again below.
  const isOnlyMatch = !request.replaceAll && !request.oldString.startsWith(BYTE_ORDER_MARK) && secrets.length === 0;
  return createEditedResult(base, replacements, isOnlyMatch);
}

/** All matches to replace or, for a single replacement, the first ones to report. */
function findEditMatches(text: SearchableText, { oldString, replaceAll }: EditRequest): CountedMatches {
  if (!replaceAll) return countMatches(text, oldString, MAX_LISTED_MATCHES, MAX_COUNTED_MATCHES);
  const matches = findNonOverlappingMatches(text, oldString, MAX_REPLACED_MATCHES + 1);
  return { matches, count: matches.length };
}

/** Looks for similar places in the text as the model sees it. */
function createNotFoundResult(
  base: LineTable,
  { oldString, newString }: EditRequest,
  secrets: readonly SecretRange[],
): EditResult {
  const hasSecrets = secrets.length > 0;
  const shown = hasSecrets ? createLineTable(redactRanges(base.text, secrets)) : base;
  const present = newString === '' ? undefined : findMatches(createSearchableText(shown.text), newString, 1)[0];
  return {
    kind: 'not-found',
    fileLines: base.lineCount,
    suggestions: findNearMatches(shown.text, oldString),
    alreadyPresent: present === undefined ? null : lineOfMatch(shown, present),
    hasSecrets,
  };
}

function createEditedResult(
  base: LineTable,
  replacements: readonly TextReplacement[],
  isOnlyMatch: boolean,
): EditResult {
  const { text } = base;
  if (replacements.every(({ start, end, text: replacement }) => text.slice(start, end) === replacement))
    return { kind: 'no-change' };
  const [first] = replacements;
  const firstLine = first === undefined ? 1 : lineOfMatch(base, first);
  const spans = groupIntoSpans(text, replacements);
  return {
    kind: 'edited',
    combinedSpan: spliceReplacements(text, spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0, spans),
    matches: replacements.length,
    firstLine,
    lastLine: firstLine + (first === undefined ? 0 : countLines(text.slice(first.start, first.end)) - 1),
    spans,
    isOnlyMatch,
  };
}

/** Offsets of whole lines in the old text, and the replacements in them. */
type LineGroup = { readonly start: number; end: number; readonly replacements: TextReplacement[] };

/** Extends each replacement to whole lines and joins spans that meet. */
function groupIntoSpans(text: string, replacements: readonly TextReplacement[]): LineSpan[] {
  const groups: LineGroup[] = [];
  let offset = 0;
  // The last character of the edited text so far; empty at its start.
  let lastCharacter = '';
  for (const replacement of replacements) {
    if (replacement.start > offset) lastCharacter = text.charAt(replacement.start - 1);
    if (replacement.text !== '') lastCharacter = replacement.text.charAt(replacement.text.length - 1);
    offset = replacement.end;
    const endsLine = text[offset - 1] === '\n' && (lastCharacter === '' || lastCharacter === '\n');
    const last = groups.at(-1);
    const start = last !== undefined && replacement.start <= last.end ? last.end : lineStart(text, replacement.start);
    if (last !== undefined && start <= last.end) {
      last.end = findGroupEnd(text, replacement, endsLine, last.end);
      last.replacements.push(replacement);
    } else groups.push({ start, end: findGroupEnd(text, replacement, endsLine, 0), replacements: [replacement] });
  }
  return groups.map((group) => spliceReplacements(text, group.start, group.end, group.replacements));
}

/**
 * Where the lines of a replacement end; `previousEnd` is the end of the group so far. If the replacement ends a line
 * both before and after, the next line stays out.
 */
function findGroupEnd(text: string, { end }: TextReplacement, endsLine: boolean, previousEnd: number): number {
  if (end < previousEnd) return previousEnd;
  return endsLine ? end : lineEnd(text, end);
}

/** The part of the text from `start` to `end` with its replacements. */
export function spliceReplacements(
  text: string,
  start: number,
  end: number,
  replacements: readonly TextReplacement[],
): LineSpan {
  const pieces: string[] = [];
  let offset = start;
  for (const replacement of replacements) {
    pieces.push(text.slice(offset, replacement.start), replacement.text);
    offset = replacement.end;
  }
  pieces.push(text.slice(offset, end));
  return { start, end, text: pieces.join('') };
}
