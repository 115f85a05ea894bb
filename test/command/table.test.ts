import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOneSlip } from '../../src/command/one-slip.ts';
import { readId } from '../../src/command/proposal-name.ts';
import { readComment } from '../../src/command/read-comment.ts';
import { commandTable, isPlanned } from '../../src/command/table.ts';
import { mayCommand } from '../../src/policy/roles.ts';
import { fittingLine } from './phrases.ts';

describe('the command table', () => {
  it('has one row for each command and no word twice', () => {
    const words = commandTable.flatMap((row) => row.words);
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter(isPlanned)).toEqual([]);
    expect(new Set(commandTable.map((row) => row.name)).size).toBe(commandTable.length);
  });

  it('S63: every word is read in any case, behind /countersign too', () => {
    for (const row of commandTable.filter(({ name }) => name !== 'task')) {
      for (const word of row.words) {
        const name = { kind: 'command', command: { name: row.name } };
        const line = fittingLine(row, 'k7q2', word);
        expect(readComment(line, 'countersign').utterance).toMatchObject(name);
        expect(readComment(line.toUpperCase(), 'countersign').utterance).toMatchObject(name);
        expect(readComment(`/countersign ${line}`, 'countersign').utterance).toMatchObject(name);
      }
    }
  });

  it('a word of a later version decides nothing and says so', () => {
    for (const word of ['answer', 'choose', 'approvals', 'revoke', 'config']) {
      const { utterance } = readComment(`/${word} k7q2`, 'countersign');
      expect(utterance).toMatchObject({ kind: 'misfit', word });
      if (utterance.kind === 'misfit') expect(utterance.hint).toContain('not available in this version');
    }
  });

  it('S67: the table and the policy agree on who may', () => {
    for (const row of commandTable) {
      expect(mayCommand('writer', row.name)).toBe(true);
      expect(mayCommand('author', row.name)).toBe(row.who === 'writer-or-author');
      expect(mayCommand('outsider', row.name)).toBe(false);
    }
  });

  it('each form is one line that begins with a word of the row', () => {
    for (const row of commandTable) {
      expect(row.form).toMatch(/^\/[^\n`]+$/);
      expect(row.form.startsWith(`/${row.words[0]}`)).toBe(true);
      expect(row.meaning).toMatch(/^[a-z][^\n]*[^.\n]$/);
    }
  });
});

describe('ids', () => {
  it.each(['k7q2', 'a1b2c', '00000a', 'K7Q2', 'utf8'])('%s is one', (word) => {
    expect(readId(word)).toBe(word.toLowerCase());
  });

  it.each(['', 'k7q', 'k7q2x9z', 'abcd', '1234', 'k7-2', 'k7q2 ', 'k7q2\n', 'ｋ7q2', '\u212A7q2', 'all'])(
    '%j is none',
    (word) => {
      expect(readId(word)).toBeNull();
    },
  );
});

describe('S62: one slip', () => {
  /** The distance by its definition, for comparison. */
  function slips(one: string, other: string): number {
    const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
    const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
    for (let row = 1; row <= one.length; row += 1) {
      const current = [row];
      rows.push(current);
      for (let column = 1; column <= other.length; column += 1) {
        const differs = one[row - 1] === other[column - 1] ? 0 : 1;
        const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
        current.push(
          Math.min(
            cell(row - 1, column) + 1,
            cell(row, column - 1) + 1,
            cell(row - 1, column - 1) + differs,
            swapped ? cell(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
          ),
        );
      }
    }
    return cell(one.length, other.length);
  }

  it('S62: is the Damerau distance of one', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isOneSlip(one, other)).toBe(slips(one, other) === 1);
      }),
      { numRuns: 3000 },
    );
  });
});
