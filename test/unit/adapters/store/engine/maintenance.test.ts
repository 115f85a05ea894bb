import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createStore } from '../../../../../src/adapters/store/create-store.ts';
import type { Backend } from '../../../../../src/adapters/store/engine/backend.ts';
import { openPglite } from '../../../../../src/adapters/store/engine/pglite.ts';
import type { Store } from '../../../../../src/adapters/store/store.ts';
import { delivery } from '../../../../contracts/store/samples.ts';

const HANDLED = 10_000;

/** After this many uses an embedded database must have been vacuumed. */
const USES = 1_200;

const PULLS = 50;

const NOW = 1_000_000;

const root = mkdtempSync(join(tmpdir(), 'countersign-history-'));

let backend: Backend;

let store: Store;

beforeAll(async () => {
  cpSync(inject('templateDatabase'), root, { recursive: true });
  backend = await openPglite(root);
  store = createStore(backend);
});

afterAll(async () => {
  await backend.close();
  rmSync(root, { recursive: true, force: true });
});

/** Looks for work of any kind and finds none. */
async function look(): Promise<void> {
  expect(await store.claimPull('w', NOW, 1_000)).toBeNull();
  expect(await store.nextDue(NOW)).toEqual({ exclusive: null, concurrent: null });
}

/** Pages of tables and indexes read so far. */
async function countPages(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(backend.db);
  const { rows } = await sql<{ pages: number }>`
    select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::bigint as pages from pg_statio_user_tables
  `.execute(backend.db);
  return rows[0]?.pages ?? Number.NaN;
}

async function countPagesOf(work: () => Promise<void>): Promise<number> {
  const before = await countPages();
  await work();
  return (await countPages()) - before;
}

/** Stores handled deliveries about all pull requests. */
async function storeHandled(count: number): Promise<void> {
  await sql`
    insert into inbox (pull_key, kind, content_key, signal, received_at, not_before)
    select '1/2/' || n % ${PULLS}::integer, 'webhook', gen_random_uuid()::text, '{}', n, n
    from generate_series(1, ${count}::integer) as n
  `.execute(backend.db);
  await sql`update inbox set done_at = received_at where done_at is null`.execute(backend.db);
}

describe('an embedded database after many deliveries', () => {
  it('reads only pending rows to find work', async () => {
    await store.receive(
      Array.from({ length: PULLS }, (_, number) => delivery(`d${number}`, number)),
      1,
    );
    await storeHandled(5_000);
    await store.deleteExpired(NOW);
    // A statement is planned for good after some executions.
    for (let times = 0; times < 10; times += 1) await look();
    const small = await countPagesOf(look);
    await storeHandled(HANDLED);
    for (let uses = 0; uses < USES; uses += 2) await look();
    expect(await countPagesOf(look)).toBeLessThan(small + 20);
  });
});

/** Log (bytes) that a start after a crash would replay. */
async function logLength(): Promise<number> {
  const { rows } = await sql<{ length: number }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as length from pg_control_checkpoint()
  `.execute(backend.db);
  return rows[0]?.length ?? Number.NaN;
}

/** Uses the database often enough for it to be maintained. */
async function use(): Promise<void> {
  for (let uses = 0; uses < USES; uses += 1) await sql`select`.execute(backend.db);
}

/** Stores rows and takes them back, as a rehearsed delivery does. */
async function rehearse(count: number): Promise<void> {
  const transaction = await backend.db.startTransaction().execute();
  await sql`
    insert into inbox (pull_key, kind, received_at, not_before)
    select '1/2/3', 'webhook', n, n from generate_series(1, ${count}::integer) as n
  `.execute(transaction);
  await transaction.rollback().execute();
}

describe('an embedded database that runs for long', () => {
  it('reuses the space of deliveries that were only rehearsed, as on a paused server (O17)', async () => {
    const sizes: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await rehearse(5_000);
      await use();
      const { rows } = await sql<{ size: number }>`select pg_relation_size('inbox') as size`.execute(backend.db);
      sizes.push(rows[0]?.size ?? Number.NaN);
    }
    // The first rounds create free space, and the later ones reuse it.
    expect(sizes[3]).toBe(sizes[1]);
  });

  it('keeps its write-ahead log short, which would fill the disk', async () => {
    const [written, size] = [100, 1_000_000];
    await sql`
      select pg_logical_emit_message(false, '', repeat('x', ${size}::integer)) from generate_series(1, ${written}::integer)
    `.execute(backend.db);
    await use();
    await expect.poll(logLength).toBeLessThan(size);
  });
});
