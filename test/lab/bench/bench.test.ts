import { describe, expect, it } from 'vitest';
import { measureLatencies } from '../../../lab/bench/latency.ts';
import { createEmbeddedDatabase } from '../../../lab/chaos/database.ts';

describe('the benchmarks', () => {
  it('latencies: measures each round', async () => {
    const database = await createEmbeddedDatabase();
    try {
      const { review, commit } = await measureLatencies(database.environment, 1);
      for (const samples of [review, commit]) expect(samples).toEqual([expect.any(Number)]);
    } finally {
      await database.drop();
    }
  }, 120_000);
});
