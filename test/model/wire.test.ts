import { describe, expect, it } from 'vitest';
import { readReply } from '../../src/model/wire.ts';

function contentOf(content: string | null, refusal: string | null = null): string {
  return readReply({ choices: [{ message: { content, refusal } }], usage: {} })?.content ?? 'no reply';
}

describe('readReply', () => {
  it('keeps words as they are up to 200,000 characters', () => {
    const words = 'a'.repeat(200_000);
    expect(contentOf(words)).toBe(words);
  });

  it('takes no answer of more than 1,000 calls', () => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `c${index}`, function: { name: 'x', arguments: '{}' } }));
    const read = (count: number) => readReply({ choices: [{ message: { tool_calls: calls(count) } }], usage: {} });
    expect(read(1_000)?.calls).toHaveLength(1_000);
    expect(read(1_001)).toBeNull();
  });

  it.each([
    ['an answer', (words: string) => contentOf(words)],
    ['a refusal', (words: string) => contentOf(null, words)],
  ])('cuts %s that is longer, with a note, and no letter in two', (_, read) => {
    const kept = read(`${'a'.repeat(199_999)}\u{1F600}${'b'.repeat(300_000)}`);
    expect(kept.length).toBeLessThan(200_100);
    expect(kept).toMatch(/^a{199999}\n\n\(cut here: the answer had 500001 characters\)$/);
    expect(kept.isWellFormed()).toBe(true);
  });
});
