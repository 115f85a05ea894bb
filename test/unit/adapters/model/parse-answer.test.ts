import { describe, expect, it } from 'vitest';
import { MAX_ANSWER_TOKENS, parseAnswer } from '../../../../src/adapters/model/parse-answer.ts';
import { readCompletion } from '../../../../src/adapters/model/read-response.ts';
import { threadCpuSeconds } from '../../../support/cpu-time.ts';

const IGNORED = { onBytes: () => {}, onPiece: () => {} };

/** As long as an answer can be. */
const LENGTH = 16_000_000;

describe('an answer of millions of small values', () => {
  it.each([
    ['brackets', '['.repeat(LENGTH)],
    ['lists', `[${'[],'.repeat(LENGTH / 3)}[]]`],
    ['objects', '{"a":'.repeat(LENGTH / 5)],
    ['numbers', `[${'1,'.repeat(LENGTH / 2)}1]`],
  ])('as %s is refused without a long pause of everything else (X19)', async (_, text) => {
    const plain = new Response(text, { headers: { 'content-type': 'application/json' } });
    const streamed = new Response(`data: ${text}\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    const seconds = await threadCpuSeconds(async () => {
      for (const response of [plain, streamed])
        await expect(readCompletion(response, IGNORED)).rejects.toMatchObject({ flaw: 'unreadable-answer' });
    });
    expect(seconds).toBeLessThan(2);
  });
});

describe('an answer', () => {
  it('can be one long text', () => {
    const words = 'said "yes", [then] {left}: '.repeat(400_000);
    expect(parseAnswer(JSON.stringify({ words }))).toEqual({ words });
  });

  it('can be a list of a thousand models with a hundred properties each', () => {
    const model = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`property${index}`, 'x'.repeat(20)]));
    const list = { data: Array.from({ length: 1_000 }, () => model) };
    expect(parseAnswer(JSON.stringify(list))).toEqual(list);
  });

  it('has no more values than that by far', () => {
    expect(parseAnswer(`[${'1,'.repeat(MAX_ANSWER_TOKENS - 3)}1]`)).toHaveLength(MAX_ANSWER_TOKENS - 2);
    expect(() => parseAnswer(`[${'1,'.repeat(MAX_ANSWER_TOKENS)}1]`)).toThrow('too many values');
  });
});
