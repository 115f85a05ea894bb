import { statfsSync } from 'node:fs';
import process from 'node:process';
import { errorCodeOf, isOutage, KnownFaultError } from '../../../lib/outage.ts';
import { isRecord } from '../../../lib/trust.ts';

/** The database cannot be opened. The message names the cause and the operator's next step. */
export class DatabaseError extends KnownFaultError {
  override readonly name = 'DatabaseError';
}

/** The statement that makes a database for Countersign, for messages to operators. */
export const CREATE_DATABASE = "create database countersign encoding 'UTF8' locale 'C' template template0";

/** A stored run or proposal has a schema version that this version does not know; callers must never guess (S84). */
export class UnsupportedSchemaError extends Error {
  readonly pullRequestKey: string;
  readonly schema: number;
  constructor(pullRequestKey: string, schema: number) {
    super(
      `The stored run of ${pullRequestKey} has schema version ${schema}, which this version of Countersign does not know`,
    );
    this.name = 'UnsupportedSchemaError';
    this.pullRequestKey = pullRequestKey;
    this.schema = schema;
  }
}

const OTHER_TABLES = `It has tables of another program, and Countersign needs a database of its own: as an administrator run "${CREATE_DATABASE}", and name that one.`;

/** What the operator does, by the code of PostgreSQL or of Node. */
const STEPS: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password.',
  '28000': 'Check the user and the password, and the rules of pg_hba.conf.',
  '3D000': 'Create that database, or correct its name.',
  '3F000': 'Its role has no schema: as an administrator run "alter role ROLE set search_path = public".',
  '42501': 'Its role must own the database: as an administrator run "alter database NAME owner to ROLE".',
  '53300': 'Raise max_connections, or run fewer processes: each one needs ten connections.',
  '53100': 'The disk of its server is full. Nothing is lost: make room on it, then start again.',
  '57P03': 'Wait until the database server has started, then start again.',
  '25006': 'It is read-only: use the address of the primary server, and a role without default_transaction_read_only.',
  '42703': OTHER_TABLES,
  '42P07': OTHER_TABLES,
  '42723': OTHER_TABLES,
  ENOENT: 'Correct the paths of sslrootcert, sslcert and sslkey.',
};

/** Codes of Node for a certificate that is not trusted, expired or for another name. */
const CERTIFICATE_CODE = /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_)/;

const CERTIFICATE_STEP =
  'It demands a certificate that is valid for its host name: name your own CA with sslrootcert=PATH, ' +
  'or correct the host name. sslmode=no-verify only encrypts, and lets anybody pretend to be the server.';

const NO_TLS_MESSAGE = 'The server does not support SSL connections';

/** The operator's next step for an error of PostgreSQL; null for an unknown one that is no outage. */
function stepFor(error: unknown): string | null {
  const code = error instanceof Error ? errorCodeOf(error) : '';
  if (CERTIFICATE_CODE.test(code)) return CERTIFICATE_STEP;
  if (reasonOf(error) === NO_TLS_MESSAGE) return 'Turn on TLS at the server, or remove sslmode.';
  return STEPS[code] ?? (isOutage(error) ? 'Check its address and credentials, and that it is running.' : null);
}

/**
 * An error of PostgreSQL at the start, with the operator's next step; unknown ones stay as they are. Leaves out the
 * address, which can hold a password.
 */
export function explainPostgres(error: unknown): unknown {
  const step = error instanceof DatabaseError ? null : stepFor(error);
  if (step === null) return error;
  const message = `The database that DATABASE_URL names cannot be used (${reasonOf(error)}). ${step}`;
  return new DatabaseError(message, { cause: error });
}

/** Codes of Node, and numbers of SQLite and of PGlite's file layer, for a disk or quota that is used up. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'sqlite 13', 'wasi 51', 'wasi 19']);

const DENIED: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'sqlite 8',
  'sqlite 14',
  'wasi 2',
  'wasi 63',
]);

/** PGlite's file layer throws objects with a number of WebAssembly. */
function fileCodeOf(error: unknown): string {
  if (!isRecord(error)) return '';
  if (error['name'] === 'ErrnoError') return `wasi ${error['errno']}`;
  if (error['errcode'] !== undefined) return `sqlite ${error['errcode']}`;
  return error instanceof Error ? errorCodeOf(error) : '';
}

/** PGlite cannot start with less, because it writes its log in segments of this size. */
const LOG_SEGMENT_BYTES = 16 * 1024 * 1024;

/** A database that stops because the disk is full often gives another reason. */
function hasNoSpace(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LOG_SEGMENT_BYTES;
  } catch {
    return false;
  }
}

/** The sentence for a data directory that cannot be used because of its disk or its rights; null for other errors. */
export function explainDataDir(dataDir: string, error: unknown): DatabaseError | null {
  const code = fileCodeOf(error);
  if (FULL_DISK.has(code) || hasNoSpace(dataDir)) {
    // A start in another directory would begin without the data.
    const step = 'Nothing is lost: make room on it (a new database needs 40 MB), then start again.';
    return new DatabaseError(`The disk of ${dataDir} is full (${reasonOf(error)}). ${step}`, { cause: error });
  }
  if (!DENIED.has(code)) return null;
  const user = process.getuid?.() ?? 'of Countersign';
  const step = `Make the user with the id ${user} its owner, or set DATA_DIR to a writable directory on a local disk.`;
  return new DatabaseError(`Countersign may not write in DATA_DIR, ${dataDir} (${reasonOf(error)}). ${step}`, {
    cause: error,
  });
}

/** The message of anything that was thrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message || errorCodeOf(error) || error.name;
  return isRecord(error) ? `${String(error['name'])} ${String(error['errno'] ?? '')}`.trim() : String(error);
}
