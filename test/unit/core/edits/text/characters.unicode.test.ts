import { describe, expect, it } from 'vitest';
import {
  escapeHiddenCharacters,
  escapeHiddenInJson,
  fenceFor,
  findHiddenCharacters,
} from '../../../../../src/core/edits/text/characters.ts';

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

  it('R31: every emoji can have a style (S35)', () => {
    let emoji = 0;
    for (let point = 0x80; point <= 0x1ffff; point += 1) {
      const character = String.fromCodePoint(point);
      if (!/\p{Emoji}/u.test(character)) continue;
      emoji += 1;
      for (const style of ['\uFE0E', '\uFE0F'])
        expect(findHiddenCharacters(`a ${character}${style} b`), point.toString(16)).toEqual([]);
    }
    expect(emoji).toBeGreaterThan(1_300);
  });

  it('styles and joiners of emoji are hidden characters outside an emoji (S35)', () => {
    for (const text of ['x1\u{FE0F}', '#\u{FE0F} a', 'a\u{200D}b', '1\u{200D}2', 'a\u{AD}b', 'a\u{2800}b', 'a\rb'])
      expect(findHiddenCharacters(text)).toHaveLength(1);
  });

  it.each([
    ['a joiner between signs', 'a\u{200D}\u{200D}b', ['200D', '200D']],
    ['the style of a letter', 'x\u{FE0F}', ['FE0F']],
    ['the style of an arrow that is no emoji', '➔\u{FE0F}', ['FE0F']],
    ['the style of text', '©\u{FE0E}', []],
    ['joiners beside joining letters', 'می\u{200C}خواهم क्\u{200D}ष', []],
    ['joiners beside Latin letters', 'a\u{200C}b', ['200C']],
    ['an unassigned character', 'a\u0378', ['378']],
    ['a noncharacter', 'a\u{1FFFF}', ['1FFFF']],
    ['private use, which is drawn', '\uE000', []],
    ['the signs of Arabic verses', '\u06DD', []],
  ])('%s (X1)', (_, text, hidden) => {
    expect(findHiddenCharacters(text).map(({ codePoint }) => codePoint.toString(16).toUpperCase())).toEqual(hidden);
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
