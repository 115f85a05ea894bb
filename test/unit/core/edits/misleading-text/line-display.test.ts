import { describe, expect, it } from 'vitest';
import {
  columnsOf,
  hasWideGap,
  isCodeReordered,
  isPathReordered,
} from '../../../../../src/core/edits/misleading-text/line-display.ts';

describe('the display of a line', () => {
  it('counts columns as GitHub displays them (X15)', () => {
    expect(columnsOf('abc')).toBe(3);
    expect(columnsOf('a\tb')).toBe(9);
    expect(columnsOf('値段 a')).toBe(6);
    expect(columnsOf('\t'.repeat(20))).toBe(160);
    expect(columnsOf('\u{1F600} \u05E9\u0434\u00E9')).toBe(6);
  });

  it.each([0xfdfd, 0x2e3a, 0x2e3b, 0x12031, 0x1242b, 0x12219, 0xa9c4])(
    'counts more than two columns for each U+%s, which is drawn very wide (X15)',
    (codePoint) => {
      expect(columnsOf(String.fromCodePoint(codePoint).repeat(60))).toBeGreaterThan(160);
    },
  );

  it.each([
    [`a;${' '.repeat(20)}b;`, true],
    [`a;${' '.repeat(19)}b;`, false],
    [`a;${'\t'.repeat(4)}b;`, true],
    [`a;${'\t'.repeat(3)}b;`, false],
    [`a;\t\t\t${' '.repeat(5)}b;`, true],
    [`a;${'\u3000'.repeat(20)}b;`, true],
    [`${' '.repeat(40)}b;`, false],
    [`a;${' '.repeat(40)}`, false],
  ])('%j has a wide gap: %s (X15)', (line, expected) => {
    expect(hasWideGap(line)).toBe(expected);
  });

  it.each([
    ['role === "\u05D0" && 1 === "\u05D1"', true],
    ['["\u05D0\u05D1", "\u05D2"]', true],
    ['x = \u05D0 + 1', true],
    ['x = "\u05D0"; // \u05D1', true],
    ['x = "\u05D0" + y + 1', false],
    ['// \u05E9\u05DC\u05D5\u05DD [\u05E2\u05D5\u05DC\u05DD] 12/3', false],
    ['t("\u05E9\u05DC\u05D5\u05DD <\u05E2\u05D5\u05DC\u05DD>")', false],
    ['\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD, 12', false],
    ['return יתרה - חוב;', true],
    ['return יתרה - חוב', true],
    ['x = יתרה / 5', true],
    ['f(יתרה, חוב);', true],
    ['חשבון.יתרה()', true],
    ['x = יָ + חוב', true],
    ['x = \u{10A00} + \u{10A10}', true],
    ['  שלום, עולם - (טוב).', false],
    ['title: שלום, עולם', false],
    ['  <b>שלום</b>, {name} – עולם', false],
    ['if (/^[א-ת]+$/.test(word)) {', false],
    [' * f("שלום"); // "עולם"', false],
  ])('%j is displayed in another order: %s (X1)', (line, expected) => {
    expect(isCodeReordered(line, 'a.ts')).toBe(expected);
  });

  it.each([
    ['docs/אבג/דהו.md', true],
    ['אב/12/a.ts', true],
    ['docs/אבג/a.md', false],
    ['docs/אבג/v2/דהו.md', false],
    ['docs/שלום עולם.md', false],
  ])('the segments of %j are displayed in another order: %s (X1)', (path, expected) => {
    expect(isPathReordered(path)).toBe(expected);
  });
});
