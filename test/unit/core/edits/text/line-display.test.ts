import { describe, expect, it } from 'vitest';
import { columnsOf, hasWideGap, isCodeReordered } from '../../../../../src/core/edits/text/line-display.ts';

describe('the display of a line', () => {
  it('counts columns as GitHub displays them (X15)', () => {
    expect(columnsOf('abc')).toBe(3);
    expect(columnsOf('a\tb')).toBe(9);
    expect(columnsOf('値段 a')).toBe(6);
    expect(columnsOf('\t'.repeat(20))).toBe(160);
  });

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
  ])('%j is displayed in another order: %s (X1)', (line, expected) => {
    expect(isCodeReordered(line, 'a.ts')).toBe(expected);
  });
});
