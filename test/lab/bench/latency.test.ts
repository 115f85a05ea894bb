import { describe, expect, it } from 'vitest';
import { measureHops } from '../../../lab/bench/hops.ts';
import { measureLatencies } from '../../../lab/bench/latency.ts';
import { HOPS_PER_CHAIN } from '../../../lab/bench/read-chain.ts';
import { createEmbeddedDatabase } from '../../../lab/chaos/database.ts';

describe('the latency benchmark', () => {
  it('measures each round, also after tasks of other kinds on the same pull request', async () => {
    const database = await createEmbeddedDatabase();
    try {
      const { review, commit, hops } = await measureLatencies(database.environment, 2);
      for (const samples of [review, commit, hops]) expect(samples).toEqual([expect.any(Number), expect.any(Number)]);
    } finally {
      await database.drop();
    }
  }, 120_000);

  it('measures more chains than a repository may have tasks in a day by default', async () => {
    const chains = await measureHops({ databaseUrl: null, dataDir: null }, 45);
    expect(chains).toHaveLength(45);
    for (const { totalMs } of chains) expect(totalMs / HOPS_PER_CHAIN).toBeGreaterThan(0);
  }, 120_000);
});
