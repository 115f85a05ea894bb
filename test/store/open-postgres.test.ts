import { Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { serverUrl } from '../server-database.ts';

const url = serverUrl();

describe.skipIf(url === null)('PostgreSQL', () => {
  it('S81: a server that goes away without a word is missed in seconds, not in hours', async () => {
    const kept = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const backend = await openPostgres(url ?? '');
    await sql`select 1`.execute(backend.db);
    const given = kept.mock.calls.filter(([on]) => on === true).map(([, ms]) => ms);
    kept.mockRestore();
    await backend.close();
    // Under a second is none: the system's own time, mostly two hours, stays.
    expect(given).toEqual([5_000, 5_000]);
  });
});
