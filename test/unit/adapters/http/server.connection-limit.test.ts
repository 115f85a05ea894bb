import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttpServer } from '../../../../src/adapters/http/server.ts';
import { createLogger } from '../../../../src/adapters/telemetry/log.ts';
import { openEntry, SECRET, type TestEntry, type TestEntryOptions } from './entry.ts';
import { send, signed } from './raw-client.ts';

const BODY = JSON.stringify({ action: 'created' });

const HEADERS = Object.entries(signed(BODY, SECRET)).map(([name, value]) => `${name}: ${value}\r\n`);

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(options: TestEntryOptions): Promise<TestEntry> {
  const entry = await openEntry(options);
  closers.push(() => entry.stop(0));
  return entry;
}

/** Opens a connection, sends this text, and keeps it open. */
async function stranger(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

function strangers(port: number, count: number, text?: string): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => stranger(port, text)));
}

/** Of more bytes than the network between both sides holds. */
const LARGE_ANSWERS = { count: 16, bytes: 1024 * 1024 };

/** Sends whole requests and reads none of the answers. */
async function deafStranger(port: number): Promise<void> {
  const socket = (await stranger(port)).pause();
  for (let count = 0; count < LARGE_ANSWERS.count; count += 1) {
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await sleep(2);
  }
}

async function deliver(port: number): Promise<number> {
  return (await send(port, { headers: signed(BODY, SECRET), body: BODY })).status;
}

/** One request on one of this proxy's connections. */
function forward(port: number, agent: Agent, secret = SECRET): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { ...signed(BODY, secret), 'content-length': String(BODY.length) };
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path: '/api/github/webhooks', headers, agent });
  outgoing.on('response', (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  });
  outgoing.on('error', reject);
  outgoing.end(BODY);
  return promise;
}

function proxyOf(connections: number): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
  closers.push(() => agent.destroy());
  return agent;
}

const PARTIAL = {
  'nothing at all': '',
  'half a header': 'POST /api/github/webhooks HTTP/1.1\r\nHost: x\r\n',
  'half a body behind a well-formed signature': `POST /api/github/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n${HEADERS.join('')}\r\n{`,
  'requests to no route': 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n',
};

describe('more idle connections than the server holds', () => {
  it.each(Object.entries(PARTIAL))('that send %s close neither webhook nor status (X4)', async (_what, text) => {
    const entry = await start({ maxConnections: 100 });
    await strangers(entry.port, 300, text);
    for (let count = 0; count < 20; count += 1) {
      await stranger(entry.port, text);
      await sleep(10);
    }
    expect(await deliver(entry.port)).toBe(202);
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await send(entry.port, { method: 'GET', path })).status).toBe(200);
    const warnings = entry.lines.filter((line) => line.includes('too many connections'));
    expect(warnings).toHaveLength(1);
  });

  it('that read none of their answers keep nobody out (X4)', async () => {
    const body = 'x'.repeat(LARGE_ANSWERS.bytes);
    const server = await openHttpServer({
      host: '127.0.0.1',
      port: 0,
      routes: [{ method: 'GET', path: '/large', handle: async () => ({ status: 200, body }) }],
      log: createLogger({ level: 'silent', format: 'json', secrets: [] }),
      responses: { inc: () => {} },
      maxConnections: 10,
    });
    closers.push(() => server.stop(0));
    for (let count = 0; count < 15; count += 1) await deafStranger(server.port);
    expect((await send(server.port, { method: 'GET', path: '/large' })).body).toBe(body);
  });

  it('lose the connections that wait longest, and no others (X4)', async () => {
    const entry = await start({ maxConnections: 20 });
    const closed: number[] = [];
    for (let index = 0; index < 23; index += 1)
      (await stranger(entry.port)).once('close', () => void closed.push(index));
    await expect.poll(() => closed).toEqual([0, 1, 2, 3, 4]);
    expect(await deliver(entry.port)).toBe(202);
    await expect.poll(() => closed).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('take nothing from the busy connections of a proxy, although all come from one address (X4)', async () => {
    const entry = await start({ maxConnections: 100, deliver: () => sleep(20) });
    const proxy = proxyOf(20);
    let isOver = false;
    const answers = Promise.all(
      Array.from({ length: 20 }, async () => {
        const statuses: number[] = [];
        while (!isOver) statuses.push(await forward(entry.port, proxy));
        return statuses;
      }),
    );
    for (let wave = 0; wave < 4; wave += 1) await strangers(entry.port, 200);
    isOver = true;
    const statuses = (await answers).flat();
    expect(statuses.length).toBeGreaterThan(20);
    expect(new Set(statuses)).toEqual(new Set([202]));
  });

  it('close a connection that carried a signed delivery last, however long it is idle (X4)', async () => {
    const entry = await start({ maxConnections: 20 });
    const proxy = proxyOf(1);
    expect(await forward(entry.port, proxy)).toBe(202);
    expect(await forward(entry.port, proxy, 'another secret')).toBe(401);
    const [kept] = Object.values(proxy.freeSockets).flat();
    const closing: boolean[] = [];
    kept?.once('end', () => void closing.push(true));
    await strangers(entry.port, 60);
    await sleep(200);
    expect([kept?.destroyed, closing]).toEqual([false, []]);
    expect(await forward(entry.port, proxy)).toBe(202);
  });

  it('close no connection whose request is being handled (X4)', async () => {
    const stored = Promise.withResolvers<void>();
    let handled = 0;
    const deliverLate = (): Promise<void> => {
      handled += 1;
      return stored.promise;
    };
    const entry = await start({ maxConnections: 10, deliver: deliverLate });
    const busy: Promise<number>[] = [];
    for (let count = 1; count <= 10; count += 1) {
      busy.push(deliver(entry.port));
      await expect.poll(() => handled, { interval: 5 }).toBe(count);
    }
    await strangers(entry.port, 30);
    stored.resolve();
    expect(await Promise.all(busy)).toEqual(Array.from({ length: 10 }, () => 202));
  });
});
