import { describe, expect, it } from 'vitest';
import { escapeHiddenCharacters, fenceFor, findHiddenCharacters } from '../../../../../src/core/edits/text/unicode.ts';

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

  it.each(['👩‍👩‍👧', '❤️', '1️⃣', '👍🏽', 'a\tb\r\nc', 'é'])('%j has none (S35)', (text) => {
    expect(findHiddenCharacters(text)).toEqual([]);
  });

  it('styles and joiners of emoji are hidden characters outside an emoji (S35)', () => {
    for (const text of ['x1\u{FE0F}', '#\u{FE0F} a', 'a\u{200D}b', '1\u{200D}2', 'a\u{AD}b', 'a\u{2800}b', 'a\rb'])
      expect(findHiddenCharacters(text)).toHaveLength(1);
  });

  it('allows a byte order mark only at the start of a file (S35)', () => {
    expect(findHiddenCharacters('\u{FEFF}a', true)).toEqual([]);
    expect(findHiddenCharacters('\u{FEFF}a')).toHaveLength(1);
    expect(findHiddenCharacters('a\u{FEFF}', true)).toHaveLength(1);
  });
});

describe('fenceFor', () => {
  it('is longer than any run of backticks in the text (C1, S34)', () => {
    expect(fenceFor('a')).toBe('```');
    expect(fenceFor('a ```` b ``')).toBe('`````');
  });
});
