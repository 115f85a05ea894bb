import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutSentences } from '../../../../../src/core/agent/shared/clean-text.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';

describe('a text that is cut by sentences', () => {
  it('keeps whole sentences of its start and its end', () => {
    const text = 'One is here. Two is longer than one. Three says more than both. So four it is.';
    expect(cutSentences(text, 100)).toBe(text);
    expect(cutSentences(text, 70)).toBe('One is here. Two is longer than one. … (cut) So four it is.');
  });

  it('is cut within its first sentence if that alone is too long', () => {
    expect(cutSentences('word '.repeat(50), 40)).toMatch(/^(?:word )+.*… \(cut\)$/);
  });

  it('fits, and begins as the text does', () => {
    const words = fc.constantFrom('A', 'few', 'words.', 'Ends!', '\n\n', '日本。', '`a.b`', '1.5', '?');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 80 }), fc.integer({ min: 20, max: 200 }), (all, maxBytes) => {
        const text = all.join(' ').trim();
        const cut = cutSentences(text, maxBytes);
        expect(byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(text.startsWith(cut.split('… (cut)')[0]?.trim() ?? '')).toBe(true);
      }),
    );
  });
});
