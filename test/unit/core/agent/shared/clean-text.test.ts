import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, cutText } from '../../../../../src/core/agent/shared/clean-text.ts';
import { byteLength, findHiddenCharacters } from '../../../../../src/core/edits/text/characters.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { hostileText } from '../../messages/hostile-text.ts';

describe('a person’s text', () => {
  it.each([
    ['use\u200B it <!-- secretly --> now', 'use it  now'],
    ['<!-- a\nb -->\nuse it', 'use it'],
    ['a\n<!-- b\nc', 'a'],
    ['a <!-- b\nc --> d', 'a \n d'],
    ['<!--\n```\nx\n```\n-->\na', 'a'],
    ['``a ` <!-- b --> `` <!-- c -->d', '``a ` <!-- b --> `` d'],
    ['` a <!-- b --> c', '` a  c'],
    ['a \\` <!-- b --> \\` c', 'a \\`  \\` c'],
    ['a <!-- b --><!-- c --> d', 'a  d'],
    ['a <!-- b\n<!-- c', 'a <!-- b'],
  ])('of %j the agent reads %j (D2)', (text, shown) => expect(cleanText(text)).toBe(shown));

  it.each([
    'replace `<!-- a -->` by\n```\n<!-- b -->\n```\n👩‍👩‍👧',
    '~~~\n<!-- a -->\n```\n<!-- b -->',
    '1. Add this:\n\n   ```html\n   <!-- a -->\n   ```\n',
    '> ```\n> <!-- a -->\n> ```',
    'a \\<!-- b -->',
    'a <!-- b',
  ])('%j stays as it is, because people see all of it (D2)', (text) => expect(cleanText(text)).toBe(text.trim()));

  it('is cleaned in linear time (H12)', () => {
    const clean = () => {
      for (const piece of [
        ...['[', '*a', '`', '``` ', '` ', '> ', '<!--', '<!-- x -->', '-->', '\n<!--', 'a <!--\n', '~~~\n', '`\n'],
        ...['\\`', '> ~~~\n'],
      ])
        cleanText(`${piece.repeat(Math.floor(65_000 / piece.length))}<!--`);
    };
    expect(cpuSeconds(clean)).toBeLessThan(8);
  });

  it('contains nothing hidden afterwards (D2)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(findHiddenCharacters(cleanText(text).replaceAll('\r', ''))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a text that is too long', () => {
  it('keeps whole characters and says that it is cut', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 20, max: 200 }), (text, maxBytes) => {
        const cut = cutText(text, maxBytes);
        expect(byteLength(cut)).toBeLessThanOrEqual(Math.max(maxBytes, 0));
        expect(cut === text || cut.endsWith('… (cut)')).toBe(true);
        expect(cut.toWellFormed()).toBe(cut === text ? text.toWellFormed() : cut);
      }),
      { numRuns: 300 },
    );
  });
});
