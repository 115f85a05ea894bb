import { type FileChange, type Region, sourcePath, unifiedDiffOf } from './change.ts';
import { applyRegion, regionIndex } from './region.ts';
import { byteLength } from './text/characters.ts';
import { type DiffHunk, newSideLines, parseHunks } from './text/hunks.ts';
import { createLineTable } from './text/line-table.ts';
import { countLines, isTerminated, sliceLines, withoutLineEnding } from './text/lines.ts';
import { findHiddenCharacters } from './text/unicode.ts';

/** Why a change is not displayed as a suggestion block. */
export type NoSuggestionReason =
  | 'deletion'
  | 'move'
  | 'not-text'
  | 'multiple-places'
  | 'carriage-return'
  | 'hidden-character'
  | 'too-long'
  | 'not-in-diff'
  | 'not-expressible'
  /** It is a set of changes. */
  | 'together';

/** Where a proposal is posted: the first kind of comment that can show exactly the change. */
export type Placement =
  | {
      readonly kind: 'suggestion';
      readonly path: string;
      /** Null for a single line, as in the API. Both lines are 1-based and on the RIGHT side. */
      readonly startLine: number | null;
      readonly line: number;
      /** The lines of the block without terminators; an empty list deletes the range. */
      readonly lines: readonly string[];
    }
  | { readonly kind: 'file'; readonly path: string; readonly reason: NoSuggestionReason }
  | { readonly kind: 'conversation'; readonly path: string; readonly reason: NoSuggestionReason };

/**
 * A change and the pull request at its head. `baseText` is the file there (empty if none; unused for a move), `patch`
 * its part of the diff if GitHub provides it, `inPullRequest` whether the file is in the diff.
 */
type PlacementInput = {
  readonly change: FileChange;
  readonly baseText: string;
  readonly patch: string | null;
  readonly inPullRequest: boolean;
};

/** A larger block leaves too little room for the rest of the comment. */
const MAX_SUGGESTION_BYTES = 40_000;

type SuggestionAttempt =
  | { readonly kind: 'fits'; readonly suggestion: Suggestion }
  | { readonly kind: 'does-not-fit'; readonly reason: NoSuggestionReason };

/** Chooses the placement. A suggestion block must give exactly the bytes of the change when GitHub applies it. */
export function choosePlacement(input: PlacementInput): Placement {
  const path = sourcePath(input.change);
  const attempt = attemptSuggestion(input);
  if (attempt.kind === 'does-not-fit')
    return { kind: input.inPullRequest ? 'file' : 'conversation', path, reason: attempt.reason };
  const { firstLine, lastLine, lines } = attempt.suggestion;
  return { kind: 'suggestion', path, startLine: firstLine === lastLine ? null : firstLine, line: lastLine, lines };
}

function attemptSuggestion({ change, baseText, patch, inPullRequest }: PlacementInput): SuggestionAttempt {
  const { op, region } = change;
  if (op === 'delete') return doesNotFit('deletion');
  if (op === 'move') return doesNotFit('move');
  if (region === null || change.base === null) return doesNotFit('not-text');
  if (change.placeCount > 1) return doesNotFit('multiple-places');
  if (byteLength(unifiedDiffOf(change.payload) ?? '') > MAX_SUGGESTION_BYTES) return doesNotFit('too-long');
  const hunks = inPullRequest && patch !== null ? parseHunks(patch) : [];
  let first: SuggestionAttempt | null = null;
  for (const suggestion of listSuggestions(region)) {
    const attempt = trySuggestion({ suggestion, region, baseText, hunks });
    if (attempt.kind === 'fits') return attempt;
    first ??= attempt;
  }
  return first ?? doesNotFit('not-expressible');
}

/**
 * A suggestion block: `lines`, without terminators, replace the 1-based lines `firstLine` to `lastLine`. `anchorLines`
 * are the current lines there, with terminators.
 */
type Suggestion = {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly anchorLines: readonly string[];
  readonly lines: readonly string[];
};

/**
 * The possible suggestions for a region, best first. An insertion replaces no line, so it repeats the line before it
 * or, at the top or if that line is not in the diff, the line after it.
 */
function listSuggestions(region: Region): Suggestion[] {
  const newLines = region.new.map(withoutLineEnding);
  const index = regionIndex(region);
  if (region.old.length > 0) {
    return [{ firstLine: index + 1, lastLine: index + region.old.length, anchorLines: region.old, lines: newLines }];
  }
  const candidates: Suggestion[] = [];
  const before = region.before.at(-1);
  const after = region.after[0];
  if (before !== undefined) {
    candidates.push({
      firstLine: index,
      lastLine: index,
      anchorLines: [before],
      lines: [withoutLineEnding(before), ...newLines],
    });
  }
  if (after !== undefined) {
    candidates.push({
      firstLine: index + 1,
      lastLine: index + 1,
      anchorLines: [after],
      lines: [...newLines, withoutLineEnding(after)],
    });
  }
  return candidates;
}

type SuggestionCandidate = {
  readonly suggestion: Suggestion;
  readonly region: Region;
  readonly baseText: string;
  readonly hunks: readonly DiffHunk[];
};

function trySuggestion({ suggestion, region, baseText, hunks }: SuggestionCandidate): SuggestionAttempt {
  const { anchorLines } = suggestion;
  const touched = [...anchorLines, ...region.new, ...suggestion.lines].join('');
  if (touched.includes('\r')) return doesNotFit('carriage-return');
  if (findHiddenCharacters(suggestion.lines.join('\n')).length > 0) return doesNotFit('hidden-character');
  if (!hunks.some((hunk) => isCoveredByHunk(hunk, suggestion.firstLine, anchorLines))) return doesNotFit('not-in-diff');
  return isExactSuggestion(baseText, region, suggestion) ? { kind: 'fits', suggestion } : doesNotFit('not-expressible');
}

/** Whether all anchor lines are on the hunk's right side with the same text. */
function isCoveredByHunk(hunk: DiffHunk, first: number, anchorLines: readonly string[]): boolean {
  const end = first + anchorLines.length;
  if (anchorLines.length === 0 || first < hunk.newStart || end > hunk.newStart + hunk.newLines) return false;
  const hunkLines = newSideLines(hunk).slice(first - hunk.newStart, end - hunk.newStart);
  return anchorLines.every((line, index) => withoutLineEnding(line) === hunkLines[index]);
}

/**
 * Whether GitHub's result equals the change, judged by the touched lines and one neighbor on each side. GitHub's
 * handling of deletions at the end is unknown for a missing final newline or an empty result, so these fail.
 */
function isExactSuggestion(baseText: string, region: Region, { firstLine, lastLine, lines }: Suggestion): boolean {
  const above = Math.max(0, firstLine - 2);
  const text = sliceLines(baseText, above, lastLine + 1);
  const after = applyRegion(text, { ...region, oldStart: region.oldStart - above });
  const atEnd = lastLine - above === countLines(text);
  if (lines.length === 0 && atEnd && (!isTerminated(text) || after === '')) return false;
  return applySuggestion(text, firstLine - above, lastLine - above, lines) === after;
}

function doesNotFit(reason: NoSuggestionReason): SuggestionAttempt {
  return { kind: 'does-not-fit', reason };
}

/**
 * The text after GitHub commits a suggestion. An empty block deletes the lines, and an unterminated last line stays
 * so. `startLine` is null for a single line.
 */
export function applySuggestion(
  baseText: string,
  startLine: number | null,
  line: number,
  lines: readonly string[],
): string {
  const base = createLineTable(baseText);
  const first = startLine ?? line;
  if (first < 1 || line < first || line > base.lineCount) throw new Error(`The file has no lines ${first} to ${line}.`);
  const isUnterminated = lines.length > 0 && line === base.lineCount && !isTerminated(baseText);
  const block = lines.map((text) => `${text}\n`).join('');
  const [start, end] = [base.offsetAt(first - 1), base.offsetAt(line)];
  return baseText.slice(0, start) + (isUnterminated ? block.slice(0, -1) : block) + baseText.slice(end);
}
