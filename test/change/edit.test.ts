import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdit } from '../../src/change/edit.ts';
import { dominantEnding, keepEndings } from '../../src/change/endings.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { countMatches, findable, findMatches, type Match, matchesApart } from '../../src/change/match.ts';
import { applyDiff } from './apply-diff.ts';
import { findText } from './find-text.ts';
import { editOf, rewrite, shownDiff } from './samples.ts';

function edit(text: string, oldString: string, newString: string, replaceAll = false) {
  return applyEdit(lineTable(text), { oldString, newString, replaceAll });
}

function edited(text: string, oldString: string, newString: string, replaceAll = false): string {
  const result = edit(text, oldString, newString, replaceAll);
  if (result.kind !== 'edited') throw new Error(result.kind);
  return rewrite(text, result.whole);
}

describe('applyEdit', () => {
  it('S2: exactly one occurrence is replaced', () => {
    expect(edited('one\ntwo\nthree\n', 'two', '2')).toBe('one\n2\nthree\n');
    expect(edit('one\ntwo\nthree\n', 'two', '2')).toMatchObject({
      kind: 'edited',
      matches: 1,
      firstLine: 2,
      lastLine: 2,
    });
  });

  it('S3: an empty new_string deletes', () => {
    expect(edited('one\ntwo\nthree\n', 'two\n', '')).toBe('one\nthree\n');
  });

  it('S4, E13: several occurrences are counted with their lines and nothing is replaced', () => {
    expect(edit('a\nb\na\nb\na', 'a', 'c')).toEqual({ kind: 'not-unique', matches: 3, lines: [1, 3, 5] });
  });

  it('S4, E13: occurrences that overlap are not unique either', () => {
    expect(edit('aaa', 'aa', 'b')).toMatchObject({ kind: 'not-unique', matches: 2 });
  });

  it('S5, E13: says what resembles a text that is not there, and where', () => {
    const result = edit('let total = 0\nlet other = 1\n', 'let totl = 0', 'x');
    expect(result).toMatchObject({ kind: 'not-found', fileLines: 2, alreadyPresent: null });
    expect(result.kind === 'not-found' && result.suggestions[0]).toMatchObject({ text: 'let total = 0', line: 1 });
  });

  it('S5: finds lines that differ in white space only', () => {
    const result = edit('if (a) {\n\treturn  1;\n}\n', 'if (a) {\n    return 1;\n}', 'x');
    expect(result.kind === 'not-found' && result.suggestions).toEqual([
      { text: 'if (a) {\n\treturn  1;\n}', line: 1, similarity: 1 },
    ]);
  });

  it('S5: says when the new text is there already; K16: nothing resembling, no suggestion', () => {
    expect(edit('x\nnew text\n', 'qqqqqqqq', 'new text')).toEqual({
      kind: 'not-found',
      fileLines: 2,
      suggestions: [],
      alreadyPresent: 2,
    });
  });

  it('S6: replace_all replaces every non-overlapping occurrence', () => {
    expect(edited('aaaa\nb\na', 'aa', 'c', true)).toBe('cc\nb\na');
    expect(edit('aaaa\nb\na', 'aa', 'c', true)).toMatchObject({ matches: 2, firstLine: 1 });
  });

  it('S7: no change is no edit', () => {
    expect(edit('a', 'a', 'a').kind).toBe('no-change');
    expect(edit('a\r\nb\r\n', 'a\n', 'a\r\n').kind).toBe('no-change');
  });

  it('S8, E13: an empty old_string is an error of its own', () => {
    expect(edit('a', '', 'b').kind).toBe('empty-old');
  });

  it.each(['$&', '$1', '$`', "$'", '$$', '\\1'])('S9: replacement is literal: %s survives', (literal) => {
    expect(edited('a b c', 'b', literal)).toBe(`a ${literal} c`);
  });

  it('S10: matching ignores line endings and the file keeps its own', () => {
    expect(edited('a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc\r\n');
    expect(edited('a\nb\nc\n', 'a\r\nb', 'a\r\nx\r\nb')).toBe('a\nx\nb\nc\n');
  });

  it('S10, E11: in a mixed file a line that stays keeps its bytes, a new one gets the dominant ending', () => {
    const mixed = 'a\r\nb\nc\r\nd\r\n';
    expect(edited(mixed, 'a\nb\nc\n', 'a\nb\nnew\nc\n')).toBe('a\r\nb\nnew\r\nc\r\nd\r\n');
    expect(edited(mixed, 'b\nc\n', 'c\nb\n')).toBe('a\r\nc\r\nb\nd\r\n');
  });

  it('S10: a match that ends before a line ending leaves that ending alone', () => {
    expect(edited('a\r\nb\nc', 'a', 'z')).toBe('z\r\nb\nc');
    expect(edited('a\r\nb\nc', '\nb', '')).toBe('a\nc');
  });

  it('S11: a byte order mark is not matched and not lost', () => {
    expect(edited('\u{FEFF}a\nb\n', 'a\n', '')).toBe('\u{FEFF}b\n');
    expect(edited('\u{FEFF}a\nb\n', '\u{FEFF}a', '\u{FEFF}z')).toBe('\u{FEFF}z\nb\n');
    expect(edit('\u{FEFF}b\na\n', '\u{FEFF}a', 'z').kind).toBe('not-found');
  });

  it('S11: the state of the final newline is kept', () => {
    expect(edited('a\nb', 'b', 'c')).toBe('a\nc');
    expect(edited('a\nb\n', 'b', 'c')).toBe('a\nc\n');
  });

  it.each([
    ['‘a’', "'a'"],
    ['e\u{301}', 'é'],
    ['a  b', 'a b'],
    ['A', 'a'],
  ])('S11, S12: nothing else is folded: %j is not %j', (text, sought) => {
    expect(edit(text, sought, 'x').kind).toBe('not-found');
  });

  it('S93: matches on the same or neighbouring lines are one place, others several', () => {
    const places = (text: string) => {
      const result = edit(text, 'a', 'b', true);
      return result.kind === 'edited' ? result.places.length : 0;
    };
    expect(places('a a\n')).toBe(1);
    expect(places('a\na\n')).toBe(1);
    expect(places('a\nx\na\n')).toBe(2);
  });

  it.each([
    ['\na\na\nb\n\n\na\n', 'aaba'],
    ['b\n\na\n', 'ba'],
    ['b\r\n\r\na\r\n', 'ba'],
  ])('S18, S23: line ends that all go, blank lines among them, are one place: %j', (text, joined) => {
    expect(edit(text, '\n', '', true)).toMatchObject({ places: [{ start: 0, end: text.length, text: joined }] });
    expect(applyDiff(text, shownDiff(editOf(text, '\n', '', true)))).toBe(joined);
  });
});

const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\r', '\u{FEFF}', '😀', '');
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

/** Each match replaced one after the other, the last one first. */
function replacedByHand(whole: string, matches: readonly Match[], fresh: string): string {
  const text = whole.startsWith('\u{FEFF}') && fresh.startsWith('\u{FEFF}') ? fresh.slice(1) : fresh;
  let after = whole;
  for (const { start, end } of matches.toReversed()) {
    const kept = keepEndings(whole.slice(start, end), text, dominantEnding(whole));
    after = after.slice(0, start) + kept + after.slice(end);
  }
  return after;
}

describe('applyEdit, whatever the text', () => {
  it('S10, S11, E11: bytes outside the match never change', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, sought, tail, fresh) => {
        const result = edit(head + sought + tail, sought, fresh);
        if (result.kind !== 'edited') return;
        const [match] = findMatches(findable(head + sought + tail), sought, 1);
        const { start, end } = match ?? { start: 0, end: 0 };
        const whole = head + sought + tail;
        const after = rewrite(whole, result.whole);
        expect(after.startsWith(whole.slice(0, start))).toBe(true);
        expect(after.endsWith(whole.slice(end))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('S6: with LF alone it does what splitting and joining does', () => {
    const plain = text.map((value) => value.replaceAll('\r', '').replaceAll('\u{FEFF}', ''));
    fc.assert(
      fc.property(plain, plain, plain, (whole, sought, fresh) => {
        const expected = whole.split(sought).join(fresh);
        const result = edit(whole, sought, fresh, true);
        if (sought === '' || expected === whole) expect(result.kind).not.toBe('edited');
        else {
          expect(result).toMatchObject({ kind: 'edited', matches: whole.split(sought).length - 1 });
          expect(edited(whole, sought, fresh, true)).toBe(expected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('places rebuild the edited text, and hold every match and the least whole lines around it', () => {
    fc.assert(
      fc.property(text, text, text, (whole, sought, fresh) => {
        const result = edit(whole, sought, fresh, true);
        const matches = matchesApart(findable(whole), sought, Number.POSITIVE_INFINITY);
        const after = replacedByHand(whole, matches, fresh);
        if (result.kind !== 'edited') {
          if (matches.length > 0) expect(after).toBe(whole);
          return;
        }
        let rebuilt = '';
        let offset = 0;
        for (const place of result.places) {
          expect(place.start === 0 || whole[place.start - 1] === '\n').toBe(true);
          expect(place.end === whole.length || whole[place.end - 1] === '\n').toBe(true);
          expect(place.end === whole.length || /^$|\n$/.test(place.text)).toBe(true);
          rebuilt += whole.slice(offset, place.start) + place.text;
          offset = place.end;
        }
        expect(rebuilt + whole.slice(offset)).toBe(after);
        expect(rewrite(whole, result.whole)).toBe(after);
        for (const { start, end } of matches) {
          expect(result.places.filter((place) => place.start <= start && end <= place.end)).toHaveLength(1);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('S10: what is found without CRs stands there with them', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 4 }), (whole, sought, most) => {
        fc.pre(!`${whole}${sought}`.includes('\u{FEFF}'));
        const fold = (part: string): string => part.replaceAll('\r\n', '\n');
        for (const { start, end } of findMatches(findable(whole), sought, most)) {
          expect(fold(whole.slice(start, end))).toBe(fold(sought));
          for (const offset of [start, end]) expect(whole.slice(offset - 1, offset + 1)).not.toBe('\r\n');
        }
        const starts = findMatches(findable(whole), sought, Number.POSITIVE_INFINITY).map(({ start }) =>
          fold(whole.slice(0, start)),
        );
        expect(starts.map(({ length }) => length)).toEqual(findText(fold(whole), fold(sought)));
      }),
      { numRuns: 2000 },
    );
  });

  it('finds every occurrence, overlapping ones too', () => {
    fc.assert(
      fc.property(text, text, (whole, sought) => {
        const naive: number[] = [];
        for (let index = 0; sought !== '' && index < whole.length; index += 1) {
          if (whole.startsWith(sought, index)) naive.push(index);
        }
        expect(findText(whole, sought)).toEqual(naive);
      }),
      { numRuns: 2000 },
    );
  });

  it('S10: kept endings change nothing but endings', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom('\n' as const, '\r\n' as const), (old, fresh, dominant) => {
        const kept = keepEndings(old, fresh, dominant);
        expect(kept.replaceAll('\r\n', '\n')).toBe(fresh.replaceAll('\r\n', '\n'));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('applyEdit on large files', () => {
  it('B16: more replacements than anybody could review are not made', () => {
    expect(edit('a'.repeat(50_001), 'a', 'b', true)).toEqual({ kind: 'too-many', most: 50_000 });
    expect(edit('a'.repeat(50_000), 'a', 'b', true).kind).toBe('edited');
  });

  const letters = 600_000;
  // How long each takes is a row of the benchmark; the product of both lengths would take minutes.
  it.each([
    ['one letter repeated', 'a'.repeat(letters), `b${'a'.repeat(letters / 2)}`, 0],
    ['a periodic text', 'ab'.repeat(letters / 2), `${'ab'.repeat(letters / 4)}c`, 0],
    ['half of a run', 'a'.repeat(letters), 'a'.repeat(letters / 2), letters / 2 + 1],
    ['many short lines', 'x\n'.repeat(letters / 2), `${'x\n'.repeat(1000)}y`, 0],
    ['blank lines', '\n'.repeat(letters), `${'\n'.repeat(letters / 2)} `, 0],
    ['one long line, every letter', 'a'.repeat(letters), 'a', letters],
  ])('E13: never quadratic: %s', (_, whole, sought, times) => {
    expect(countMatches(findable(whole), sought, 0, letters)).toEqual({ matches: [], count: times });
    expect(countMatches(findable(whole), sought, 0, 100)).toEqual({ matches: [], count: Math.min(times, 101) });
    expect(edit(whole, sought, 'z', true).kind).toBe(
      times === 0 ? 'not-found' : times === letters ? 'too-many' : 'edited',
    );
  });
});
