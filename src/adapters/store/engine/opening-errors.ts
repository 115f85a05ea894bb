import { statfsSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { errorCodeOf, isOutage } from '../../../lib/outage.ts';
import { isRecord } from '../../../lib/trust.ts';
import { CREATE_DATABASE, DatabaseError } from './errors.ts';
import type { DatabaseSchema } from './schema.ts';

/** The operator's next step by the code of the error, for a connection that fails. */
const CONNECTION_STEPS: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '28000': 'Check the user and the password in DATABASE_URL, and the rules of pg_hba.conf.',
  '3D000': 'Create that database, or correct its name in DATABASE_URL.',
  '42501': 'Grant the role the right to connect to that database.',
  '53300': 'Raise max_connections, or run fewer processes: each one needs 11 connections.',
  '57P03': 'Wait until the database server has started, then start again.',
  ENOENT: 'Correct the paths of sslrootcert, sslcert and sslkey in DATABASE_URL.',
};

const CERTIFICATE_STEP =
  'DATABASE_URL demands a certificate that is valid for its host name: name your own CA with sslrootcert=PATH, ' +
  'or correct the host name. sslmode=no-verify only encrypts, and lets anybody pretend to be the server.';

/** Codes of Node for a certificate that is not trusted, expired or for another name. */
const CERTIFICATE_CODE = /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_)/;

const NO_TLS_MESSAGE = 'The server does not support SSL connections';

const DEFAULT_STEP = 'Check its address and credentials, and that it is running.';

/** Why PostgreSQL cannot be reached. Leaves out the address, which can hold a password. */
export function unreachableError(error: unknown): DatabaseError {
  const reason = error instanceof Error ? error.message || errorCodeOf(error) || error.name : String(error);
  const message = `The database that DATABASE_URL names cannot be reached (${reason}). ${connectionStep(error)}`;
  return new DatabaseError(message, { cause: error });
}

function connectionStep(error: unknown): string {
  if (!(error instanceof Error)) return DEFAULT_STEP;
  const code = errorCodeOf(error);
  if (CERTIFICATE_CODE.test(code)) return CERTIFICATE_STEP;
  if (error.message === NO_TLS_MESSAGE) return 'Turn on TLS at the server, or remove sslmode from DATABASE_URL.';
  return CONNECTION_STEPS[code] ?? DEFAULT_STEP;
}

/** PostgreSQL's code for a role that lacks a right. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** A role without the right to use a schema sees no schema at all. */
const NO_SCHEMA = '3F000';

/** Whether the role of the connection lacks a right that the statement needs. */
export function lacksRight(error: unknown): error is Error {
  return error instanceof Error && [INSUFFICIENT_PRIVILEGE, NO_SCHEMA].includes(errorCodeOf(error));
}

/** The lack of a role: a schema that its search_path names, rights on the tables, or the right to create them. */
type Lack = 'schema' | 'tables' | 'creation';

type MissingRight = { readonly role: string; readonly name: string; readonly lack: Lack };

/** The sentence for a role that cannot create the first table, or cannot read the tables that exist. */
export async function missingRightError(db: Kysely<DatabaseSchema>, error: Error): Promise<DatabaseError> {
  const { rows } = await sql<MissingRight>`
    select quote_ident(current_user) as role, quote_ident(current_database()) as name,
      case when current_schema() is null and has_schema_privilege(to_regnamespace('public'), 'create') then 'schema'
        when exists (select from pg_class where relname = 'migrations' and relkind = 'r') then 'tables'
        else 'creation' end as lack
  `.execute(db);
  const missing = rows[0] ?? { role: 'ROLE', name: 'NAME', lack: 'creation' };
  const { role, name, lack } = missing;
  const may = lack === 'tables' ? 'use the tables' : 'create tables';
  const reason = `The role ${role} may not ${may} in the database ${name} (${error.message}).`;
  return new DatabaseError(`${reason} ${RIGHT_STEPS[lack](missing)}`, { cause: error });
}

const RIGHT_STEPS: Readonly<Record<Lack, (missing: MissingRight) => string>> = {
  schema: ({ role }) =>
    `Its search_path names no schema that exists: set it to one, as with "alter role ${role} set search_path = public", and remove any other from DATABASE_URL.`,
  tables: () =>
    'Grant it the rights that docs/operations.md lists under "Two database roles", or use the role that owns the tables.',
  creation: ({ role, name }) =>
    `As an administrator run "grant usage, create on schema public to ${role}" in that database, ` +
    `or give it to the role: "alter database ${name} owner to ${role}".`,
};

/** Codes for a column that our table would have, and for a table or function that exists already. */
const FOREIGN_TABLE_CODES: readonly string[] = ['42703', '42P07', '42723'];

/** An error of the first migration: for tables of another program, the sentence that says so. */
export function explainForeignTables(error: unknown): unknown {
  if (!(error instanceof Error) || !FOREIGN_TABLE_CODES.includes(errorCodeOf(error))) return error;
  return foreignTablesError(error.message, error);
}

/** The sentence for a database with tables of another program. `evidence` says how that shows. */
export function foreignTablesError(evidence: string, cause?: Error): DatabaseError {
  return new DatabaseError(
    `The database that DATABASE_URL names has tables of another program (${evidence}). ` +
      `Countersign needs a database of its own: as an administrator run "${CREATE_DATABASE}", and name that one.`,
    { cause },
  );
}

/** An error while the schema is read or migrated, with the operator's next step; unknown errors stay as they are. */
export function explainOpening(error: unknown, dataDir: string | null): unknown {
  if (error instanceof DatabaseError) return error;
  if (isDiskFull(error)) return dataDir === null ? fullServerError(error) : fullDiskError(dataDir, error);
  if (error instanceof Error && errorCodeOf(error) === '25006') return readOnlyError(error);
  return isOutage(error) ? unreachableError(error) : error;
}

function fullServerError(cause: unknown): DatabaseError {
  return new DatabaseError(
    `The disk of the database server is full (${reasonOf(cause)}). Nothing is lost: make room on it, then start again.`,
    { cause },
  );
}

function readOnlyError(cause: Error): DatabaseError {
  return new DatabaseError(
    `The database that DATABASE_URL names is read-only (${cause.message}). ` +
      'Use the address of the primary server, and a role without default_transaction_read_only.',
    { cause },
  );
}

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

/** The size of a database without data (MB). */
const NEW_DATABASE_MB = 40;

/** The sentence for a first start, which has nothing to lose. */
export function tooSmallDiskError(dataDir: string, cause: unknown): DatabaseError {
  return new DatabaseError(
    `The disk of ${dataDir} is full (${reasonOf(cause)}): a new database needs ${NEW_DATABASE_MB} MB, and more as it grows. ` +
      'Make room on it, or set DATA_DIR to a directory on another disk, then start again.',
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
