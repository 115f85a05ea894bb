import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnusable } from './store-unusable.ts';

/** Released when the process ends in any way, or by `release`. */
export type DirectoryLock = { release(): void };

/** Keeps locks reachable: a collected handle would be closed, and the lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory (made if missing) for this process alone; throws `StoreUnusable` while another holds it.
 *
 * The lock is the kernel's own record lock on a file, which SQLite takes for us (Node has no call for it). It is void
 * the moment its holder dies, so nothing is ever stale and nothing has to be taken over; and it belongs to the file, so
 * two containers that share a volume see each other, which process ids and abstract sockets do not promise.
 * One rule comes with it: no other code of this process may open the lock's file, because closing it would end the lock.
 */
export function lockDirectory(directory: string): DirectoryLock {
  let lock: DatabaseSync | null = null;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    lock = new DatabaseSync(join(directory, 'countersign.lock'), { timeout: 0 });
    // Without a journal nothing is ever written: the file stays empty.
    lock.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    lock?.close();
    throw new StoreUnusable(refusal(directory, error), { cause: error });
  }
  return keep(lock);
}

function keep(lock: DatabaseSync): DirectoryLock {
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

const SQLITE_BUSY = 5;

function refusal(directory: string, error: unknown): string {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
    return (
      `The data directory ${directory} is in use by another Countersign process. ` +
      'Stop that one first, or set DATA_DIR to a directory of its own; for several replicas set DATABASE_URL.'
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return `The data directory ${directory} cannot be locked (${reason}). Set DATA_DIR to a writable directory on a local disk.`;
}
