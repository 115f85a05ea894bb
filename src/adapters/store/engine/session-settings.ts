import type { ClientBase } from 'pg';

/** Settings of a session by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * For the work. The locks of the store only help if each statement sees what others committed before it: in a stricter
 * isolation a commit would overlook a denial that was stored while it waited for the lock.
 */
export const WORK_SETTINGS: SessionSettings = {
  default_transaction_isolation: 'read committed',
  statement_timeout: '60s',
  lock_timeout: '0',
};

/** For commands that read a whole ledger, which takes as long as it is large. */
export const READING_SETTINGS: SessionSettings = { ...WORK_SETTINGS, statement_timeout: '0' };

/** For the connection that only listens: each time that it is closed, other processes could take our leases. */
export const LISTENING_SETTINGS: SessionSettings = { idle_session_timeout: '0' };

/**
 * Replaces what the server, the database or the role have set. It takes a statement, because poolers refuse settings at
 * the start of a connection. Leaves out what this version of PostgreSQL does not know.
 */
export async function applySettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  await client.query(
    `select set_config(name, wanted.value, false)
     from json_each_text($1) as wanted (name, value) join pg_settings using (name)`,
    [JSON.stringify(settings)],
  );
}
