import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdit } from '../../../../../src/core/edits/build/apply-edit.ts';
import {
  countMatches,
  createSearchableText,
  findMatches,
  findNonOverlappingMatches,
  type TextMatch,
} from '../../../../../src/core/edits/text/find-text.ts';
import { dominantLineEnding, keepLineEndings } from '../../../../../src/core/edits/text/line-endings.ts';
import { createLineTable } from '../../../../../src/core/edits/text/line-table.ts';
import { applyDiff } from '../apply-diff.ts';
import { findOccurrences } from '../occurrences.ts';
import { editOf, rewrite, shownDiff } from '../samples.ts';

function edit(text: string, oldString: string, newString: string, replaceAll = false) {
  return applyEdit(createLineTable(text), { oldString, newString, replaceAll });
}

function edited(text: string, oldString: string, newString: string, replaceAll = false): string {
  const result = edit(text, oldString, newString, replaceAll);
  if (result.kind !== 'edited') throw new Error(result.kind);
  return rewrite(text, result.combinedSpan);
}

describe('applyEdit', () => {
  it('replaces the only occurrence (S2)', () => {
    expect(edited('one\ntwo\nthree\n', 'two', '2')).toBe('one\n2\nthree\n');
    expect(edit('one\ntwo\nthree\n', 'two', '2')).toMatchObject({
      kind: 'edited',
      matches: 1,
      firstLine: 2,
      lastLine: 2,
    });
  });

  it('an empty new_string deletes (S3)', () => {
    expect(edited('one\ntwo\nthree\n', 'two\n', '')).toBe('one\nthree\n');
  });

  it('counts several occurrences with their lines and replaces nothing (S4, E13)', () => {
    expect(edit('a\nb\na\nb\na', 'a', 'c')).toEqual({ kind: 'not-unique', matches: 3, lines: [1, 3, 5] });
  });

  it('overlapping occurrences are not unique (S4, E13)', () => {
    expect(edit('aaa', 'aa', 'b')).toMatchObject({ kind: 'not-unique', matches: 2 });
  });

  it('suggests similar text with its line for a missing text (S5, E13)', () => {
    const result = edit('let total = 0\nlet other = 1\n', 'let totl = 0', 'x');
    expect(result).toMatchObject({ kind: 'not-found', fileLines: 2, alreadyPresent: null });
    expect(result.kind === 'not-found' && result.suggestions[0]).toMatchObject({ text: 'let total = 0', line: 1 });
  });

  it('suggests lines that differ only in white space (S5)', () => {
    const result = edit('if (a) {\n\treturn  1;\n}\n', 'if (a) {\n    return 1;\n}', 'x');
    expect(result.kind === 'not-found' && result.suggestions).toEqual([
      { text: 'if (a) {\n\treturn  1;\n}', line: 1, similarity: 1 },
    ]);
  });

  it('reports that the new text is already present, without suggestions if nothing is similar (S5, K16)', () => {
    expect(edit('x\nnew text\n', 'qqqqqqqq', 'new text')).toEqual({
      kind: 'not-found',
      fileLines: 2,
      suggestions: [],
      hasSecrets: false,
      alreadyPresent: 2,
    });
  });

  it('replace_all replaces every non-overlapping occurrence (S6)', () => {
    expect(edited('aaaa\nb\na', 'aa', 'c', true)).toBe('cc\nb\na');
    expect(edit('aaaa\nb\na', 'aa', 'c', true)).toMatchObject({ matches: 2, firstLine: 1 });
  });

  it('rejects an edit without a change (S7)', () => {
    expect(edit('a', 'a', 'a').kind).toBe('no-change');
    expect(edit('a\r\nb\r\n', 'a\n', 'a\r\n').kind).toBe('no-change');
  });

  it('an empty old_string has its own error (S8, E13)', () => {
    expect(edit('a', '', 'b').kind).toBe('empty-old-string');
  });

  it.each(['$&', '$1', '$`', "$'", '$$', '\\1'])('replacement is literal: %s survives (S9)', (literal) => {
    expect(edited('a b c', 'b', literal)).toBe(`a ${literal} c`);
  });

  it('matching ignores line endings and the file keeps its own (S10)', () => {
    expect(edited('a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc\r\n');
    expect(edited('a\nb\nc\n', 'a\r\nb', 'a\r\nx\r\nb')).toBe('a\nx\nb\nc\n');
  });

  it('in a mixed file unchanged lines keep their bytes and new lines get the dominant ending (S10, E11)', () => {
    const mixed = 'a\r\nb\nc\r\nd\r\n';
    expect(edited(mixed, 'a\nb\nc\n', 'a\nb\nnew\nc\n')).toBe('a\r\nb\nnew\r\nc\r\nd\r\n');
    expect(edited(mixed, 'b\nc\n', 'c\nb\n')).toBe('a\r\nc\r\nb\nd\r\n');
  });

  it('a match that ends before a line ending keeps that ending (S10)', () => {
    expect(edited('a\r\nb\nc', 'a', 'z')).toBe('z\r\nb\nc');
    expect(edited('a\r\nb\nc', '\nb', '')).toBe('a\nc');
  });

  it('a byte order mark is ignored and preserved (S11)', () => {
    expect(edited('\u{FEFF}a\nb\n', 'a\n', '')).toBe('\u{FEFF}b\n');
    expect(edited('\u{FEFF}a\nb\n', '\u{FEFF}a', '\u{FEFF}z')).toBe('\u{FEFF}z\nb\n');
    expect(edit('\u{FEFF}b\na\n', '\u{FEFF}a', 'z').kind).toBe('not-found');
  });

  it('preserves a missing final newline (S11)', () => {
    expect(edited('a\nb', 'b', 'c')).toBe('a\nc');
    expect(edited('a\nb\n', 'b', 'c')).toBe('a\nc\n');
  });

  it.each([
    ['‘a’', "'a'"],
    ['e\u{301}', 'é'],
    ['a  b', 'a b'],
    ['A', 'a'],
  ])('nothing else is normalized: %j is not %j (S11, S12)', (text, needle) => {
    expect(edit(text, needle, 'x').kind).toBe('not-found');
  });

  it('matches on the same or adjacent lines share a span (S93)', () => {
    const countSpans = (text: string) => {
      const result = edit(text, 'a', 'b', true);
      return result.kind === 'edited' ? result.spans.length : 0;
    };
    expect(countSpans('a a\n')).toBe(1);
    expect(countSpans('a\na\n')).toBe(1);
    expect(countSpans('a\nx\na\n')).toBe(2);
  });

  it.each([
    ['\na\na\nb\n\n\na\n', 'aaba'],
    ['b\n\na\n', 'ba'],
    ['b\r\n\r\na\r\n', 'ba'],
  ])('removed line endings, including empty lines, share a span: %j (S18, S23)', (text, joined) => {
    expect(edit(text, '\n', '', true)).toMatchObject({ spans: [{ start: 0, end: text.length, text: joined }] });
    expect(applyDiff(text, shownDiff(editOf(text, '\n', '', true)))).toBe(joined);
  });
});

const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\r', '\u{FEFF}', '😀', '');

const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

/** Replaces the matches one by one, the last one first. */
function replaceOneByOne(whole: string, matches: readonly TextMatch[], newText: string): string {
  const text = whole.startsWith('\u{FEFF}') && newText.startsWith('\u{FEFF}') ? newText.slice(1) : newText;
  let after = whole;
  for (const { start, end } of matches.toReversed()) {
    const replacement = keepLineEndings(whole.slice(start, end), text, dominantLineEnding(whole));
    after = after.slice(0, start) + replacement + after.slice(end);
  }
  return after;
}

describe('applyEdit on any text', () => {
  it('bytes outside the match never change (S10, S11, E11)', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, needle, tail, newText) => {
        const result = edit(head + needle + tail, needle, newText);
        if (result.kind !== 'edited') return;
        const [match] = findMatches(createSearchableText(head + needle + tail), needle, 1);
        const { start, end } = match ?? { start: 0, end: 0 };
        const whole = head + needle + tail;
        const after = rewrite(whole, result.combinedSpan);
        expect(after.startsWith(whole.slice(0, start))).toBe(true);
        expect(after.endsWith(whole.slice(end))).toBe(true);
      }),
      { numRuns: 3000 },
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
          expect(result).toMatchObject({ kind: 'edited', matches: whole.split(needle).length - 1 });
          expect(edited(whole, needle, newText, true)).toBe(expected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('spans rebuild the edited text and hold each match with the fewest whole lines around it', () => {
    fc.assert(
      fc.property(text, text, text, (whole, needle, newText) => {
        const result = edit(whole, needle, newText, true);
        const matches = findNonOverlappingMatches(createSearchableText(whole), needle, Number.POSITIVE_INFINITY);
        const after = replaceOneByOne(whole, matches, newText);
        if (result.kind !== 'edited') {
          if (matches.length > 0) expect(after).toBe(whole);
          return;
        }
        let rebuilt = '';
        let offset = 0;
        for (const span of result.spans) {
          expect(span.start === 0 || whole[span.start - 1] === '\n').toBe(true);
          expect(span.end === whole.length || whole[span.end - 1] === '\n').toBe(true);
          expect(span.end === whole.length || /^$|\n$/.test(span.text)).toBe(true);
          rebuilt += whole.slice(offset, span.start) + span.text;
          offset = span.end;
        }
        expect(rebuilt + whole.slice(offset)).toBe(after);
        expect(rewrite(whole, result.combinedSpan)).toBe(after);
        for (const { start, end } of matches) {
          expect(result.spans.filter((span) => span.start <= start && end <= span.end)).toHaveLength(1);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('matches ignore the CR of CRLF and never split one (S10)', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 4 }), (whole, needle, max) => {
        fc.pre(!`${whole}${needle}`.includes('\u{FEFF}'));
        const normalize = (part: string): string => part.replaceAll('\r\n', '\n');
        for (const { start, end } of findMatches(createSearchableText(whole), needle, max)) {
          expect(normalize(whole.slice(start, end))).toBe(normalize(needle));
          for (const offset of [start, end]) expect(whole.slice(offset - 1, offset + 1)).not.toBe('\r\n');
        }
        const starts = findMatches(createSearchableText(whole), needle, Number.POSITIVE_INFINITY).map(({ start }) =>
          normalize(whole.slice(0, start)),
        );
        expect(starts.map(({ length }) => length)).toEqual(findOccurrences(normalize(whole), normalize(needle)));
      }),
      { numRuns: 2000 },
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
      { numRuns: 2000 },
    );
  });

  it('keeping line endings changes nothing else (S10)', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom('\n' as const, '\r\n' as const), (old, newText, dominant) => {
        const result = keepLineEndings(old, newText, dominant);
        expect(result.replaceAll('\r\n', '\n')).toBe(newText.replaceAll('\r\n', '\n'));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('applyEdit on large files', () => {
  it('refuses more replacements than can be reviewed (B16)', () => {
    expect(edit('a'.repeat(50_001), 'a', 'b', true)).toEqual({ kind: 'too-many-matches', max: 50_000 });
    expect(edit('a'.repeat(50_000), 'a', 'b', true).kind).toBe('edited');
  });

  const length = 600_000;
  // A quadratic search would take minutes. The benchmark measures the exact times.
  it.each([
    ['one character repeated', 'a'.repeat(length), `b${'a'.repeat(length / 2)}`, 0],
    ['a periodic text', 'ab'.repeat(length / 2), `${'ab'.repeat(length / 4)}c`, 0],
    ['half of a run', 'a'.repeat(length), 'a'.repeat(length / 2), length / 2 + 1],
    ['many short lines', 'x\n'.repeat(length / 2), `${'x\n'.repeat(1000)}y`, 0],
    ['empty lines', '\n'.repeat(length), `${'\n'.repeat(length / 2)} `, 0],
    ['one long line, every character', 'a'.repeat(length), 'a', length],
  ])('never quadratic: %s (E13)', (_, whole, needle, times) => {
    expect(countMatches(createSearchableText(whole), needle, 0, length)).toEqual({ matches: [], count: times });
    expect(countMatches(createSearchableText(whole), needle, 0, 100)).toEqual({
      matches: [],
      count: Math.min(times, 101),
    });
    expect(edit(whole, needle, 'z', true).kind).toBe(
      times === 0 ? 'not-found' : times === length ? 'too-many-matches' : 'edited',
    );
  });
});
