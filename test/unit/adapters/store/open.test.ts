import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { DatabaseError } from '../../../../src/adapters/store/engine/errors.ts';
import { accessError } from '../../../../src/adapters/store/engine/file-access.ts';
import { lockDirectory } from '../../../../src/adapters/store/engine/pglite-files.ts';
import { openStore } from '../../../../src/adapters/store/open.ts';
import { delivery, pullOf, run, step } from '../../../contracts/store/samples.ts';
import { nextSignal, present } from '../../../contracts/store/store-under-test.ts';

const syncing = vi.spyOn(fs, 'fsyncSync');

syncBuiltinESMExports();

afterAll(() => {
  syncing.mockRestore();
  syncBuiltinESMExports();
});

const root = mkdtempSync(join(tmpdir(), 'countersign-store-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

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

  it('opens at once after a kill, syncs what is acknowledged, and loses nothing in restarts (F10, S81)', async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await openStore(place);
    expect(await store.receive([delivery('from the child')], 6)).toEqual(['duplicate']);
    const syncs = syncing.mock.calls.length;
    expect(await store.receive([delivery('synced', 2)], 7)).toEqual(['stored']);
    expect(syncing.mock.calls.length).toBeGreaterThan(syncs);
    const claim = present(await store.claimPull('w', 6, 1_000));
    const signal = present(await nextSignal(store, claim, 6));
    const pull = pullOf(1, { run: run('r') });
    const later = syncing.mock.calls.length;
    await store.save(claim, signal, step(pull, { effects: [{ type: 'ask-model', runId: 'r', turn: 1 }] }), 7);
    expect(syncing.mock.calls.length).toBeGreaterThan(later);
    await store.close();

    const again = await openStore(place);
    expect(await again.load(claim.pullRequestKey, { ids: [], commentId: null })).toEqual(pull);
    expect(await again.claimEffect('w', 8, 1_000)).toMatchObject({ attempts: 1, effect: { type: 'ask-model' } });
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

  it('refuses a directory of another user, and names owner, user and path (O9)', async () => {
    const owner = process.getuid?.() ?? 0;
    vi.spyOn(process, 'getuid').mockReturnValue(4711);
    const [mine, missing] = [join(root, 'of-another-user'), join(root, 'of-another-user', 'countersign.lock', 'x')];
    // The lock cannot be opened, as without the right to do so.
    mkdirSync(join(mine, 'countersign.lock'), { recursive: true });
    const refused = openStore({ databaseUrl: null, dataDir: mine });
    await expect(refused).rejects.toThrow(DatabaseError);
    await expect(refused).rejects.toThrow(
      `The user with the id ${owner} owns ${mine}, and Countersign runs with the id 4711: as an administrator run "chown -R 4711 ${mine}"`,
    );
    const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    expect(accessError(missing, denied).message).toContain(`run "install -d -m 700 -o 4711 ${missing}"`);
    vi.mocked(process.getuid)?.mockRestore();
  });

  it('does not call a database damaged that it may not read (O9)', async () => {
    const dataDir = join(root, 'unreadable');
    const denied = { name: 'ErrnoError', errno: 2 };
    vi.spyOn(PGlite, 'create').mockRejectedValueOnce(denied);
    await expect(openStore({ databaseUrl: null, dataDir })).rejects.toThrow(/may not write in DATA_DIR, .*unreadable/);
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

it('refuses an unreachable database without showing the password', async () => {
  const refused = openStore({ databaseUrl: 'postgres://me:secret@127.0.0.1:1/none', dataDir: null });
  await expect(refused).rejects.toThrow(/^The database that DATABASE_URL names cannot be reached(?!.*secret)/);
});
