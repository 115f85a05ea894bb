import { Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, inject, it, vi } from 'vitest';
import { openPostgres } from '../../../../../src/adapters/store/engine/postgres.ts';
import { openLedger } from '../../../../../src/adapters/store/open.ts';
import { command, makeDatabase, serverUrl } from '../../../../support/server-database.ts';

const url = serverUrl();

describe.skipIf(url === null)('PostgreSQL', () => {
  it('takes over no default of the database that would break promises (S77, S81)', async () => {
    const database = await makeDatabase(url ?? '', null);
    const defaults = [
      "default_transaction_isolation = 'serializable'",
      "lock_timeout = '1ms'",
      'statement_timeout = 0',
    ];
    for (const one of defaults) await command(url ?? '', `alter database ${database.name} set ${one}`);
    const backend = openPostgres(database.url);
    const { rows } = await sql`
      select current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as locks,
        current_setting('statement_timeout') as statements
    `.execute(backend.db);
    expect(rows).toEqual([{ isolation: 'read committed', locks: '0', statements: '1min' }]);
    await backend.close();
    await database.drop();
  });

  it('lets a command read the ledger for as long as it is large', async () => {
    const database = await makeDatabase(url ?? '', inject('serverTemplate'));
    const { db, close } = await openLedger({ databaseUrl: database.url, dataDir: null });
    const { rows } = await sql`select current_setting('statement_timeout') as statements`.execute(db);
    expect(rows).toEqual([{ statements: '0' }]);
    await close();
    await database.drop();
  });

  it('notices a silently vanished server in seconds (S81)', async () => {
    const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const backend = openPostgres(url ?? '');
    await sql`select 1`.execute(backend.db);
    const delays = setKeepAlive.mock.calls.filter(([on]) => on === true).map(([, ms]) => ms);
    setKeepAlive.mockRestore();
    await backend.close();
    // Below one second, the system default of mostly two hours would stay.
    expect(delays).toEqual([5_000]);
  });
});
