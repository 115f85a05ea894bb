import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Hand, handOut, type Result } from '../../src/simulation/hand-out.ts';

/** Hands that double numbers and break on three; says what each was given. */
function doublers() {
  const given: number[][] = [];
  let ended = 0;
  const hire = (): Hand<number, number> => {
    const mine: number[] = [];
    given.push(mine);
    return {
      async does(piece) {
        mine.push(piece);
        await setImmediate();
        if (piece === 3) throw new Error('broke on three');
        return piece * 2;
      },
      async ends() {
        ended += 1;
      },
    };
  };
  return { hire, given, ended: () => ended };
}

async function outcomes(hands: number, pieces: readonly number[]) {
  const results = new Map<number, Result<number>>();
  const { hire, given, ended } = doublers();
  await handOut({ pieces, hands, hire, heard: (piece, result) => results.set(piece, result) });
  return { results, given, ended: ended() };
}

describe('handing out pieces', () => {
  it('tells what came of each piece once, however many hands there are', async () => {
    for (const hands of [1, 2, 7]) {
      const { results, given } = await outcomes(hands, [1, 2, 4, 5]);
      expect(given.flat().toSorted()).toEqual([1, 2, 4, 5]);
      expect([...results].toSorted()).toEqual(
        [1, 2, 4, 5].map((piece) => [piece, { kind: 'done', answer: piece * 2 }]),
      );
    }
  });

  it('names the piece that a hand broke on, and goes on with another hand', async () => {
    const { results, given, ended } = await outcomes(1, [1, 2, 3, 4, 5]);
    expect(given).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(results.get(3)).toEqual({ kind: 'broke', error: new Error('broke on three') });
    expect(results.get(5)).toEqual({ kind: 'done', answer: 10 });
    expect(ended).toBe(1);
  });

  it('hires nobody for whom there is no piece', async () => {
    expect((await outcomes(4, [1])).given).toEqual([[1]]);
  });
});
