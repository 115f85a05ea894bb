import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createDiffView,
  renderDiff,
  renderFoldedDiff,
  splitDiff,
} from '../../../../../src/core/messages/proposal/diff-markdown.ts';

/** A diff of hunks with so many added rows each. */
function diffOf(sizes: readonly number[], row = 'new'): string {
  const hunks = sizes.map((size, index) => {
    const start = 1 + index * 1_000;
    return `@@ -${start},1 +${start},${size + 1} @@\n kept\n${`+${row}\n`.repeat(size)}`;
  });
  return `--- a/notes.md\n+++ b/notes.md\n${hunks.join('')}`;
}

function blocksIn(page: string): readonly (readonly string[])[] {
  return [...page.matchAll(/```diff\n([\s\S]*?)\n```/g)].map(([, text = '']) => text.split('\n'));
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

describe('a diff on a page', () => {
  it.each([
    [29, 'open', null],
    [30, 'previewed', 15],
    [100, 'previewed', 50],
    [101, 'folded', null],
  ])('of %i lines is %s, and always whole (S29)', (amount, form, shown) => {
    const view = createDiffView(diffOf([amount - 4]));
    expect(view.lines).toHaveLength(amount);
    const page = renderDiff(view);
    expect(page.includes('<details>')).toBe(form !== 'open');
    expect(page.includes('(showing ')).toBe(form === 'previewed');
    if (shown !== null) expect(page).toContain(`(showing ${shown} of ${amount} lines)`);
    expect(blocksIn(page)).toEqual(shown === null ? [view.lines] : [view.lines.slice(0, shown), view.lines]);
  });

  it('of 50 lines has a preview, and is whole in the fold (S29)', () => {
    const view = createDiffView(diffOf([46]));
    const page = renderDiff(view);
    expect(page).toContain('(showing 25 of 50 lines)');
    expect(blocksIn(page)).toEqual([view.lines.slice(0, 25), view.lines]);
  });

  it('a preview that would end with a hunk’s header ends before it (S29)', () => {
    const after = createDiffView(diffOf([20, 24]));
    expect(after.lines[24]).toBe('@@ -1001,1 +1001,25 @@');
    expect(renderDiff(after)).toContain('(showing 24 of 50 lines)');
    expect(renderDiff(createDiffView(diffOf([19, 25])))).toContain('(showing 25 of 50 lines)');
  });

  it('a preview hides at least half of the diff and never ends with a header, for any hunks (S29)', () => {
    fc.assert(
      fc.property(sizes, (amounts) => {
        const view = createDiffView(diffOf(amounts));
        const blocks = blocksIn(renderDiff(view));
        expect(blocks.at(-1)).toEqual(view.lines);
        if (blocks.length < 2) return;
        expect(blocks[0]?.length).toBeLessThanOrEqual(view.lines.length / 2);
        expect(blocks[0]?.at(-1)).not.toMatch(/^(?:@@ |--- |\+\+\+ )/);
      }),
    );
  });

  it('parts and cut diffs never end with a header either, and the parts are the whole (S30)', () => {
    const long = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 5, maxLength: 20 });
    fc.assert(
      fc.property(long, fc.integer({ min: 200, max: 20_000 }), (amounts, maxBytes) => {
        const view = createDiffView(diffOf(amounts, 'x'.repeat(97)));
        const parts = splitDiff(view) ?? [];
        expect(parts.flatMap(({ lines }) => lines)).toEqual(view.lines);
        const cut = blocksIn(renderFoldedDiff(view, maxBytes));
        for (const lines of [...parts.map((part) => part.lines), ...cut])
          expect(lines.at(-1)).not.toMatch(/^(?:@@ |--- |\+\+\+ )/);
      }),
      { numRuns: 30 },
    );
  });
});
