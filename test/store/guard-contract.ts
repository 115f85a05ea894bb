import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import type { Backend } from '../../src/store/backend.ts';
import type { Claim } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { type DatabaseBench, LEASE, nextSignal, PATIENCE, present } from './bench.ts';
import { delivery, pullOf, run, step } from './samples.ts';
import type { TestDatabase } from './test-database.ts';

const DEFAULT = { kind: 'settings', settings: DEFAULT_SETTINGS } as const;
const STARTING = {
  type: 'commit-starting',
  runId: 'r',
  head: 'h',
  baseRef: 'main',
  checks: [],
  settings: DEFAULT,
} as const;
const BEGUN = step(pullOf(1, { run: run('r') }));

/** Deliveries of one process while another one's attempt to commit begins: each is heard before it, or stored after it. */
export function guardContract({ store, value, signalled, claimed }: DatabaseBench, database: TestDatabase): void {
  describe('the guard of an attempt', () => {
    it('S77, B14: a deny that comes while an attempt is being saved is stored after it', async () => {
      const { claim, signal } = await signalled('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      const other = await database.open();
      const barrier = await hold(other, 'lock table runs in exclusive mode');
      const saving = store().saveDirect(claim, STARTING, BEGUN, 20);
      await waiting(1);
      const seen = vi.fn();
      const receiving = storeOn(other).receive([delivery('deny')], 20);
      const begunWhenStored = receiving.then(() => value('select count(*) from runs')).finally(seen);
      await vi.waitFor(async () => expect(seen.mock.calls.length + (await waiters())).toBe(2), PATIENCE);
      await barrier.letGo();
      expect(await saving).toBe('saved');
      expect(await receiving).toEqual(['stored']);
      expect(await begunWhenStored).toBe(1);
      expect(await store().saveDirect(claim, STARTING, BEGUN, 20)).toBe('signals-waiting');
      await other.close();
    });

    it('S77, B14: an attempt waits for a deny that is being stored, and does not begin', async () => {
      const { claim, signal } = await signalled('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      const other = await database.open();
      const barrier = await hold(other, SAME_COMMENT);
      const receiving = storeOn(other).receive([delivery('deny', 1, 'comment')], 20);
      await waiting(1);
      const saved = vi.fn();
      const saving = store().saveDirect(claim, STARTING, BEGUN, 20).finally(saved);
      await vi.waitFor(async () => expect(saved.mock.calls.length + (await waiters())).toBe(2), PATIENCE);
      await barrier.letGo();
      expect(await receiving).toEqual(['stored']);
      expect(await saving).toBe('signals-waiting');
      expect(await value('select count(*) from runs')).toBe(0);
      await other.close();
    });

    it('what is being stored keeps nobody from claiming, from working, or from storing more', async () => {
      const claim = await claimed('a');
      const other = await database.open();
      const barrier = await hold(other, SAME_COMMENT);
      const receiving = storeOn(other).receive([delivery('slow', 1, 'comment')], 20);
      await waiting(1);
      expect(await store().renew(claim, 20, LEASE)).toBe(true);
      const signal = present(await nextSignal(store(), claim, 20));
      expect(await store().save(claim, signal, BEGUN, 20)).toBe('saved');
      expect(await store().receive([delivery('b')], 20)).toEqual(['stored']);
      await store().release(claim);
      expect(await store().claimPull('v', 20, LEASE)).toMatchObject({ pullKey: claim.pullKey });
      await barrier.letGo();
      expect(await receiving).toEqual(['stored']);
      await other.close();
    });

    it('a saved decision keeps no delivery waiting', async () => {
      const { claim, signal } = await signalled('a');
      const other = await database.open();
      const barrier = await hold(other, 'lock table runs in exclusive mode');
      const saving = store().save(claim, signal, BEGUN, 20);
      await waiting(1);
      expect(await storeOn(other).receive([delivery('b')], 20)).toEqual(['stored']);
      await barrier.letGo();
      expect(await saving).toBe('saved');
      await other.close();
    });

    it('two processes that store about new pull requests in other orders do not wait in a circle', async () => {
      const [other, before] = [await database.open(), await deadlocks()];
      const barrier = await hold(other, "insert into pulls values ('1/2/5', 1, 2, 5, '{}')");
      const here = store().receive([delivery('a', 1), delivery('b', 5), delivery('c', 9)], 20);
      const there = storeOn(other).receive([delivery('d', 9), delivery('e', 5), delivery('f', 1)], 20);
      await waiting(2);
      await barrier.letGo();
      expect((await Promise.all([here, there])).flat()).toEqual(Array(6).fill('stored'));
      expect(await deadlocks()).toBe(before);
      await other.close();
    });

    it('S77: whatever two processes store while attempts begin, everything is stored and answered', async () => {
      const [other, numbers] = [await database.open(), Array.from({ length: 10 }, (_, index) => index)];
      const claims: Claim[] = [];
      for (const number of numbers) claims.push(await claimed(`first${number}`, number));
      const batch = (name: string, round: number) =>
        numbers.map((number) => delivery(`${name}${round}-${number}`, number + 5 * (round % 3)));
      const rounds = Array.from({ length: 20 }, async (_, round) => {
        const [here, there] = [batch('here', round), batch('there', round).toReversed()];
        const received = await Promise.all([
          store().receive(here, 20),
          storeOn(other).receive(there, 20),
          ...claims.map((claim) => store().saveDirect(claim, STARTING, step(pullOf(1)), 20)),
        ]);
        return received.flat().filter((receipt) => receipt === 'stored').length;
      });
      expect(await Promise.all(rounds)).toEqual(Array(20).fill(20));
      await other.close();
    });
  });

  /** Connections that wait for another's lock. */
  async function waiters(): Promise<number> {
    const blocked = "datname = current_database() and wait_event_type = 'Lock'";
    return Number(await value(`select count(*) from pg_stat_activity where ${blocked}`));
  }

  async function waiting(count: number): Promise<void> {
    await vi.waitFor(async () => expect(await waiters()).toBe(count), PATIENCE);
  }

  function deadlocks(): Promise<unknown> {
    return value('select deadlocks from pg_stat_database where datname = current_database()');
  }
}

/** Another process is just storing the same comment, so whoever comes second waits to learn whether it will. */
const SAME_COMMENT = `insert into inbox (pull_key, kind, natural_key, received_at, not_before)
  values ('1/2/1', 'intent', 'comment', 1, 1)`;

/** Runs a statement in a transaction that stays open until it is let go, and is undone then. */
async function hold({ db }: Backend, statement: string): Promise<{ readonly letGo: () => Promise<void> }> {
  const transaction = await db.startTransaction().execute();
  await sql.raw(statement).execute(transaction);
  return {
    letGo: async () => {
      await transaction.rollback().execute();
    },
  };
}
