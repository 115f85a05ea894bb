import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type JobResult, type JobRunner, parallelMap } from '../../../lab/simulation/parallel-map.ts';

/** Hands that double numbers and break on three; says what each was given. */
function doublers() {
  const given: number[][] = [];
  let ended = 0;
  const hire = (): JobRunner<number, number> => {
    const mine: number[] = [];
    given.push(mine);
    return {
      async run(piece) {
        mine.push(piece);
        await setImmediate();
        if (piece === 3) throw new Error('broke on three');
        return piece * 2;
      },
      async close() {
        ended += 1;
      },
    };
  };
  return { hire, given, ended: () => ended };
}

async function outcomes(concurrency: number, items: readonly number[]) {
  const results = new Map<number, JobResult<number>>();
  const { hire: createRunner, given, ended } = doublers();
  await parallelMap({ items, concurrency, createRunner, onResult: (piece, result) => results.set(piece, result) });
  return { results, given, ended: ended() };
}

describe('handing out pieces', () => {
  it('reports the result of each piece once, with any number of workers', async () => {
    for (const hands of [1, 2, 7]) {
      const { results, given } = await outcomes(hands, [1, 2, 4, 5]);
      expect(given.flat().toSorted()).toEqual([1, 2, 4, 5]);
      expect([...results].toSorted()).toEqual([1, 2, 4, 5].map((piece) => [piece, { kind: 'done', value: piece * 2 }]));
    }
  });

  it('names the piece that a worker failed on, and continues with another worker', async () => {
    const { results, given, ended } = await outcomes(1, [1, 2, 3, 4, 5]);
    expect(given).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(results.get(3)).toEqual({ kind: 'crashed', error: new Error('broke on three') });
    expect(results.get(5)).toEqual({ kind: 'done', value: 10 });
    expect(ended).toBe(1);
  });

  it('starts no worker without a piece of work', async () => {
    expect((await outcomes(4, [1])).given).toEqual([[1]]);
  });
});
