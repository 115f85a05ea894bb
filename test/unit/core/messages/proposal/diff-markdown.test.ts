import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createTextView,
  renderDiff,
  renderFoldedDiff,
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
  it('shows each row once: thirty open, the others folded unless they are few (S29)', () => {
    fc.assert(
      fc.property(sizes, (amounts) => {
        const view = createTextView(diffOf(amounts));
        const page = renderDiff(view);
        expect(blocksIn(page).flat()).toEqual(view.lines);
        const isFolded = view.lines.length > 40;
        expect(blocksIn(page)[0]?.length).toBe(isFolded ? 30 : view.lines.length);
        expect(page.includes('<details>')).toBe(isFolded);
      }),
    );
  });

  it('R25: shows each row once from the line that was asked about on', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (amounts, chosen) => {
        const view = createTextView(diffOf(amounts));
        const line = 1 + (chosen % amounts.length) * 1_000;
        const page = renderDiff(view, line);
        expect(blocksIn(page).flat()).toEqual(view.lines);
        const open = blocksIn(page.replace(/<details>[\s\S]*?<\/details>/g, '')).flat();
        expect(open.length).toBeLessThanOrEqual(40);
        expect(open.some((row) => row.startsWith(`@@ -${line},`))).toBe(true);
      }),
    );
  });

  it('says how much of it is shown, where it is the beginning of a longer one (S30)', () => {
    expect(renderDiff(createTextView(diffOf([10]), 900))).toContain('(showing 14 of 900 lines)');
  });

  it('R30: has the characters of the file, never escapes of them', () => {
    const row = 'a\u{FE0F} \u{FEFF}b\u{200B} ⭐️ \u{202E}c';
    expect(createTextView(diffOf([1], row)).lines).toContain(`+${row}`);
  });

  it('R34: tells CR LF from a CR without LF, which a picture stands for', () => {
    const view = (...rows: readonly string[]) =>
      createTextView(`--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n${rows.map((row) => `${row}\n`).join('')}`);
    expect(view('-a\r', '+b\r').notes).toEqual(['All lines end with CR LF.']);
    const lone = view('-a\rb', '+c\r', '\\ No newline at end of file');
    expect(lone.notes.join()).not.toContain('CR LF');
    expect(lone.lines).toContain('-a␍b');
    expect(lone.lines).toContain('+c␍');
  });

  it('is cut to the room that a decided page has left (S30)', () => {
    const page = renderFoldedDiff(createTextView(diffOf([400], 'x'.repeat(97))), 10_000);
    expect(Buffer.byteLength(page)).toBeLessThan(10_200);
    expect(page).toContain(' of 404 lines)');
  });
});
