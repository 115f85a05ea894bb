import { describe, expect, it } from 'vitest';
import { parseCompletion } from '../../../../src/adapters/model/chat-wire.ts';
import { areArgumentsBroken } from '../../../../src/adapters/model/read-answer.ts';

function contentOf(content: string | null, refusal: string | null = null): string {
  return parseCompletion({ choices: [{ message: { content, refusal } }], usage: {} }).content ?? 'no reply';
}

describe('parseCompletion', () => {
  it('keeps up to 200,000 characters of content', () => {
    const words = 'a'.repeat(200_000);
    expect(contentOf(words)).toBe(words);
  });

  it('rejects a response with more than 1,000 calls', () => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `c${index}`, function: { name: 'x', arguments: '{}' } }));
    const read = (count: number) =>
      parseCompletion({ choices: [{ message: { tool_calls: calls(count) } }], usage: {} });
    expect(read(1_000).toolCalls).toHaveLength(1_000);
    expect(() => read(1_001)).toThrow('another form');
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

  it('R55: keeps the first 1,000 characters of a longer name (X19)', () => {
    const read = (length: number) => callOf({ name: 'x'.repeat(length) }).toolCalls.map(({ name }) => name.length);
    expect([read(1_000), read(1_001)]).toEqual([[1_000], [1_000]]);
  });

  it.each([
    ['an object', (length: number) => JSON.stringify({ path: 'p'.repeat(length - 11) })],
    ['an object and blanks', (length: number) => `{}${' '.repeat(length - 2)}`],
  ])('keeps arguments of 4,000,000 characters, and of longer ones the beginning (X19): %s', (_, text) => {
    const read = (length: number) => callOf({ arguments: text(length) }).toolCalls[0]?.arguments ?? '';
    expect(read(4_000_000)).toBe(text(4_000_000));
    const kept = read(4_000_001);
    expect(kept.slice(0, 200)).toBe(text(4_000_001).slice(0, 200));
    expect(kept.slice(200)).toBe(' (cut here: the arguments had 4000001 characters, at most 4000000 are read)');
    expect(areArgumentsBroken(kept)).toBe(true);
  });
});

function callOf(written: { name?: string; arguments?: string }) {
  const call = { id: 'one', type: 'function', function: { name: 'read_file', arguments: '{}', ...written } };
  return parseCompletion({ choices: [{ message: { tool_calls: [call] } }], usage: {} });
}
