import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/change/change.ts';
import { splitLines } from '../../src/change/lines.ts';
import { type Placement, placeChange } from '../../src/change/placement.ts';
import { applyRegion } from '../../src/change/region.ts';
import { applySuggestion } from '../../src/change/suggestion.ts';
import { anyText, editOf, plainText, rewriteOf, rewritten } from './samples.ts';

/** A pull request's patch as GitHub gives it: hunks alone. */
function patchBetween(before: string, after: string): string {
  const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 3 });
  return hunks
    .map((hunk) =>
      [`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines].join('\n'),
    )
    .join('\n');
}

/** The change placed in a pull request that wrote the whole file, so that every line is in its diff. */
function placed(baseText: string, change: Change, patch: string | null = patchBetween('', baseText)): Placement {
  return placeChange({ change, baseText, patch, inPullRequest: patch !== null });
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

describe('placeChange', () => {
  it('S34: the range is exactly the replaced lines', () => {
    expect(suggestion('a\nb\nc\nd\n', 'b\nc', 'B\nC')).toMatchObject({ startLine: 2, line: 3, lines: ['B', 'C'] });
    expect(suggestion('a\nb\nc\n', 'b', 'B')).toMatchObject({ startLine: null, line: 2, lines: ['B'] });
  });

  it('S34: an insertion repeats its anchor line', () => {
    expect(suggestion('a\nb\n', 'a\n', 'a\nx\n')).toMatchObject({ startLine: null, line: 1, lines: ['a', 'x'] });
  });

  it('S34: an insertion at the first line repeats the line behind it', () => {
    expect(suggestion('a\nb\n', 'a\n', 'x\na\n')).toMatchObject({ startLine: null, line: 1, lines: ['x', 'a'] });
  });

  it('S34: an insertion before and behind a blank line', () => {
    expect(suggestion('a\n\nb\n', 'a\n', 'a\nx\n')).toMatchObject({ line: 1, lines: ['a', 'x'] });
    expect(suggestion('a\n\nb\n', '\n\nb', '\n\nx\nb')).toMatchObject({ line: 2, lines: ['', 'x'] });
  });

  it('S34: an insertion at the end, with and without a newline there', () => {
    expect(suggestion('a\nb\n', 'b\n', 'b\nc\n')).toMatchObject({ line: 2, lines: ['b', 'c'] });
    expect(suggestion('a\nb', 'b', 'b\nc')).toMatchObject({ line: 2, lines: ['b', 'c'] });
  });

  it('S34: an empty block deletes, a block with one empty line does not', () => {
    expect(suggestion('a\nb\nc\n', 'b\n', '')).toMatchObject({ kind: 'suggestion', line: 2, lines: [] });
    expect(suggestion('a\nb\nc\n', 'b\n', '\n')).toMatchObject({ kind: 'suggestion', line: 2, lines: [''] });
  });

  it.each([
    ['a newline that is added at the end', 'a\nb', 'b', 'b\n', 'not-expressible'],
    ['a newline that is taken away at the end', 'a\nb\n', 'b\n', 'b', 'not-expressible'],
    ['a last line that goes where no newline ends it', 'a\nb', 'b', '', 'not-expressible'],
    ['all lines gone', 'a\n', 'a\n', '', 'not-expressible'],
    ['CR in a replaced line', 'a\r\nb\n', 'a', 'A', 'carriage-return'],
    ['CR in the anchor line', 'a\r\nb\n', '\nb', '\nx\nb', 'carriage-return'],
    ['a lone CR in new text', 'a\nb\n', 'b', 'b\rc', 'carriage-return'],
    ['a direction control', 'a\nb\n', 'b', 'b\u{202E}', 'hidden-character'],
    ['a letter that looks like another', 'a\nb\n', 'b', 'p\u{430}yload', 'look-alike'],
    ['a blank that is none', 'a\nb\n', 'b', 'b\u{A0}c', 'look-alike'],
    ['a byte order mark in the way', '\u{FEFF}a\nb\n', 'a', 'z', 'hidden-character'],
  ])('S33, S35, B18: falls down the ladder for %s', (_, text, oldString, newString, why) => {
    const placement = suggestion(text, oldString, newString);
    // An anchor with CR may be avoided by repeating the line on the other side.
    if (placement.kind === 'suggestion') expect(placement.lines.join('')).not.toContain('\r');
    else expect(placement).toEqual({ kind: 'file', path: 'file.txt', why });
  });

  it('S33: several places are never one block', () => {
    expect(placed('a\nx\nx\na\n', editOf('a\nx\nx\na\n', 'a', 'b', true))).toMatchObject({ why: 'several-places' });
  });

  it('C15, B17: lines outside the diff, of two hunks, or shown otherwise there fall to a file-level comment', () => {
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
    expect(placed(text, change(6), patch)).toMatchObject({ kind: 'file', why: 'not-in-diff' });
    expect(placed(text, change(4, 10), patch)).toMatchObject({ kind: 'file', why: 'not-in-diff' });
    expect(placed(text, change(5), patch.replace(' line 5', ' line five'))).toMatchObject({ kind: 'file' });
  });

  it('S33: a file that is not part of the pull request is spoken of in the conversation', () => {
    expect(placed('a\n', editOf('a\n', 'a', 'b'), null)).toEqual({
      kind: 'conversation',
      path: 'file.txt',
      why: 'not-in-diff',
    });
  });

  it('S33: a file of the pull request whose patch GitHub leaves out gets a file-level comment', () => {
    const change = editOf('a\n', 'a', 'b');
    expect(placeChange({ change, baseText: 'a\n', patch: null, inPullRequest: true })).toMatchObject({ kind: 'file' });
  });

  it.each([
    ['plain', plainText],
    ['any', anyText],
  ])(
    'S33, S34, B17: a block applied as GitHub does gives exactly the bytes, in random pull requests (%s)',
    (_, text) => {
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
        { numRuns: 3000 },
      );
      expect(blocks).toBeGreaterThan(300);
    },
  );
});
