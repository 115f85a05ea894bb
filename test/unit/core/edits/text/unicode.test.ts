import { describe, expect, it } from 'vitest';
import {
  escapeHiddenCharacters,
  escapeHiddenInJson,
  fenceFor,
  findHiddenCharacters,
  stripHiddenAndCr,
} from '../../../../../src/core/edits/text/unicode.ts';

describe('hidden characters', () => {
  it('finds every ignorable character and direction control (C8)', () => {
    let points = 0;
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      if (!/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(character)) continue;
      points += 1;
      if (findHiddenCharacters(`ab${character}`).length !== 1) throw new Error(point.toString(16));
    }
    expect(points).toBeGreaterThan(4000);
  });

  it('reports the line and escapes the character (S35)', () => {
    expect(findHiddenCharacters('a\nb\u{202E}\n\u{E0041}')).toMatchObject([
      { codePoint: 0x202e, line: 2 },
      { codePoint: 0xe0041, line: 3 },
    ]);
    expect(escapeHiddenCharacters('a\u{202E}b\u{E0041}c\u{0}')).toBe('a\\u{202E}b\\u{E0041}c\\u{0}');
  });

  it.each([
    ...['👩‍👩‍👧', '❤️', '1️⃣', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👩🏽‍❤️‍💋‍👩🏿', '❤\u{200D}🔥', '🧑🏽\u{200D}⚕', '👁\u{FE0F}\u{200D}🗨'],
    ...['a\tb\r\nc', 'é'],
  ])('%j has none (S35)', (text) => {
    expect(findHiddenCharacters(text)).toEqual([]);
  });

  it('styles and joiners of emoji are hidden characters outside an emoji (S35)', () => {
    for (const text of ['x1\u{FE0F}', '#\u{FE0F} a', 'a\u{200D}b', '1\u{200D}2', 'a\u{AD}b', 'a\u{2800}b', 'a\rb'])
      expect(findHiddenCharacters(text)).toHaveLength(1);
  });

  it.each([
    ['a joiner between emoji that make no other one', 'let 🔑\u{200D}👤 = 1', ['200D']],
    ['a joiner between signs', "'©\u{200D}©\u{200D}©'", ['200D', '200D']],
    ['a joiner behind a joined emoji', '👩\u{200D}👩\u{200D}👧\u{200D}👦\u{200D}👦', ['200D']],
    ['the style of an emoji that always has a color', 'let 👑\u{FE0F} = 1', ['FE0F']],
    ['that style within joined emoji', '👩\u{FE0F}\u{200D}🔬', ['FE0F', '200D']],
    ['the style of text', '$owner©\u{FE0E} = 1', ['FE0E']],
    ['the style of an arrow that is no emoji', '➔\u{FE0F}', ['FE0F']],
  ])('%s draws nothing and is hidden (X1)', (_, text, hidden) => {
    expect(findHiddenCharacters(text).map(({ codePoint }) => codePoint.toString(16).toUpperCase())).toEqual(hidden);
  });

  it.each([
    ['a character that is drawn as nothing', '\u{1D159}'],
    ['a filler', '\u{16FE4}'],
    ['a blank', '\u{13441}'],
    ['a place for an object', '\uFFFC'],
    ['an unassigned character', '\u0378'],
    ['a noncharacter', '\u{1FFFF}'],
    ['private use', '\uE000'],
    ['private use of a higher plane', '\u{F0000}'],
  ])('%s is hidden (X1)', (_, character) => {
    expect(findHiddenCharacters(`a${character}b`)).toMatchObject([{ codePoint: character.codePointAt(0), offset: 1 }]);
  });

  it('more than four marks on one letter are hidden, and marks of ordinary words are not (X1)', () => {
    expect(findHiddenCharacters(`a${'\u0301'.repeat(60)}b`)).toHaveLength(56);
    expect(escapeHiddenCharacters(`a${'\u0301'.repeat(5)}`)).toBe(`a${'\u0301'.repeat(4)}\\u{301}`);
    expect(stripHiddenAndCr(`a${'\u0301'.repeat(4)}\u200B${'\u0301'.repeat(4)}`)).toBe(`a${'\u0301'.repeat(4)}`);
    for (const word of ['người'.normalize('NFD'), 'शब्दों', 'ကြွေး', 'བསྒྲུབས', 'בְּרֵאשִׁ֖ית', 'ที่นี่', 'مُحَمَّدٌ'])
      expect(findHiddenCharacters(word)).toEqual([]);
  });

  it('allows a byte order mark only at the start of a file (S35)', () => {
    expect(findHiddenCharacters('\u{FEFF}a', true)).toEqual([]);
    expect(findHiddenCharacters('\u{FEFF}a')).toHaveLength(1);
    expect(findHiddenCharacters('a\u{FEFF}', true)).toHaveLength(1);
  });
});

describe('JSON of hostile text', () => {
  it.each(['\u009B31mred', '\u007F', '\u202Eevil', 'a\\\u200Bb', '"\r\n', '\u{E0001}', '\uD800', '\u2028', '👩‍👩‍👧 é'])(
    '%j is read as the same, and none of it reaches a terminal',
    (text) => {
      const json = escapeHiddenInJson(JSON.stringify({ [text]: [text] }));
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
      expect(json).not.toMatch(/[\p{Cc}\u200B\u202E\u2028\u{E0001}]/u);
    },
  );

  it('keeps its indentation', () => {
    const json = JSON.stringify({ a: 1 }, null, 2);
    expect(escapeHiddenInJson(json)).toBe('{\n  "a": 1\n}');
  });
});

describe('fenceFor', () => {
  it('is longer than any run of backticks in the text (C1, S34)', () => {
    expect(fenceFor('a')).toBe('```');
    expect(fenceFor('a ```` b ``')).toBe('`````');
  });
});
