import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../../src/core/edits/change.ts';
import { applySuggestion, choosePlacement, type Placement } from '../../../../src/core/edits/placement.ts';
import { applyRegion } from '../../../../src/core/edits/region.ts';
import { splitLines } from '../../../../src/core/edits/text/lines.ts';
import { anyText, editOf, plainText, rewriteOf, rewritten } from './samples.ts';

/** A patch as in GitHub's API: hunks without file headers. */
function patchBetween(before: string, after: string): string {
  const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 3 });
  return hunks
    .map((hunk) =>
      [`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines].join('\n'),
    )
    .join('\n');
}

/** Places a change in a pull request that created the file, so that its diff has every line. */
function placed(baseText: string, change: FileChange, patch: string | null = patchBetween('', baseText)): Placement {
  return choosePlacement({ change, baseText, patch, inPullRequest: patch !== null });
}

function suggestion(baseText: string, oldString: string, newString: string): Placement {
  const change = editOf(baseText, oldString, newString);
  const placement = placed(baseText, change);
  if (placement.kind === 'suggestion' && change.region !== null) {
    const { startLine, line, lines } = placement;
    expect(applySuggestion(baseText, startLine, line, lines)).toBe(applyRegion(baseText, change.region));
  }
  return placement;
}

describe('choosePlacement', () => {
  it('the range is exactly the replaced lines (S34)', () => {
    expect(suggestion('a\nb\nc\nd\n', 'b\nc', 'B\nC')).toMatchObject({ startLine: 2, line: 3, lines: ['B', 'C'] });
    expect(suggestion('a\nb\nc\n', 'b', 'B')).toMatchObject({ startLine: null, line: 2, lines: ['B'] });
  });

  it('an empty block deletes, a block with one empty line does not (S34)', () => {
    expect(suggestion('a\nb\nc\n', 'b\n', '')).toMatchObject({ kind: 'suggestion', line: 2, lines: [] });
    expect(suggestion('a\nb\nc\n', 'b\n', '\n')).toMatchObject({ kind: 'suggestion', line: 2, lines: [''] });
  });

  it.each([
    ['an added final newline', 'a\nb', 'b', 'b\n'],
    ['a removed final newline', 'a\nb\n', 'b\n', 'b'],
    ['a deleted last line without a newline', 'a\nb', 'b', ''],
    ['all lines deleted', 'a\n', 'a\n', ''],
    ['CR in a replaced line', 'a\r\nb\n', 'a', 'A'],
    ['CR in the anchor line', 'a\r\nb\n', '\nb', '\nx\nb'],
    ['a lone CR in new text', 'a\nb\n', 'b', 'b\rc'],
    ['a direction control', 'a\nb\n', 'b', 'b\u{202E}'],
    ['a byte order mark in the line', '\u{FEFF}a\nb\n', 'a', 'z'],
  ])('is no suggestion for %s (S33, S35, B18)', (_, text, oldString, newString) => {
    const placement = suggestion(text, oldString, newString);
    // An insertion can avoid a CR by repeating the line on the other side.
    if (placement.kind === 'suggestion') expect(placement.lines.join('')).not.toContain('\r');
    else expect(placement).toEqual({ kind: 'file', path: 'file.txt' });
  });

  it('several places are never a suggestion (S33)', () => {
    expect(placed(`a\n${'x\n'.repeat(7)}a\n`, editOf(`a\n${'x\n'.repeat(7)}a\n`, 'a', 'b', true))).toMatchObject({
      kind: 'file',
    });
  });

  it('lines outside the diff, in two hunks, or different in the diff get a file-level comment (C15, B17)', () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
    const patch = patchBetween(text.replace('line 2\n', 'x\n').replace('line 15\n', 'y\n'), text);
    const change = (line: number, rows = 1) =>
      editOf(
        text,
        splitLines(text)
          .slice(line - 1, line - 1 + rows)
          .join(''),
        'changed\n'.repeat(rows),
      );
    expect(placed(text, change(5), patch)).toMatchObject({ kind: 'suggestion', line: 5 });
    expect(placed(text, change(6), patch)).toMatchObject({ kind: 'file' });
    expect(placed(text, change(4, 10), patch)).toMatchObject({ kind: 'file' });
    expect(placed(text, change(5), patch.replace(' line 5', ' line five'))).toMatchObject({ kind: 'file' });
  });

  it('a file outside the pull request gets a conversation comment (S33)', () => {
    expect(placed('a\n', editOf('a\n', 'a', 'b'), null)).toEqual({
      kind: 'conversation',
      path: 'file.txt',
    });
  });

  it('a file whose patch GitHub omits gets a file-level comment (S33)', () => {
    const change = editOf('a\n', 'a', 'b');
    expect(choosePlacement({ change, baseText: 'a\n', patch: null, inPullRequest: true })).toMatchObject({
      kind: 'file',
    });
  });

  it.each([
    ['plain', plainText],
    ['any', anyText],
  ])('an applied suggestion gives exactly the bytes in random pull requests (%s) (S33, S34, B17)', (_, text) => {
    let blocks = 0;
    fc.assert(
      fc.property(text, rewritten(text), (old, { before, after }) => {
        const change = rewriteOf(before, after);
        if (change === null || change.region === null) return;
        const placement = placed(before, change, patchBetween(old, before));
        if (placement.kind !== 'suggestion') return;
        blocks += 1;
        const { startLine, line, lines } = placement;
        expect(startLine === null || startLine < line).toBe(true);
        expect(applySuggestion(before, startLine, line, lines)).toBe(applyRegion(before, change.region));
        expect(lines.join('')).not.toMatch(/[\r\n\u{FEFF}]/u);
      }),
      { numRuns: 1_000 },
    );
    expect(blocks).toBeGreaterThan(300);
  });
});
