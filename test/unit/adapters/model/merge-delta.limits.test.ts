import { describe, expect, it } from 'vitest';
import { createDeltaMerger } from '../../../../src/adapters/model/merge-delta.ts';
import { mergeChunks } from '../../../../src/adapters/model/read-response.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

function list(count: number, element: (n: number) => unknown): readonly unknown[] {
  return Array.from({ length: count }, (_, n) => element(n));
}

function merge(deltas: readonly unknown[]): unknown {
  const merger = createDeltaMerger();
  for (const delta of deltas) merger.add(delta);
  return merger.value();
}

/** CPU seconds until the deltas are merged, or refused because the value is too large. */
function secondsOf(deltas: readonly unknown[]): number {
  return cpuSeconds(() => {
    try {
      merge(deltas);
    } catch (error) {
      expect(error).toMatchObject({ flaw: 'unreadable-answer' });
    }
  });
}

describe('a hostile answer does not hold up the process', () => {
  it.each<[string, readonly unknown[]]>([
    [
      'a list of 40,000 elements, in two chunks',
      [{ details: [] }, { details: list(40_000, (index) => ({ index })) }, { details: [{ index: 0 }] }],
    ],
    ['30,000 members, one a chunk', list(30_000, (n) => ({ [`m${n}`]: 1 }))],
    [
      '30,000 deltas to an object of 900 members',
      [
        { extra: {} },
        ...list(900, (n) => ({ extra: { [`m${n}`]: 1 } })),
        ...list(30_000, () => ({ extra: { m0: 1 } })),
      ],
    ],
    ['200,000 deltas to a list of 900 elements', list(200_000, (n) => ({ details: [{ index: n % 900, text: 'x' }] }))],
    [
      '100,000 deltas to 1,000 elements that share an index',
      list(100_000, (n) => ({ details: [{ index: 0, id: `id${n % 1_000}` }] })),
    ],
  ])('%s (X19)', (_, deltas) => {
    expect(secondsOf(deltas)).toBeLessThan(1);
  });

  it('many chunks that arrive together leave turns for other work (X19)', async () => {
    let turns = 0;
    const work = setInterval(() => {
      turns += 1;
    }, 0);
    const chunks = list(100_000, () => ({ choices: [{ index: 0, delta: { content: 'x' } }] }));
    await mergeChunks([...chunks, { choices: [{ finish_reason: 'stop' }] }]);
    clearInterval(work);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('a value that arrives in deltas', () => {
  it.each([
    ['members', (count: number) => [{}, Object.fromEntries(Array.from({ length: count }, (__, n) => [`m${n}`, 1]))]],
    ['elements with an index', (count: number) => [{}, { details: list(count, (index) => ({ index })) }]],
  ])('holds 1,000 %s, and more are refused (X19)', (_, deltas) => {
    expect(() => merge(deltas(1_000))).not.toThrow();
    expect(() => merge(deltas(1_001))).toThrow('more than 1000');
  });

  it('may hold any number of thoughts without an index, one a token', () => {
    const merged = merge(list(20_000, (n) => ({ content: [{ type: 'thinking', text: `${n}` }] })));
    expect(merged).toMatchObject({ content: { length: 20_000 } });
  });
});
