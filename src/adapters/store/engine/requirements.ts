import { type Kysely, sql } from 'kysely';
import { formatList } from '../../../lib/format.ts';
import { type Backend, LEASE_HOLDER_LOCKS } from './backend.ts';
import { CREATE_DATABASE, DatabaseError } from './errors.ts';
import type { DatabaseSchema } from './schema.ts';

/** The oldest PostgreSQL that has all the functions of our triggers. */
const MIN_VERSION = 13;

/**
 * Requires this version of PostgreSQL, because an older one would only fail at the first vote. Throws `DatabaseError`.
 */
export async function requireVersion(db: Kysely<DatabaseSchema>, min = MIN_VERSION): Promise<void> {
  const { rows } = await sql<{ number: number; name: string }>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as name
  `.execute(db);
  const [found] = rows;
  if (found === undefined || found.number >= min * 10_000) return;
  throw new DatabaseError(
    `The server of DATABASE_URL is PostgreSQL ${found.name}, and Countersign needs ${min} or newer: upgrade it, or use another one.`,
  );
}

/** Requires an encoding that has every character. Throws `DatabaseError` otherwise. */
export async function requireUtf8(db: Kysely<DatabaseSchema>): Promise<void> {
  const { rows } = await sql<{ name: string; encoding: string }>`
    select quote_ident(current_database()) as name, current_setting('server_encoding') as encoding
  `.execute(db);
  const [found] = rows;
  if (found === undefined || found.encoding === 'UTF8') return;
  throw new DatabaseError(
    `The database ${found.name} has the encoding ${found.encoding}, in which most characters of comments and code cannot be stored. ` +
      `As an administrator run "${CREATE_DATABASE}", and name that database in DATABASE_URL.`,
  );
}

/**
 * Requires that the lock of this process is not held by a session that also does its work, as a pooler that shares
 * sessions makes it: leases, notifications and prepared statements would fail there now and then.
 */
export async function requireOwnSessions({ db, leaseHolderId }: Pick<Backend, 'db' | 'leaseHolderId'>): Promise<void> {
  const { rows } = await sql`
    select from pg_locks
    where locktype = 'advisory' and pid = pg_backend_pid()
      and classid::bigint = ${LEASE_HOLDER_LOCKS}::bigint and objid::bigint = ${leaseHolderId}::bigint
  `.execute(db);
  if (rows.length === 0) return;
  throw new DatabaseError(
    'DATABASE_URL leads to a pooler that shares its connections between transactions. ' +
      'Connect to PostgreSQL directly, or through a pooler in session mode; see docs/operations.md.',
  );
}

const EVERYTHING: readonly string[] = ['select', 'insert', 'update', 'delete'];

/** The rights that the server uses on each table. Triggers write the ledger's chain with the rights of its owner. */
const USED_RIGHTS: Readonly<Record<keyof DatabaseSchema, readonly string[]>> = {
  inbox: EVERYTHING,
  pulls: EVERYTHING,
  runs: EVERYTHING,
  run_starts: ['select', 'insert', 'delete'],
  proposals: EVERYTHING,
  messages: EVERYTHING,
  side_messages: EVERYTHING,
  effects: EVERYTHING,
  recovery_state: EVERYTHING,
  rate_limits: EVERYTHING,
  installation_events: EVERYTHING,
  votes: ['select', 'insert', 'update (text)', 'update (text_salt)'],
  proposal_outcomes: [
    ...['select', 'insert'],
    ...['update (note)', 'update (note_salt)', 'update (record)', 'update (record_salt)'],
  ],
  committed_changes: ['select', 'insert'],
  ledger_chain: ['select'],
  ledger_heads: ['select'],
  ledger_size: ['select'],
  migrations: ['select'],
};

/** A table or sequence on which the role lacks rights. */
type MissingRights = { readonly name: string; readonly kind: 'table' | 'sequence'; readonly rights: readonly string[] };

/**
 * Requires the rights on all tables and their sequences. Throws a `DatabaseError` that has the statement that helps: a
 * role without one of them would start, and then fail again and again.
 */
export async function requireRights(db: Kysely<DatabaseSchema>): Promise<void> {
  const { role, database, schema } = await describeRole(db);
  const refuse = (about: string, grants: readonly string[]): DatabaseError =>
    new DatabaseError(
      `The role ${role} lacks rights on ${about} in the database ${database}: as the owner of the tables run ` +
        `"${grants.join('; ')}" there. docs/operations.md lists all rights under "Two database roles".`,
    );
  if (schema !== null) throw refuse(`the schema ${schema}`, [`grant usage on schema ${schema} to ${role}`]);
  const missing = [...(await findMissingTableRights(db)), ...(await findMissingSequenceRights(db))];
  if (missing.length > 0) throw refuse(listNames(missing), listGrants(missing, role));
}

/** `schema` has the tables, and the role cannot use it; null if it can. */
async function describeRole(db: Kysely<DatabaseSchema>) {
  const { rows } = await sql<{ role: string; database: string; schema: string | null }>`
    select quote_ident(current_user) as role, quote_ident(current_database()) as database,
      (select quote_ident(nspname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where relname = 'ledger_chain' and relkind = 'r' and to_regclass('ledger_chain') is null
          and not has_schema_privilege(relnamespace, 'usage') limit 1) as schema
  `.execute(db);
  return rows[0] ?? { role: 'ROLE', database: 'NAME', schema: null };
}

async function findMissingTableRights(db: Kysely<DatabaseSchema>): Promise<readonly MissingRights[]> {
  const used = Object.entries(USED_RIGHTS).flatMap(([name, rights]) =>
    rights.map((right) => {
      const [, verb = right, column = ''] = /^(\w+) \((\w+)\)$/.exec(right) ?? [];
      return sql`(${sql.lit(name)}, ${sql.lit(right)}, ${sql.lit(verb)}, ${sql.lit(column)})`;
    }),
  );
  const { rows } = await sql<{ name: string; right: string }>`
    select name, "right" from (values ${sql.join(used)}) as used (name, "right", verb, "column")
    where not case when "column" = '' then has_table_privilege(to_regclass(name), verb)
      else has_column_privilege(to_regclass(name), "column", verb) end
  `.execute(db);
  return Object.keys(USED_RIGHTS).flatMap((name) => {
    const rights = rows.filter((row) => row.name === name).map((row) => row.right);
    return rights.length === 0 ? [] : [{ name, kind: 'table', rights }];
  });
}

/**
 * A row cannot be inserted without the right to count its id. `case` keeps the order of the two tests: the server may
 * otherwise ask for the rights on a table first, as if it was a sequence, which is an error.
 */
async function findMissingSequenceRights(db: Kysely<DatabaseSchema>): Promise<readonly MissingRights[]> {
  const { rows } = await sql<{ name: string }>`
    select sequence.relname as name from pg_depend join pg_class sequence on sequence.oid = objid
    where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
      and refobjid in (${sql.join(Object.keys(USED_RIGHTS).map((name) => sql`to_regclass(${sql.lit(name)})`))})
      and case when relkind = 'S' then not has_sequence_privilege(sequence.oid, 'usage') else false end
    order by name
  `.execute(db);
  return rows.map(({ name }) => ({ name, kind: 'sequence', rights: ['usage'] }));
}

function listNames(missing: readonly MissingRights[]): string {
  const named = (['table', 'sequence'] as const).flatMap((kind) => {
    const names = missing.filter((one) => one.kind === kind).map(({ name }) => name);
    if (names.length === 0) return [];
    return [`the ${kind}${names.length === 1 ? '' : 's'} ${formatList(names)}`];
  });
  return formatList(named);
}

/** One statement for all tables, and one for all sequences, that lack the same rights. */
function listGrants(missing: readonly MissingRights[], role: string): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { name, kind, rights } of missing) {
    const start = `grant ${rights.join(', ')} on ${kind === 'sequence' ? 'sequence ' : ''}`;
    groups.set(start, [...(groups.get(start) ?? []), name]);
  }
  return [...groups].map(([start, names]) => `${start}${names.join(', ')} to ${role}`);
}
