import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseError } from './errors.ts';
import { explainDataDir, reasonOf } from './opening-errors.ts';

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
