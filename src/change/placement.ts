import type { Change, Region } from './change.ts';
import { hiddenCharacters } from './hidden.ts';
import { type Hunk, parseHunks, rightLines } from './hunks.ts';
import { bareLine, countLines, isTerminated, linesOf } from './lines.ts';
import { lookAlikes } from './look-alikes.ts';
import { diffOf } from './payload.ts';
import { applyRegion } from './region.ts';
import { applySuggestion, type Suggestion, suggestionsFor } from './suggestion.ts';
import { byteLength } from './text.ts';
import { sourcePath } from './touched.ts';

/** Why a change is not a suggestion block. */
export type NoSuggestion =
  | 'deletes'
  | 'moves'
  | 'no-text'
  | 'several-places'
  | 'carriage-return'
  | 'hidden-character'
  | 'look-alike'
  | 'too-long'
  | 'not-in-diff'
  | 'not-expressible'
  /** It was one, until a push put its thread out of date. */
  | 'outdated';

/** Where a proposal is shown: the highest rung of the ladder that says exactly what would be done. */
export type Placement =
  | {
      readonly kind: 'suggestion';
      readonly path: string;
      /** Null for a single line, as GitHub wants it. Both lines are 1-based and on the RIGHT side. */
      readonly startLine: number | null;
      readonly line: number;
      /** The block's lines without terminators; none deletes the range. */
      readonly lines: readonly string[];
    }
  | { readonly kind: 'file'; readonly path: string; readonly why: NoSuggestion }
  | { readonly kind: 'conversation'; readonly path: string; readonly why: NoSuggestion };

/**
 * A change against the pull request as it stands: `baseText` is the file at the head (empty where there is none; that
 * of a move is not looked at),
 * `patch` the file's part of the pull request's diff if GitHub gives one, `inPullRequest` whether the file is part of it.
 */
export type PlacementInput = {
  readonly change: Change;
  readonly baseText: string;
  readonly patch: string | null;
  readonly inPullRequest: boolean;
};

/** Bytes beyond which a block, or the diff that later takes its place, would leave too little room for the rest of its comment. */
const MOST_BLOCK_BYTES = 40_000;

type Attempt =
  | { readonly kind: 'fits'; readonly suggestion: Suggestion }
  | { readonly kind: 'falls'; readonly why: NoSuggestion };

/** Finds where a change is shown. A block is chosen only where applying it as GitHub does gives exactly the bytes of the change. */
export function placeChange(input: PlacementInput): Placement {
  const path = sourcePath(input.change);
  const attempt = attemptSuggestion(input);
  if (attempt.kind === 'falls') return { kind: input.inPullRequest ? 'file' : 'conversation', path, why: attempt.why };
  const { first, last, lines } = attempt.suggestion;
  return { kind: 'suggestion', path, startLine: first === last ? null : first, line: last, lines };
}

function attemptSuggestion({ change, baseText, patch, inPullRequest }: PlacementInput): Attempt {
  const { op, region } = change;
  if (op === 'delete') return falls('deletes');
  if (op === 'move') return falls('moves');
  if (region === null || change.base === null) return falls('no-text');
  if (change.places > 1) return falls('several-places');
  if (byteLength(diffOf(change.payload) ?? '') > MOST_BLOCK_BYTES) return falls('too-long');
  const hunks = inPullRequest && patch !== null ? parseHunks(patch) : [];
  let first: Attempt | null = null;
  for (const suggestion of suggestionsFor(region)) {
    const attempt = tryWay({ suggestion, region, baseText, hunks });
    if (attempt.kind === 'fits') return attempt;
    first ??= attempt;
  }
  return first ?? falls('not-expressible');
}

type Way = {
  readonly suggestion: Suggestion;
  readonly region: Region;
  readonly baseText: string;
  readonly hunks: readonly Hunk[];
};

function tryWay({ suggestion, region, baseText, hunks }: Way): Attempt {
  const { anchored } = suggestion;
  const touched = [...anchored, ...region.new, ...suggestion.lines].join('');
  if (touched.includes('\r')) return falls('carriage-return');
  if (hiddenCharacters(suggestion.lines.join('\n')).length > 0) return falls('hidden-character');
  if (lookAlikes(region.new.join('')).length > 0) return falls('look-alike');
  if (!hunks.some((hunk) => covers(hunk, suggestion.first, anchored))) return falls('not-in-diff');
  return isExact(baseText, region, suggestion) ? { kind: 'fits', suggestion } : falls('not-expressible');
}

/** Whether all anchored lines stand on the right side of the hunk, and read there as they do in the file. */
function covers(hunk: Hunk, first: number, anchored: readonly string[]): boolean {
  const end = first + anchored.length;
  if (anchored.length === 0 || first < hunk.newStart || end > hunk.newStart + hunk.newLines) return false;
  const shown = rightLines(hunk).slice(first - hunk.newStart, end - hunk.newStart);
  return anchored.every((line, index) => bareLine(line) === shown[index]);
}

/**
 * Whether applying the block as GitHub does gives what the change gives. Both leave all other lines as they are, so the
 * touched ones tell, with one on each side: that there is one, or none, is what the ends of a file are known by.
 * GitHub's handling of a file that loses its last lines is not known where no newline ends it or nothing is left,
 * so such deletions are never a block.
 */
function isExact(baseText: string, region: Region, { first, last, lines }: Suggestion): boolean {
  const above = Math.max(0, first - 2);
  const text = linesOf(baseText, above, last + 1);
  const after = applyRegion(text, { ...region, oldStart: region.oldStart - above });
  const atEnd = last - above === countLines(text);
  if (lines.length === 0 && atEnd && (!isTerminated(text) || after === '')) return false;
  return applySuggestion(text, first - above, last - above, lines) === after;
}

function falls(why: NoSuggestion): Attempt {
  return { kind: 'falls', why };
}
