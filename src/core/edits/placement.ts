import { type FileChange, type Region, sourcePath, unifiedDiffOf } from './change.ts';
import { applyRegion, regionIndex } from './region.ts';
import { byteLength, findHiddenCharacters } from './text/characters.ts';
import { type DiffHunk, newSideLines, parseHunks } from './text/hunks.ts';
import { createLineTable } from './text/line-table.ts';
import { countLines, isTerminated, sliceLines, withoutLineEnding } from './text/lines.ts';

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
  | {
      readonly kind: 'file' | 'conversation';
      readonly path: string;
      /** Why GitHub refused a suggestion, in its own words; absent if it did not. */
      readonly refusal?: string;
    };

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

/**
 * Chooses the placement of a change of one member; a set never gets a suggestion. A suggestion block must give exactly
 * the bytes of the change when GitHub applies it.
 */
export function choosePlacement(input: PlacementInput): Placement {
  const path = sourcePath(input.change);
  const suggestion = findSuggestion(input);
  if (suggestion === null) return { kind: input.inPullRequest ? 'file' : 'conversation', path };
  const { firstLine, lastLine, lines } = suggestion;
  return { kind: 'suggestion', path, startLine: firstLine === lastLine ? null : firstLine, line: lastLine, lines };
}

function findSuggestion({ change, baseText, patch, inPullRequest }: PlacementInput): Suggestion | null {
  const { op, region, base, placeCount, payload } = change;
  const isRewrite = (op === 'edit' || op === 'write') && base !== null && placeCount === 1;
  if (!isRewrite || region === null || byteLength(unifiedDiffOf(payload) ?? '') > MAX_SUGGESTION_BYTES) return null;
  const hunks = inPullRequest && patch !== null ? parseHunks(patch) : [];
  return (
    listSuggestions(region).find((one) => isOffered(one, hunks) && isExactSuggestion(baseText, region, one)) ?? null
  );
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

/** Whether GitHub offers the block, and its lines are as people see them. */
function isOffered({ firstLine, anchorLines, lines }: Suggestion, hunks: readonly DiffHunk[]): boolean {
  const hasHidden = findHiddenCharacters(lines.join('\n')).length > 0;
  return !hasHidden && hunks.some((hunk) => isCoveredByHunk(hunk, firstLine, anchorLines));
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
 * handling of CR, and of deletions at the end for a missing final newline or an empty result, is unknown: these fail.
 */
function isExactSuggestion(
  baseText: string,
  region: Region,
  { firstLine, lastLine, anchorLines, lines }: Suggestion,
): boolean {
  if ([...anchorLines, ...region.new, ...lines].some((line) => line.includes('\r'))) return false;
  const above = Math.max(0, firstLine - 2);
  const text = sliceLines(baseText, above, lastLine + 1);
  const after = applyRegion(text, { ...region, oldStart: region.oldStart - above });
  const atEnd = lastLine - above === countLines(text);
  if (lines.length === 0 && atEnd && (!isTerminated(text) || after === '')) return false;
  return applySuggestion(text, firstLine - above, lastLine - above, lines) === after;
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
