import { describe, expect, it } from 'vitest';
import { toVisibleJson } from '../../../src/cli/json.ts';

describe('JSON of hostile text', () => {
  it.each(['\u009B31mred', '\u007F', '\u202Eevil', 'a\\\u200Bb', '"\r\n', '\u{E0001}', '\uD800', '\u2028', '👩‍👩‍👧 é'])(
    '%j is read as the same, and none of it reaches a terminal',
    (text) => {
      const json = toVisibleJson({ [text]: [text] });
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
      expect(json).not.toMatch(/[\p{Cc}\u200B\u202E\u2028\u{E0001}]/u);
    },
  );

  it('is indented as asked', () => {
    expect(toVisibleJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
  });
});
