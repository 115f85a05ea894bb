import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { playParts } from '../../../lab/simulation/play-parts.ts';

/** Plays seeds 10 to 20 in parts of four. Even seeds take longer, and a case of `crashes` ends its runner. */
async function play(options: { readonly crashes?: number; readonly stopsAt?: number } = {}) {
  const seeds: number[] = [];
  const parts: { nextSeed: number; seeds: readonly number[] }[] = [];
  const [begun, closed] = [new Set<number>(), { count: 0 }];
  let runners = 0;
  const failure = await playParts<number>({
    ...{ firstSeed: 10, endSeed: 21, partCases: 4, concurrency: 3 },
    createRunner() {
      runners += 1;
      return {
        async run(seed) {
          begun.add(seed);
          for (let turn = seed % 2 === 0 ? 5 : 1; turn > 0; turn -= 1) await setImmediate();
          if (seed === options.crashes) throw new Error('crashed');
          return seed;
        },
        async close() {
          closed.count += 1;
        },
      };
    },
    onResult: (seed) => seeds.push(seed),
    onPartEnd(nextSeed) {
      expect([...begun].every((seed) => seed < nextSeed)).toBe(true);
      parts.push({ nextSeed, seeds: seeds.toSorted() });
      if (nextSeed === options.stopsAt) throw new Error('stopped');
    },
  }).catch((error: unknown) => error);
  return { parts, runners, closed: closed.count, failure };
}

const range = (from: number, end: number) => Array.from({ length: end - from }, (_, index) => from + index);

describe('a simulation in parts', () => {
  it('ends a part when all its cases have their results and no later one has begun', async () => {
    const { parts } = await play();
    expect(parts).toEqual([14, 18, 21].map((nextSeed) => ({ nextSeed, seeds: range(10, nextSeed) })));
  });

  it('keeps its threads from part to part', async () => {
    expect(await play()).toMatchObject({ runners: 3, closed: 3 });
  });

  it('counts a case that crashed its thread', async () => {
    const { parts, runners } = await play({ crashes: 13 });
    expect(parts.at(-1)).toEqual({ nextSeed: 21, seeds: range(10, 21) });
    expect(runners).toBe(4);
  });

  it('plays no further part if the end of one fails, as when its checkpoint is refused', async () => {
    const { parts, failure, closed } = await play({ stopsAt: 18 });
    expect(failure).toEqual(new Error('stopped'));
    expect(parts.map(({ nextSeed }) => nextSeed)).toEqual([14, 18]);
    expect(closed).toBe(3);
  });
});
