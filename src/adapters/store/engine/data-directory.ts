import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { PACKAGE_ROOT } from '../../../lib/package.ts';
import { DatabaseError, explainDataDir, reasonOf } from './errors.ts';
import { MIGRATIONS } from './migrations.ts';

/** Keeps locks reachable: a garbage-collected handle would be closed, and its lock released. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Locks the directory, which is created if missing, for this process. Throws `DatabaseError` while another process
 * holds the lock. Never open the lock file elsewhere in this process: closing it would release the lock.
 */
export function lockDirectory(directory: string): { release(): void } {
  let lock: DatabaseSync | null = null;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // SQLite takes the kernel's record lock for us, because Node has no call for it. Such a lock ends with its process,
    // and works between containers that share a volume.
    lock = new DatabaseSync(join(directory, 'countersign.lock'), { timeout: 0 });
    // Without a journal nothing is ever written, and the file stays empty.
    lock.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    lock?.close();
    throw lockError(directory, error);
  }
  const held = lock;
  heldLocks.add(held);
  return {
    release() {
      if (heldLocks.delete(held)) held.close();
    },
  };
}

const SQLITE_BUSY = 5;

/** Another process, such as a running server, has the directory. */
export class DirectoryInUseError extends DatabaseError {}

function lockError(directory: string, error: unknown): DatabaseError {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)
    return new DirectoryInUseError(
      `The data directory ${directory} is in use by another Countersign process. ` +
        'Stop that one first, or set DATA_DIR to a directory of its own; for several replicas set DATABASE_URL.',
      { cause: error },
    );
  return (
    explainDataDir(directory, error) ??
    new DatabaseError(
      `The data directory ${directory} cannot be locked (${reasonOf(error)}). Set DATA_DIR to a writable directory on a local disk.`,
      { cause: error },
    )
  );
}

/** Permission bits of group and others. */
const SHARED_MODE = 0o077;

/**
 * Creates the database's directory, or takes all access to an existing one from other users. PGlite creates its files
 * with mode 0666, so the directory alone protects the votes. Throws `DatabaseError` if it stays accessible.
 */
export function makePrivateDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if ((statSync(directory).mode & SHARED_MODE) !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    throw new DatabaseError(
      `Other users can access the database in ${directory}, and this cannot be changed (${reasonOf(error)}). ` +
        'Make the user that runs Countersign its owner, or set DATA_DIR to a directory of its own.',
      { cause: error },
    );
  }
}

/** A new database keeps five segments of its log on the disk: of a megabyte each, where sixteen are the default. */
export const INITDB_OPTIONS = ['--wal-segsize=1'];

/** Halves the files of a new database: nothing is ever created from its templates. */
export const DROP_TEMPLATES = ['template0', 'template1'].flatMap((name) => [
  `alter database ${name} is_template false`,
  `drop database ${name}`,
]);

/** Its name says how it was made, so that an outdated one is never unpacked. */
const PREPARATION = createHash('sha256').update(JSON.stringify([MIGRATIONS, INITDB_OPTIONS, DROP_TEMPLATES]));

const PREPARED_NAME = `database-${PREPARATION.digest('hex').slice(0, 12)}.tar.gz`;

/** Where `scripts/prepare-database.ts` writes it, in a checkout and in the package. */
export const PREPARED_DATABASE = join(PACKAGE_ROOT, 'dist', PREPARED_NAME);

/** Whether the next start makes a database, because there is none and the installation prepared none for this version. */
export function mustMakeDatabase(dataDir: string, prepared: string = PREPARED_DATABASE): boolean {
  return !existsSync(prepared) && !existsSync(join(dataDir, 'database', 'PG_VERSION'));
}

/** The migrated database as a tar archive; null where the installation made none. */
export function readPreparedDatabase(): Buffer<ArrayBuffer> | null {
  return existsSync(PREPARED_DATABASE) ? gunzipSync(readFileSync(PREPARED_DATABASE)) : null;
}

/**
 * Unpacks the migrated database into an empty directory: creating one takes three times as long and a gigabyte of
 * memory. Does nothing where the installation made none. A process that is killed meanwhile leaves the directory empty.
 */
export async function unpackPreparedDatabase(directory: string): Promise<void> {
  const archive = readPreparedDatabase();
  if (archive === null) return;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const tar = extract();
  tar.end(archive);
  await writeEntries(tar, unfinished);
  rmSync(directory, { recursive: true });
  renameSync(unfinished, directory);
}

async function writeEntries(tar: Extract, directory: string): Promise<void> {
  for await (const entry of tar) {
    const path = join(directory, entry.header.name);
    if (entry.header.type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, await buffer(entry), { mode: 0o600 });
  }
}
