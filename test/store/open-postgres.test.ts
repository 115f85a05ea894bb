import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { serverUrl } from '../server-database.ts';

const url = serverUrl();

/** Stands before the server. `falls`: connections that are open say nothing any more, but for the first, which breaks. */
async function silencer(server: URL) {
  const pairs: (readonly [Socket, Socket])[] = [];
  const listening = createServer((near) => {
    const far = connect(Number(server.port || 5432), server.hostname);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  const own = new URL(server);
  own.host = `127.0.0.1:${address.port}`;
  const falls = (): void => {
    const [first] = pairs;
    for (const [near, far] of pairs) near.unpipe(far).pause();
    for (const [near, far] of pairs) far.unpipe(near).pause();
    first?.[0].destroy();
  };
  const close = (): void => {
    for (const socket of pairs.flat()) socket.destroy();
    listening.close();
  };
  return { url: own.href, falls, close };
}

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

  it('S81: what waits for a server that is gone without a word waits no more once that is known', async () => {
    const before = await silencer(new URL(url ?? ''));
    const backend = await openPostgres(before.url);
    const ask = () => sql`select 1`.execute(backend.db);
    await ask();
    before.falls();
    await expect(ask()).rejects.toThrow('Connection terminated');
    await ask();
    await backend.close();
    before.close();
  });
});
