import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildEdit,
  type EditRequest,
  keepLineEndings,
  replaceText,
} from '../../../../../src/core/edits/build/build-text.ts';
import { applyRegion } from '../../../../../src/core/edits/region.ts';
import { findMatches } from '../../../../../src/core/edits/text/find-text.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { findOccurrences } from '../occurrences.ts';
import { changeOf, stored } from '../samples.ts';

function edit(text: string, oldString: string, newString: string, replaceAll = false) {
  return replaceText('a', text, { oldString, newString, replaceAll });
}

function edited(text: string, oldString: string, newString: string, replaceAll = false): string {
  const result = edit(text, oldString, newString, replaceAll);
  if (result.kind !== 'edited') throw new Error(result.output);
  return result.text;
}

/** The words for the model about an edit that cannot be made. */
function refused(text: string, oldString: string, newString: string, replaceAll = false): string {
  const result = edit(text, oldString, newString, replaceAll);
  return result.kind === 'refused' ? result.output : 'not refused';
}

/** The text that the model can send back. */
function quotedIn(answer: string): string {
  return JSON.parse(/Did you mean: (".*") \(line \d+\)\?/.exec(answer)?.[1] ?? '""');
}

describe('an edit of a text', () => {
  it('replaces the only occurrence (S2)', () => {
    expect(edited('one\ntwo\nthree\n', 'two', '2')).toBe('one\n2\nthree\n');
  });

  it('an empty new_string deletes (S3)', () => {
    expect(edited('one\ntwo\nthree\n', 'two\n', '')).toBe('one\nthree\n');
  });

  it('counts several occurrences with their lines and replaces nothing, overlapping ones too (S4, T5, E13)', () => {
    const words = 'matches for old_string. Use replace_all=True or provide more context. Matches at lines:';
    expect(refused('a\nb\na\nb\na', 'a', 'c')).toBe(`Found 3 ${words} 1, 3, 5`);
    expect(refused('aaa', 'aa', 'b')).toBe(`Found 2 ${words} 1, 1`);
    expect(refused('a\n'.repeat(60), 'a', 'c')).toMatch(/ 49, 50 and 10 more$/);
  });

  it.each([
    [
      'tabs for blanks',
      '\n\tif (a) {\n\t\treturn  1;\n\t}\n',
      'if (a) {\n    return 1;\n}',
      'if (a) {\n\t\treturn  1;\n\t}',
    ],
    ['the first indent', 'x\n\treturn 1;\n', '  return 1;', '\treturn 1;'],
    ['blanks at the end of a line', 'one  \ntwo\n', 'one\ntwo\n', 'one  \ntwo\n'],
    ['a no-break space', 'a\u{A0}b c\n', 'a b c', 'a\u{A0}b c'],
    ['a lone CR', 'a\r\nb\rc\n', 'b\nc', 'b\rc'],
  ])('R33: says that only white space differs, and gives the right text whole: %s (S5)', (_, text, needle, right) => {
    const answer = refused(text, needle, 'x');
    expect(answer).toContain('It differs only in white space.');
    expect(quotedIn(answer)).toBe(right);
    expect(edited(text, quotedIn(answer), 'x')).toBe(text.replace(right, 'x'));
  });

  it('R33: quotes the right text whole, however long it is (S5)', () => {
    const rows = (indent: string) => Array.from({ length: 90 }, (_, at) => `${indent}total.add(${at});\n`).join('');
    expect(quotedIn(refused(`{\n${rows('\t')}}\n`, rows('  '), 'x'))).toBe(rows('\t'));
  });

  it.each([
    [
      'NFD in the file',
      'un cafe\u{301} noir\n',
      'un café noir',
      'U+0065 U+0301 (e\u{301}) in the file, U+00E9 (é) in old_string',
    ],
    ['NFD in old_string', 'un café noir\n', 'un cafe\u{301} noir', 'U+00E9 (é) in the file, U+0065 U+0301'],
    ['the sign of ohm', 'R = 5 \u2126;\n', 'R = 5 Ω;', 'U+2126 (\u2126) in the file, U+03A9 (Ω) in old_string'],
    ['the sign of angstrom', '10 Å\n', '10 \u212B', 'U+00C5 (Å) in the file, U+212B (\u212B) in old_string'],
    [
      'a line end written out',
      'a\nprint(1)\n',
      'a\\nprint(1)',
      'U+000A in the file, U+005C U+006E (\\n) in old_string',
    ],
    [
      'a line end for a written one',
      'say "a\\nb"\n',
      'say "a\nb"',
      'U+005C U+006E (\\n) in the file, U+000A in old_string',
    ],
    ['a hidden character as it is shown', 'a\u200Bb c\n', 'a\\u{200B}b c', 'U+200B in the file, U+005C U+0075'],
    ['a hidden character left out', 'ab\u{AD}cd\n', 'abcd', 'U+00AD in the file'],
    ['a curly quote', 'it’s\n', "it's", "U+2019 (’) in the file, U+0027 (') in old_string"],
    ['a dash', 'a – b\n', 'a - b', 'U+2013 (–) in the file, U+002D (-) in old_string'],
  ])('R33: says what differs, with code points: %s (S5)', (_, text, needle, difference) => {
    const answer = refused(text, needle, 'x');
    expect(answer).toContain(difference);
    expect(edited(text, quotedIn(answer), 'x')).toBe(text.replace(quotedIn(answer), 'x'));
  });

  it('rejects an edit without a change (S7)', () => {
    expect(refused('a', 'a', 'a')).toMatch(/^No changes/);
    expect(refused('a\r\nb\r\n', 'a\n', 'a\r\n')).toMatch(/^No changes/);
  });

  it('an empty old_string has its own error (S8, E13)', () => {
    expect(refused('a', '', 'b')).toContain('old_string is empty');
  });

  it.each(['$&', '$1', '$`', "$'", '$$', '\\1'])('replacement is literal: %s survives (S9)', (literal) => {
    expect(edited('a b c', 'b', literal)).toBe(`a ${literal} c`);
  });

  it('a byte order mark is ignored and preserved (S11)', () => {
    expect(edited('\u{FEFF}a\nb\n', 'a\n', '')).toBe('\u{FEFF}b\n');
    expect(edited('\u{FEFF}a\nb\n', '\u{FEFF}a', '\u{FEFF}z')).toBe('\u{FEFF}z\nb\n');
    expect(refused('\u{FEFF}b\na\n', '\u{FEFF}a', 'z')).toContain('not found');
  });

  it.each([
    ['‘a’', "'a'"],
    ['e\u{301}', 'é'],
    ['a  b', 'a b'],
    ['A', 'a'],
  ])('nothing else is normalized: %j is not %j (S11, S12)', (text, needle) => {
    expect(refused(text, needle, 'x')).toContain('not found');
  });
});

const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\r', '\u{FEFF}', '😀', '');

const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('an edit of any text', () => {
  it('bytes outside the match never change (S10, S11, E11)', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, needle, tail, newText) => {
        const result = edit(head + needle + tail, needle, newText);
        if (result.kind !== 'edited') return;
        const { first, text: after } = result;
        const whole = head + needle + tail;
        expect(after.startsWith(whole.slice(0, first.start))).toBe(true);
        expect(after.endsWith(whole.slice(first.end))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('with LF alone it equals split and join (S6)', () => {
    const plain = text.map((value) => value.replaceAll('\r', '').replaceAll('\u{FEFF}', ''));
    fc.assert(
      fc.property(plain, plain, plain, (whole, needle, newText) => {
        const expected = whole.split(needle).join(newText);
        const result = edit(whole, needle, newText, true);
        if (needle === '' || expected === whole) expect(result.kind).not.toBe('edited');
        else {
          expect(result).toMatchObject({ kind: 'edited', matchCount: whole.split(needle).length - 1 });
          expect(edited(whole, needle, newText, true)).toBe(expected);
        }
      }),
      { numRuns: 700 },
    );
  });

  it('matches ignore the CR of CRLF and never split one (S10)', () => {
    fc.assert(
      fc.property(text, text, (whole, needle) => {
        fc.pre(!`${whole}${needle}`.includes('\u{FEFF}'));
        const normalize = (part: string): string => part.replaceAll('\r\n', '\n');
        for (const { start, end } of findMatches(whole, needle, 'separate')) {
          expect(normalize(whole.slice(start, end))).toBe(normalize(needle));
          for (const offset of [start, end]) expect(whole.slice(offset - 1, offset + 1)).not.toBe('\r\n');
        }
        const starts = findMatches(whole, needle, 'all').map(({ start }) => normalize(whole.slice(0, start)));
        expect(starts.map(({ length }) => length)).toEqual(findOccurrences(normalize(whole), normalize(needle)));
      }),
      { numRuns: 700 },
    );
  });

  it('finds every occurrence, including overlapping ones', () => {
    fc.assert(
      fc.property(text, text, (whole, needle) => {
        const naive: number[] = [];
        for (let index = 0; needle !== '' && index < whole.length; index += 1) {
          if (whole.startsWith(needle, index)) naive.push(index);
        }
        expect(findOccurrences(whole, needle)).toEqual(naive);
      }),
      { numRuns: 700 },
    );
  });

  it('keeping line endings changes nothing else (S10)', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom('\n' as const, '\r\n' as const), (old, newText, dominant) => {
        const result = keepLineEndings(old, newText, dominant);
        expect(result.replaceAll('\r\n', '\n')).toBe(newText.replaceAll('\r\n', '\n'));
      }),
      { numRuns: 400 },
    );
  });
});

describe('several edits of one file', () => {
  const line = fc.constantFrom('a', 'b', 'c', 'ab', '');
  const part = fc.constantFrom('a', 'b', 'a\n', '\nb', 'b\nc', 'x', '');
  const request = fc.record({ oldString: part, newString: part, replaceAll: fc.boolean() });

  it('come to the same text as one after the other (S145)', () => {
    let made = 0;
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.array(request, { minLength: 2, maxLength: 5 }),
        (lines, edits) => {
          const before = lines.map((one) => `${one}\n`).join('');
          const built = buildEdit({ path: 'a', repositoryName: 'shop', file: stored(before), edits });
          if (built.kind === 'refused' || built.change.region === null) return;
          made += 1;
          expect(applyRegion(before, built.change.region)).toBe(edits.reduce(after, before));
        },
      ),
      { numRuns: 500 },
    );
    expect(made).toBeGreaterThan(10);
  });

  function after(before: string, { oldString, newString, replaceAll }: EditRequest): string {
    return edited(before, oldString, newString, replaceAll);
  }

  it('share a place if the lines between them are shown with both (S93)', () => {
    const placeCount = (gap: number) => {
      const file = stored(`a\n${'x\n'.repeat(gap)}b\n`);
      const edits = ['a', 'b'].map((oldString) => ({ oldString, newString: 'c', replaceAll: false }));
      return changeOf(buildEdit({ path: 'a', repositoryName: 'shop', file, edits })).placeCount;
    };
    expect([placeCount(0), placeCount(6), placeCount(7)]).toEqual([1, 1, 2]);
  });

  it('cannot take away the signs of a secret and then quote it (S145)', () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const file = stored(`token = "${secret}"\nnext\n`);
    const edits = [
      { oldString: 'token', newString: 'other', replaceAll: false },
      { oldString: 'nxt', newString: 'x', replaceAll: false },
    ];
    const built = buildEdit({ path: 'a', repositoryName: 'shop', file, edits });
    expect(built).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(built)).not.toContain(secret);
  });
});

describe('an edit of a large file', () => {
  const length = 200_000;
  // A quadratic search would take ten times as long. The benchmark measures the exact times.
  it.each([
    ['one character repeated', 'a'.repeat(length), `b${'a'.repeat(length / 2)}`, 0],
    ['a periodic text', 'ab'.repeat(length / 2), `${'ab'.repeat(length / 4)}c`, 0],
    ['half of a run', 'a'.repeat(length), 'a'.repeat(length / 2), length / 2 + 1],
    ['many short lines', 'x\n'.repeat(length / 2), `${'x\n'.repeat(1000)}y`, 0],
    ['empty lines', '\n'.repeat(length), `${'\n'.repeat(length / 2)} `, 0],
    ['one long line, every character', 'a'.repeat(length), 'a', length],
  ])('is never quadratic: %s (E13)', (_, whole, needle, times) => {
    const search = () => {
      expect(findMatches(whole, needle, 'all')).toHaveLength(times);
      expect(edit(whole, needle, 'z', true).kind).toBe(times === 0 ? 'refused' : 'edited');
    };
    expect(cpuSeconds(search)).toBeLessThan(5);
  });
});
