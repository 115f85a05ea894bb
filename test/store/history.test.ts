import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Backend } from '../../src/store/backend.ts';
import { openPglite } from '../../src/store/open-pglite.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { delivery } from './samples.ts';

const ANSWERED = 10_000;
/** Uses after which an embedded database must have been looked after. */
const USES = 1_200;
const PULLS = 50;
const NOW = 1_000_000;

const root = mkdtempSync(join(tmpdir(), 'countersign-history-'));
let backend: Backend;
let store: Store;
beforeAll(async () => {
  cpSync(inject('templateDatabase'), root, { recursive: true });
  backend = await openPglite(root);
  store = storeOn(backend);
});
afterAll(async () => {
  await backend.close();
  rmSync(root, { recursive: true, force: true });
});

/** Looks for work of any kind, and finds none. */
async function look(): Promise<void> {
  expect(await store.claimPull('w', NOW, 1_000)).toBeNull();
  expect(await store.nextDue(NOW)).toEqual({ pull: null, free: null });
}

/** How many pages of its tables and their indexes the database has touched so far. */
async function pages(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(backend.db);
  const { rows } = await sql<{ pages: number }>`
    select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::bigint as pages from pg_statio_user_tables
  `.execute(backend.db);
  return rows[0]?.pages ?? Number.NaN;
}

async function pagesOf(work: () => Promise<void>): Promise<number> {
  const before = await pages();
  await work();
  return (await pages()) - before;
}

/** Deliveries about all pull requests in turn, each dealt with. */
async function answered(count: number): Promise<void> {
  await sql`
    insert into inbox (pull_key, kind, natural_key, signal, received_at, not_before)
    select '1/2/' || n % ${PULLS}::integer, 'intent', gen_random_uuid()::text, '{}', n, n
    from generate_series(1, ${count}::integer) as n
  `.execute(backend.db);
  await sql`update inbox set done_at = received_at where done_at is null`.execute(backend.db);
}

describe('an embedded database that has answered many deliveries', () => {
  it('reads to find work what is undone, not all that ever was', async () => {
    await store.receive(
      Array.from({ length: PULLS }, (_, number) => delivery(`d${number}`, number)),
      1,
    );
    await answered(5_000);
    await store.prune(NOW);
    // What was run some times is planned for good.
    for (let times = 0; times < 10; times += 1) await look();
    const small = await pagesOf(look);
    await answered(ANSWERED);
    for (let uses = 0; uses < USES; uses += 2) await look();
    expect(await pagesOf(look)).toBeLessThan(small + 20);
  });
});
