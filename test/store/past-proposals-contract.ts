import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type NamedProposals, NONE_NAMED } from '../../src/run/named-proposals.ts';
import type { DatabaseBench } from './bench.ts';
import { posted, proposal, pullOf, run, step } from './samples.ts';

/** Proposals of runs that are over. */
const PAST = 300;

/** A pull request may have seen hundreds of proposals come and go. */
export function pastProposalsContract({ store, backend, signalled }: DatabaseBench): void {
  /** How many rows of proposals the database has read so far. */
  async function read(): Promise<number> {
    await sql`select pg_stat_force_next_flush()`.execute(backend().db);
    const { rows } = await sql<{ read: number }>`
      select (seq_tup_read + idx_tup_fetch)::bigint as read from pg_stat_user_tables where relname = 'proposals'
    `.execute(backend().db);
    return rows[0]?.read ?? Number.NaN;
  }

  async function readBy(
    pullKey: string,
    named: NamedProposals,
  ): Promise<readonly [ids: readonly string[], rows: number]> {
    const before = await read();
    const { proposals } = await store().load(pullKey, named);
    return [proposals.map(({ id }) => id), (await read()) - before];
  }

  describe('a pull request with many proposals of runs that are over', () => {
    it('reads those that something goes on with, or that are named, and no others', async () => {
      const { claim, signal } = await signalled('a');
      const ended = Array.from({ length: PAST }, (_, place) => ({ ...posted(`past${place}`, 'past', place + 1) }));
      const proposals = [
        ...ended.map((one) => ({ ...one, state: 'rejected' as const })),
        proposal('open', 'past'),
        proposal('p1', 'now', { state: 'rejected' }),
        proposal('p2', 'now'),
      ];
      await store().save(claim, signal, step(pullOf(1, { run: run('now'), proposals })), 20);
      await store().release(claim);
      // Whichever plan is made of values that are not known: after some times it is made for good.
      for (let times = 0; times < 10; times += 1) await store().load(claim.pullKey, NONE_NAMED);
      const [ids, rows] = await readBy(claim.pullKey, NONE_NAMED);
      expect(ids).toEqual(['open', 'p1', 'p2']);
      expect(rows).toBeLessThan(10);
      for (const named of [
        { ids: ['past7'], commentId: null },
        { ids: [], commentId: 8 },
      ]) {
        const [withNamed, more] = await readBy(claim.pullKey, named);
        expect(withNamed).toEqual(['past7', 'open', 'p1', 'p2']);
        expect(more).toBeLessThan(10);
      }
    });
  });
}
