import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithinOneEdit } from '../../../src/lib/closest-name.ts';

describe('isWithinOneEdit', () => {
  /** The Damerau-Levenshtein distance by its definition, for comparison. */
  function distance(one: string, other: string): number {
    const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
    const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
    for (let row = 1; row <= one.length; row += 1) {
      const current = [row];
      rows.push(current);
      for (let column = 1; column <= other.length; column += 1) {
        const replaceCost = one[row - 1] === other[column - 1] ? 0 : 1;
        const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
        current.push(
          Math.min(
            cell(row - 1, column) + 1,
            cell(row, column - 1) + 1,
            cell(row - 1, column - 1) + replaceCost,
            isSwapped ? cell(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
          ),
        );
      }
    }
    return cell(one.length, other.length);
  }

  it('is true for a Damerau-Levenshtein distance of one (S62)', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isWithinOneEdit(one, other)).toBe(distance(one, other) === 1);
      }),
      { numRuns: 1_000 },
    );
  });
});
