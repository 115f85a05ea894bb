import { describe, expect, it } from 'vitest';
import { HOPS_PER_CHAIN, measureHops } from '../../../lab/bench/hops.ts';
import { measureLatencies } from '../../../lab/bench/latency.ts';
import { ROWS } from '../../../lab/bench/rows.ts';
import { createEmbeddedDatabase } from '../../../lab/chaos/database.ts';

describe('the benchmarks', () => {
  it('every row measures a number', async () => {
    for (const { name, sample } of ROWS) expect(await sample(), name).toSatisfy(Number.isFinite);
  }, 150_000);

  it('latencies: measures each round, also after tasks of other kinds on the same pull request', async () => {
    const database = await createEmbeddedDatabase();
    try {
      const { review, commit, hops } = await measureLatencies(database.environment, 2);
      for (const samples of [review, commit, hops]) expect(samples).toEqual([expect.any(Number), expect.any(Number)]);
    } finally {
      await database.drop();
    }
  }, 120_000);

  it('hops: measures more chains than a repository may have tasks in a day by default', async () => {
    const chains = await measureHops({ databaseUrl: null, dataDir: null }, 45);
    expect(chains).toHaveLength(45);
    for (const { totalMs } of chains) expect(totalMs / HOPS_PER_CHAIN).toBeGreaterThan(0);
  }, 120_000);
});
