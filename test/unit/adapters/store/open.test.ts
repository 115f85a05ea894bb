import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { lockDirectory } from '../../../../src/adapters/store/engine/data-directory.ts';
import { DatabaseError } from '../../../../src/adapters/store/engine/errors.ts';
import { openPglite } from '../../../../src/adapters/store/engine/pglite.ts';
import { createStore, openStore } from '../../../../src/adapters/store/open.ts';
import { delivery, pullOf, run, step } from '../../../contracts/store/samples.ts';
import { nextSignal, present } from '../../../contracts/store/store-under-test.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const root = scratchFolder();

describe('a data directory', () => {
  const dataDir = join(root, 'made', 'on-demand');
  const place = { databaseUrl: null, dataDir };
  let child: ChildProcess;

  beforeAll(async () => {
    child = spawn(process.execPath, [join(import.meta.dirname, '../../../contracts/store/hold-store.ts'), dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(present(child.stdout), 'data');
  }, 60_000);
  afterAll(() => child.kill('SIGKILL'));

  it('refuses a second process, with instructions', async () => {
    const refused = openStore(place);
    await expect(refused).rejects.toThrow(DatabaseError);
    await expect(refused).rejects.toThrow(
      /in use by another Countersign process\. Stop that one first, or set DATA_DIR/,
    );
  });

  it('opens at once after a kill, and loses nothing in restarts (F10, S81)', async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await openStore(place);
    expect(await store.receive(delivery('from the child'), 6)).toBe('duplicate');
    const claim = present(await store.claimPull(6, 1_000));
    const signal = present(await nextSignal(store, claim, 6));
    const pull = pullOf(1, { run: run('r') });
    await store.save(claim, signal, step(pull, { effects: [{ type: 'ask-model', runId: 'r', turn: 1 }] }), 7);
    await store.close();

    const again = await openStore(place);
    expect(await again.load(claim.pullRequestKey, { ids: [], commentId: null })).toEqual(pull);
    expect(await again.claimEffect(8, 1_000)).toMatchObject({ attempts: 1, effect: { type: 'ask-model' } });
    await again.close();
  }, 60_000);
});

describe('the lock of a directory', () => {
  it('is held once, even within a process, and leaves only its empty file', () => {
    const directory = join(root, 'lock');
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow('in use');
    lock.release();
    lock.release();
    lockDirectory(directory).release();
    expect(readdirSync(directory)).toEqual(['countersign.lock']);
  });

  it('refuses a directory that cannot be created', async () => {
    writeFileSync(join(root, 'file'), '');
    const refused = openStore({ databaseUrl: null, dataDir: join(root, 'file', 'below') });
    await expect(refused).rejects.toThrow(/cannot be locked .*Set DATA_DIR/);
  });

  it('refuses a directory that it may not write in, and names the user (O9)', async () => {
    const mine = join(root, 'of-another-user');
    // The lock cannot be opened, as without the right to do so.
    mkdirSync(join(mine, 'countersign.lock'), { recursive: true });
    await expect(openStore({ databaseUrl: null, dataDir: mine })).rejects.toThrow(
      `Make the user with the id ${process.getuid?.()} its owner`,
    );
  });

  /** The version of PostgreSQL that this version of Countersign has. */
  const version = readFileSync(join(inject('templateDatabase'), 'database', 'PG_VERSION'), 'utf8').trim();

  /** A directory without most files of its database. */
  function incomplete(name: string, madeWith: string): string {
    const dataDir = join(root, name);
    mkdirSync(join(dataDir, 'database'), { recursive: true });
    writeFileSync(join(dataDir, 'database', 'PG_VERSION'), `${madeWith}\n`);
    return dataDir;
  }

  it('does not call a database damaged that it may not read (O9)', async () => {
    const dataDir = incomplete('unreadable', version);
    const denied = { name: 'ErrnoError', errno: 2 };
    vi.spyOn(PGlite, 'create').mockRejectedValueOnce(denied);
    await expect(openStore({ databaseUrl: null, dataDir })).rejects.toThrow(/may not write in DATA_DIR, .*unreadable/);
  });

  it('does not call a database damaged that another version made (G14)', async () => {
    const dataDir = incomplete('other-version', '99');
    await expect(openStore({ databaseUrl: null, dataDir })).rejects.toThrow(
      `made with PostgreSQL 99, and this version of Countersign has PostgreSQL ${version}. Nothing was changed: run`,
    );
  });

  it('refuses a damaged database and releases its directory (G14)', async () => {
    const dataDir = incomplete('damaged', version);
    await expect(openStore({ databaseUrl: null, dataDir })).rejects.toThrow(/cannot be opened .*Restore a backup/);
    lockDirectory(dataDir).release();
  });
});

describe('a full disk (O9)', () => {
  /** The errors of PGlite's file layer, which is no `Error`, of Node, and of SQLite. */
  const FULL = [
    { name: 'ErrnoError', errno: 51 },
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 }),
  ];

  it('leaves no half of a new database', async () => {
    const dataDir = mkdtempSync(join(root, 'full-'));
    vi.spyOn(PGlite, 'create').mockImplementationOnce(async () => {
      writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17\n');
      throw FULL[0];
    });
    await expect(openPglite(dataDir)).rejects.toThrow(/^The disk of .* is full \(.*\)\. Nothing is lost: make room/);
    expect(existsSync(join(dataDir, 'database'))).toBe(false);
  });

  it.each(FULL)('is recognized in %o, and removes nothing of a database that is there', async (error) => {
    const dataDir = mkdtempSync(join(root, 'precious-'));
    const kept = join(dataDir, 'database', 'unknown-file');
    mkdirSync(join(dataDir, 'database'));
    writeFileSync(kept, 'precious');
    vi.spyOn(PGlite, 'create').mockRejectedValueOnce(error);
    await expect(openPglite(dataDir)).rejects.toThrow(/disk of .* is full/);
    expect(existsSync(kept)).toBe(true);
  });
});

describe('the database below DATA_DIR', () => {
  it('is closed to other users, even in a shared directory and after a restored backup (X3)', async () => {
    const dataDir = join(root, 'shared');
    cpSync(inject('templateDatabase'), dataDir, { recursive: true });
    chmodSync(dataDir, 0o777);
    chmodSync(join(dataDir, 'database'), 0o755);
    const store = await openStore({ databaseUrl: null, dataDir });
    expect(statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700);
    await store.close();
  });

  it('is refused if it cannot be closed, with the next step (X3)', async () => {
    mkdirSync(join(root, 'blocked'));
    writeFileSync(join(root, 'blocked', 'database'), '');
    await expect(openStore({ databaseUrl: null, dataDir: join(root, 'blocked') })).rejects.toThrow(
      /^Other users can access the database in .*blocked.*set DATA_DIR/,
    );
  });

  it('gets its space back from deleted rows and old log, which an embedded database does not do by itself (O17)', async () => {
    const dataDir = join(root, 'tidied');
    cpSync(inject('templateDatabase'), dataDir, { recursive: true });
    const backend = await openPglite(dataDir);
    const logLength = async (): Promise<number> => {
      const { rows } = await sql<{ length: number }>`
        select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as length from pg_control_checkpoint()
      `.execute(backend.db);
      return rows[0]?.length ?? Number.NaN;
    };
    await sql`select pg_logical_emit_message(false, '', repeat('x', 1000000)) from generate_series(1, 20)`.execute(
      backend.db,
    );
    const before = await logLength();
    await createStore(backend).deleteExpired(1);
    expect([before > 20_000_000, (await logLength()) < 1_000_000]).toEqual([true, true]);
    await backend.close();
  });
});

it('refuses an unreachable database without showing the password', async () => {
  const refused = openStore({ databaseUrl: 'postgres://me:secret@127.0.0.1:1/none', dataDir: null });
  await expect(refused).rejects.toThrow(/^The database that DATABASE_URL names cannot be used(?!.*secret)/);
});
