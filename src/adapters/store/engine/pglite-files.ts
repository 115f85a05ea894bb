import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { isRecord } from '../../../lib/trust.ts';
import { DatabaseError } from './errors.ts';
import { accessError, isAccessDenied } from './file-access.ts';
import { fullDiskError, isDiskFull, reasonOf } from './opening-errors.ts';

/** Released by `release`, or when the process ends in any way. */
type DirectoryLock = { release(): void };

/** Keeps locks reachable: a garbage-collected handle would be closed, and its lock released. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Locks the directory, which is created if missing, for this process. Throws `DatabaseError` while another process
 * holds the lock. Never open the lock file elsewhere in this process: closing it would release the lock.
 */
export function lockDirectory(directory: string): DirectoryLock {
  let lock: DatabaseSync | null = null;
  try {
    makeDirectory(directory);
    // SQLite takes the kernel's record lock for us, because Node has no call for it. Such a lock ends with its process,
    // and works between containers that share a volume.
    lock = new DatabaseSync(join(directory, 'countersign.lock'), { timeout: 0 });
    // Without a journal nothing is ever written, and the file stays empty.
    lock.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    lock?.close();
    if (isDiskFull(error)) throw fullDiskError(directory, error);
    if (isAccessDenied(error)) throw accessError(directory, error);
    throw new DatabaseError(lockErrorMessage(directory, error), { cause: error });
  }
  return registerLock(lock);
}

/**
 * Creates a directory and those above it, only for this user. Node's recursive `mkdirSync` goes on for ever where a
 * parent exists and the system nevertheless says that it does not, as below `/proc` and in a deleted directory.
 */
function makeDirectory(directory: string): void {
  const missing: string[] = [];
  for (let path = resolve(directory); !existsSync(path) && dirname(path) !== path; path = dirname(path))
    missing.unshift(path);
  // Fails if there is something else.
  if (missing.length === 0 && !isDirectory(directory)) mkdirSync(directory);
  for (const path of missing) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process can have created it.
      if (!isDirectory(path)) throw error;
    }
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function registerLock(lock: DatabaseSync): DirectoryLock {
  heldLocks.add(lock);
  return {
    release() {
      if (heldLocks.delete(lock)) lock.close();
    },
  };
}

const SQLITE_BUSY = 5;

function lockErrorMessage(directory: string, error: unknown): string {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
    return (
      `The data directory ${directory} is in use by another Countersign process. ` +
      'Stop that one first, or set DATA_DIR to a directory of its own; for several replicas set DATABASE_URL.'
    );
  }
  return `The data directory ${directory} cannot be locked (${reasonOf(error)}). Set DATA_DIR to a writable directory on a local disk.`;
}

/** Permission bits of group and others. */
const SHARED_MODE = 0o077;

/**
 * Creates the database's directory, or takes all access to an existing one from other users. PGlite creates its files
 * with mode 0666, so the directory alone protects the votes. Throws `DatabaseError` if it stays accessible.
 */
export function makePrivateDirectory(directory: string): void {
  try {
    makeDirectory(directory);
    if ((statSync(directory).mode & SHARED_MODE) !== 0) chmodSync(directory, 0o700);
  } catch (error) {
    if (isDiskFull(error)) throw fullDiskError(directory, error);
    throw new DatabaseError(
      `Other users can access the database in ${directory}, and this cannot be changed (${reasonOf(error)}). ` +
        'Make the user that runs Countersign its owner, or set DATA_DIR to a directory of its own.',
      { cause: error },
    );
  }
}

/** EIO in WebAssembly. The database then stops instead of trusting a write that might be lost. */
const WASI_EIO = 29;

/**
 * PGlite's directory on disk with a working `fsync`. PGlite itself has none and starts its database without syncing, so
 * a commit would survive a killed process but not a power failure. A 2xx response promises both.
 */
export class DurableFiles extends NodeFS {
  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const preRun = (files: { readonly NODEFS: unknown }): void => addFsync(files.NODEFS);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [preRun, ...(emscriptenOpts.preRun ?? [])] } };
  }
}

/** PGlite's start parameters with syncing turned on. */
export function durableStartParams(): string[] {
  const params = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  return [...params, '-c', 'wal_sync_method=fsync'];
}

function addFsync(files: unknown): void {
  if (!isRecord(files) || !isRecord(files['stream_ops']))
    throw new Error('Cannot sync files: PGlite’s file layer has changed');
  Object.assign(files['stream_ops'], { fsync: syncStream });
}

function syncStream(stream: unknown): number {
  const descriptor = isRecord(stream) ? stream['nfd'] : null;
  if (typeof descriptor !== 'number') return WASI_EIO;
  try {
    fsyncSync(descriptor);
    return 0;
  } catch {
    return WASI_EIO;
  }
}

/** Syncs every file and directory below `root`, because the creation of a database does not. */
export function syncTree(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(join(entry.parentPath, entry.name));
  }
  syncPath(root);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
