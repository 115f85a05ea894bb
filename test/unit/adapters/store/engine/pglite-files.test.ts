import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { DatabaseError } from '../../../../../src/adapters/store/engine/errors.ts';
import { makePrivateDirectory } from '../../../../../src/adapters/store/engine/pglite-files.ts';
import { openStore } from '../../../../../src/adapters/store/open.ts';

const root = mkdtempSync(join(tmpdir(), 'countersign-files-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

function permissionsOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('the database below DATA_DIR', () => {
  it('is closed to other users, even in a shared directory and after a restored backup (X3)', async () => {
    const dataDir = join(root, 'shared');
    cpSync(inject('templateDatabase'), dataDir, { recursive: true });
    chmodSync(dataDir, 0o777);
    chmodSync(join(dataDir, 'database'), 0o755);
    const store = await openStore({ databaseUrl: null, dataDir });
    expect(permissionsOf(join(dataDir, 'database'))).toBe(0o700);
    await store.close();
  });

  it('is created closed for any umask (X3)', () => {
    const umask = process.umask(0);
    makePrivateDirectory(join(root, 'new', 'database'));
    process.umask(umask);
    expect(permissionsOf(join(root, 'new', 'database'))).toBe(0o700);
  });

  it('is refused if it cannot be closed, with the next step (X3)', () => {
    mkdirSync(join(root, 'blocked'));
    writeFileSync(join(root, 'blocked', 'database'), '');
    const make = () => makePrivateDirectory(join(root, 'blocked', 'database'));
    expect(make).toThrow(DatabaseError);
    expect(make).toThrow(/^Other users can access the database in .*blocked.*set DATA_DIR/);
  });
});
