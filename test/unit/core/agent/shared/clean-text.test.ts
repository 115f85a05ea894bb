import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, cutText } from '../../../../../src/core/agent/shared/clean-text.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import { findHiddenCharacters } from '../../../../../src/core/edits/text/unicode.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { hostileText } from '../../messages/hostile-text.ts';

describe('a person’s text', () => {
  it('loses everything invisible, and reports how much (D2)', () => {
    expect(cleanText('use\u200B it <!-- secretly --> now')).toEqual({ text: 'use it  now', removedCount: 2 });
    expect(cleanText('<!-- a\nb -->\nuse it')).toEqual({ text: 'use it', removedCount: 1 });
  });

  it('keeps code and emoji as they are (D2)', () => {
    const text = 'replace `<!-- a -->` by\n```\n<!-- b -->\n```\n👩‍👩‍👧';
    expect(cleanText(text)).toEqual({ text, removedCount: 0 });
  });

  it.each([
    ['a <!-- b', 'a <!-- b', 0],
    ['a\n<!-- b\nc', 'a', 1],
    ['a <!-- b\nc --> d', 'a \n d', 1],
    ['<!--\n```\nx\n```\n-->\na', 'a', 1],
    ['``a ` <!-- b --> `` <!-- c -->d', '``a ` <!-- b --> `` d', 1],
    ['` a <!-- b --> c', '` a  c', 1],
    ['~~~\n<!-- a -->\n```\n<!-- b -->', '~~~\n<!-- a -->\n```\n<!-- b -->', 0],
    ['a <!-- b --><!-- c --> d', 'a  d', 2],
  ])('of %j the agent reads %j (D2)', (text, shown, removedCount) =>
    expect(cleanText(text)).toEqual({ text: shown, removedCount }),
  );

  it('is cleaned in linear time (H12)', () => {
    const clean = () => {
      for (const piece of ['[', '*a', '`', '``` ', '` ', '> ', '<!--', '<!-- x -->', '-->', '\n<!--', '~~~\n', '`\n'])
        cleanText(`${piece.repeat(Math.floor(65_000 / piece.length))}<!--`);
    };
    expect(cpuSeconds(clean)).toBeLessThan(8);
  });

  it('contains nothing hidden afterwards (D2)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(findHiddenCharacters(cleanText(text).text.replaceAll('\r', ''))).toEqual([]);
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
