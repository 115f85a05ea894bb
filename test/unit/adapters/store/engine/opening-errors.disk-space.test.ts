import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { explainOpening, fullDiskError, isDiskFull } from '../../../../../src/adapters/store/engine/opening-errors.ts';
import { openPglite } from '../../../../../src/adapters/store/engine/pglite.ts';

const root = mkdtempSync(join(tmpdir(), 'countersign-full-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

/** The error of PGlite's file layer on a full disk, which is no `Error`. */
const PGLITE_FULL = { name: 'ErrnoError', errno: 51 };

const NODE_FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

const SQLITE_FULL = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });

const POSTGRES_FULL = Object.assign(new Error('could not extend file "base/5/1"'), { code: '53100' });

describe('a full disk (O9)', () => {
  it.each([PGLITE_FULL, NODE_FULL, SQLITE_FULL, POSTGRES_FULL])('is recognized in %o', (error) => {
    expect(isDiskFull(error)).toBe(true);
    const { message } = fullDiskError('/srv/data', error);
    expect(message).toMatch(/^The disk of \/srv\/data is full \(.*\)\. Nothing is lost: make room on it/);
    expect(message).not.toMatch(/object Object|empty directory|set DATA_DIR/i);
  });

  it.each([
    new Error('51'),
    { name: 'ErrnoError', errno: 44 },
    Object.assign(new Error('locked'), { errcode: 5 }),
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    null,
  ])('is not seen in %o', (error) => {
    expect(isDiskFull(error)).toBe(false);
  });

  it('of a PostgreSQL server is not blamed on DATA_DIR', () => {
    expect(String(explainOpening(POSTGRES_FULL, null))).toMatch(/disk of the database server is full/);
  });

  it('while a database is created leaves no half of it, so that the next start succeeds', async () => {
    const dataDir = join(root, 'new');
    vi.spyOn(PGlite, 'create').mockImplementationOnce(async () => {
      writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17\n');
      throw PGLITE_FULL;
    });
    await expect(openPglite(dataDir)).rejects.toThrow(/disk of .* is full .*: a new database needs 40 MB/);
    expect(existsSync(join(dataDir, 'database'))).toBe(false);
  });

  it.each([['PG_VERSION'], ['unknown-file']])('while a database is opened removes nothing: %s', async (file) => {
    const dataDir = join(root, `with-${file}`);
    const kept = join(dataDir, 'database', file);
    mkdirSync(join(dataDir, 'database'), { recursive: true });
    writeFileSync(kept, 'precious');
    vi.spyOn(PGlite, 'create').mockRejectedValueOnce(PGLITE_FULL);
    await expect(openPglite(dataDir)).rejects.toThrow(/disk of .* is full/);
    expect(existsSync(kept)).toBe(true);
  });
});
