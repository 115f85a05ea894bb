import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { openPostgres } from '../../../../../src/adapters/store/engine/postgres.ts';
import { serverUrl } from '../../../../support/server-database.ts';

const url = serverUrl();

/** A proxy in front of the server. `goSilent` silences all connections, and closes the first. */
async function silentProxy(server: URL) {
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
  const goSilent = (): void => {
    const [first] = pairs;
    for (const [near, far] of pairs) near.unpipe(far).pause();
    for (const [near, far] of pairs) far.unpipe(near).pause();
    first?.[0].destroy();
  };
  const close = (): void => {
    for (const socket of pairs.flat()) socket.destroy();
    listening.close();
  };
  return { url: own.href, goSilent, close };
}

describe.skipIf(url === null)('PostgreSQL', () => {
  it('notices a silently vanished server in seconds (S81)', async () => {
    const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const backend = await openPostgres(url ?? '');
    await sql`select 1`.execute(backend.db);
    const delays = setKeepAlive.mock.calls.filter(([on]) => on === true).map(([, ms]) => ms);
    setKeepAlive.mockRestore();
    await backend.close();
    // Below one second, the system default of mostly two hours would stay.
    expect(delays).toEqual([5_000, 5_000]);
  });

  it('stops waiting for a silently vanished server once that is known (S81)', async () => {
    const before = await silentProxy(new URL(url ?? ''));
    const backend = await openPostgres(before.url);
    const ask = () => sql`select 1`.execute(backend.db);
    await ask();
    before.goSilent();
    await expect(ask()).rejects.toThrow('Connection terminated');
    await ask();
    await backend.close();
    before.close();
  });
});
