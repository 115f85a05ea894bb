import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { errorCodeOf } from '../../../lib/outage.ts';
import { isRecord } from '../../../lib/trust.ts';
import { DatabaseError } from './errors.ts';
import { reasonOf } from './opening-errors.ts';

const DENIED_CODES: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** SQLite's codes for a file that cannot be written or opened. */
const SQLITE_DENIED: ReadonlySet<unknown> = new Set([8, 14]);

/** EACCES and EPERM of WebAssembly, in the objects that PGlite's file layer throws. */
const WASI_DENIED: ReadonlySet<unknown> = new Set([2, 63]);

/** Whether the file system denied this process access, so that the state of the files is unknown. */
export function isAccessDenied(error: unknown): boolean {
  if (!isRecord(error)) return false;
  if (error['name'] === 'ErrnoError') return WASI_DENIED.has(error['errno']);
  return SQLITE_DENIED.has(error['errcode']) || (error instanceof Error && DENIED_CODES.has(errorCodeOf(error)));
}

/** The sentence for a data directory that this process cannot use: who owns it, and who must. */
export function accessError(dataDir: string, error: unknown): DatabaseError {
  const message = `Countersign may not write in DATA_DIR, ${dataDir} (${reasonOf(error)}). ${accessStep(dataDir)}`;
  return new DatabaseError(message, { cause: error });
}

const OTHER_DIRECTORY = 'set DATA_DIR to a writable directory on a local disk';

function accessStep(dataDir: string): string {
  const place = nearestExisting(dataDir);
  const [owner, user] = [statSync(place).uid, process.getuid?.() ?? null];
  if (user === null || owner === user) return `Make it writable, or ${OTHER_DIRECTORY}.`;
  const command = place === dataDir ? `chown -R ${user} ${dataDir}` : `install -d -m 700 -o ${user} ${dataDir}`;
  return `The user with the id ${owner} owns ${place}, and Countersign runs with the id ${user}: as an administrator run "${command}", or ${OTHER_DIRECTORY}.`;
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}
