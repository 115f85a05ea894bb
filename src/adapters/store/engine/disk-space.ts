import { statfsSync } from 'node:fs';
import { errorCodeOf } from '../../../lib/outage.ts';
import { isRecord } from '../../../lib/trust.ts';
import { DatabaseError } from './errors.ts';

/** Codes of Node, PostgreSQL and, as numbers, of SQLite for a disk or a quota that is used up. */
const FULL_DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100', 13]);

/** PGlite's file layer throws objects with these numbers of WebAssembly: no space left, quota used up. */
const WASI_FULL_DISK: ReadonlySet<unknown> = new Set([51, 19]);

export function isDiskFull(error: unknown): boolean {
  if (!isRecord(error)) return false;
  const { name, errno, errcode } = error;
  if (name === 'ErrnoError') return WASI_FULL_DISK.has(errno);
  return FULL_DISK_CODES.has(errcode) || (error instanceof Error && FULL_DISK_CODES.has(errorCodeOf(error)));
}

/** PGlite cannot start with less, because it writes its log in segments of this size. */
const LOG_SEGMENT_BYTES = 16 * 1024 * 1024;

/** Whether the disk of a directory is (nearly) full. A database that stops for that often gives another reason. */
export function hasNoSpace(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LOG_SEGMENT_BYTES;
  } catch {
    return false;
  }
}

/** The data stays where it is: a start in another directory would begin without it. */
export function fullDiskError(dataDir: string, cause: unknown): DatabaseError {
  return new DatabaseError(
    `The disk of ${dataDir} is full (${reasonOf(cause)}). Nothing is lost: make room on it, then start again. ` +
      'Leave DATA_DIR and its files as they are.',
    { cause },
  );
}

/** The message of anything that was thrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (!isRecord(error)) return String(error);
  return isDiskFull(error)
    ? 'no space left on device'
    : `${String(error['name'])} ${String(error['errno'] ?? '')}`.trim();
}
