import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../../../src/adapters/model/wire-format.ts';

function contentOf(content: string | null, refusal: string | null = null): string {
  return parseResponse({ choices: [{ message: { content, refusal } }], usage: {} })?.content ?? 'no reply';
}

describe('readReply', () => {
  it('keeps up to 200,000 characters of content', () => {
    const words = 'a'.repeat(200_000);
    expect(contentOf(words)).toBe(words);
  });

  it('rejects a response with more than 1,000 calls', () => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `c${index}`, function: { name: 'x', arguments: '{}' } }));
    const read = (count: number) => parseResponse({ choices: [{ message: { tool_calls: calls(count) } }], usage: {} });
    expect(read(1_000)?.toolCalls).toHaveLength(1_000);
    expect(read(1_001)).toBeNull();
  });

  it.each([
    ['an answer', (words: string) => contentOf(words)],
    ['a refusal', (words: string) => contentOf(null, words)],
  ])('cuts %s that is longer, with a note, and splits no character', (_, read) => {
    const kept = read(`${'a'.repeat(199_999)}\u{1F600}${'b'.repeat(300_000)}`);
    expect(kept.length).toBeLessThan(200_100);
    expect(kept).toMatch(/^a{199999}\n\n\(cut here: the answer had 500001 characters\)$/);
    expect(kept.isWellFormed()).toBe(true);
  });
});
