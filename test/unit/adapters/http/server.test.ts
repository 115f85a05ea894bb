import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotReadyError } from '../../../../src/adapters/http/server.ts';
import { MAX_REQUEST_BODY_BYTES } from '../../../../src/adapters/http/webhook-endpoint.ts';
import { openEntry, SECRET, type TestEntry, type TestEntryOptions } from './entry.ts';
import { send, signed } from './raw-client.ts';

const BODY = JSON.stringify({ action: 'created', comment: { body: '/approve' } });

const open: TestEntry[] = [];

async function start(options: TestEntryOptions = {}): Promise<TestEntry> {
  const entry = await openEntry(options);
  open.push(entry);
  return entry;
}

async function deliverTo(entry: TestEntry, changes: Readonly<Record<string, string>> = {}, body: string = BODY) {
  return send(entry.port, { headers: signed(body, SECRET, changes), body });
}

/** The logged lines about refused webhooks. */
function refusals({ lines }: TestEntry): readonly unknown[] {
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'webhook refused');
}

/** The server's bytes on a raw connection until it closes, or until `enough` returns true. */
function converse(port: number, write: (socket: Socket) => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let response = '';
  const socket = connect(port, '127.0.0.1', () => write(socket));
  socket.on('data', (bytes: Buffer) => {
    response += bytes.toString();
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(response));
  return promise;
}

const unhandled: unknown[] = [];

const remember = (reason: unknown): void => void unhandled.push(reason);

beforeEach(() => void process.on('unhandledRejection', remember));

afterEach(async () => {
  await Promise.all(open.splice(0).map((entry) => entry.stop(0)));
  process.off('unhandledRejection', remember);
  expect(unhandled).toEqual([]);
});

describe('the webhook route', () => {
  it('accepts a signed delivery and answers 202 with a constant body', async () => {
    const entry = await start();
    const reply = await deliverTo(entry);
    expect(reply).toMatchObject({ status: 202, body: 'accepted\n' });
    expect(entry.taken).toEqual([
      { id: '00000000-0000-4000-8000-000000000000', name: 'issue_comment', payload: JSON.parse(BODY) },
    ]);
  });

  it.each(['null', '5', '"x"', '[]', '{', 'true', '\u0000'])(
    'the signed body %j is refused and the process survives (M21)',
    async (body) => {
      const entry = await start();
      expect(await deliverTo(entry, {}, body)).toMatchObject({ status: 400, body: 'malformed request\n' });
      expect((await deliverTo(entry)).status).toBe(202);
      expect(entry.taken).toHaveLength(1);
    },
  );

  it('bytes that are not UTF-8 are refused (M21)', async () => {
    const entry = await start();
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await send(entry.port, { headers: signed(body, SECRET), body })).status).toBe(401);
    expect(entry.taken).toEqual([]);
  });

  it.each([
    ['x-github-event', 'Issue Comment'],
    ['x-github-event', ''],
    ['x-github-delivery', 'a b'],
    ['x-github-delivery', 'x'.repeat(65)],
    ['content-type', 'application/x-www-form-urlencoded'],
    ['content-type', 'application/jsonp'],
  ])('a delivery with %s: %s is refused', async (header, value) => {
    const entry = await start();
    expect((await deliverTo(entry, { [header]: value })).status).toBe(400);
    expect(entry.taken).toEqual([]);
  });

  it('answers only after the delivery is stored (F10)', async () => {
    const stored = Promise.withResolvers<void>();
    const entry = await start({ deliver: () => stored.promise });
    let answered = false;
    const reply = deliverTo(entry).then((answer) => {
      answered = true;
      return answer;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    stored.resolve();
    expect((await reply).status).toBe(202);
  });

  it('a hanging store leads to 503 before the sender’s timeout, never to 202 (M6)', async () => {
    const entry = await start({ deliver: () => new Promise(() => {}), timeoutMs: 50 });
    expect((await deliverTo(entry)).status).toBe(503);
  });
});

describe('requests from strangers', () => {
  it('an announced body that is too large is refused unread (H1, M4)', async () => {
    const entry = await start();
    const response = await converse(entry.port, (socket) =>
      socket.write(
        `POST /api/github/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_REQUEST_BODY_BYTES + 1}\r\n\r\n`,
      ),
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(refusals(entry)).toMatchObject([{ cause: 'too-large', fix: expect.stringMatching(/25 MiB.*\.$/) }]);
  });

  it('200 MB in chunks with a well-formed signature end in 413, the connection closed, memory kept (H1)', async () => {
    const entry = await start();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage.rss();
    let peak = before;
    const response = await converse(entry.port, (socket) => {
      const headers = Object.entries(signed(BODY, SECRET)).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `POST /api/github/webhooks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${headers.join('')}\r\n`,
      );
      let sent = 0;
      const pour = (): void => {
        peak = Math.max(peak, process.memoryUsage.rss());
        if (sent === 200 || socket.destroyed) return;
        sent += 1;
        socket.write('100000\r\n');
        socket.write(chunk);
        socket.write('\r\n', pour);
      };
      pour();
    });
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect((peak - before) / 1024 / 1024).toBeLessThan(60);
    expect(entry.taken).toEqual([]);
    expect(refusals(entry)).toMatchObject([{ cause: 'too-large' }]);
  });

  it('announces a longer keep-alive than usual proxies (V5)', async () => {
    const { port } = await start();
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    get({ port, host: '127.0.0.1', path: '/healthz', agent: new Agent({ keepAlive: true }) }, resolve);
    const answer = (await promise).resume();
    const [, seconds] = /^timeout=(\d+)$/.exec(String(answer.headers['keep-alive'])) ?? [];
    expect(Number(seconds)).toBeGreaterThan(60);
  });

  it('random requests never end the process (F3)', async () => {
    const entry = await start();
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const pieces = [
      ...['POST ', 'GET ', '/api/github/webhooks', ' HTTP/1.1', '\r\n', 'Content-Length: ', '7', '-1', ': ', '{}'],
    ];
    const more = [
      ...['\u0000', 'x-github-event: ', '__proto__', 'Transfer-Encoding: chunked', 'Expect: 1', 'Host: x'],
      ...['ffffff', '\n'],
    ];
    const all = [...pieces, ...more];
    const one = (): Promise<string> =>
      converse(entry.port, (socket) => {
        const text = Array.from({ length: random(24) }, () => all[random(all.length)] ?? '').join('');
        socket.end(random(2) === 0 ? `POST /api/github/webhooks HTTP/1.1\r\n${text}\r\n\r\n` : text);
      });
    for (let round = 0; round < 40; round += 1) await Promise.all(Array.from({ length: 25 }, one));
    expect((await deliverTo(entry)).status).toBe(202);
    expect(entry.taken).toHaveLength(1);
  });
});

describe('status', () => {
  it.each<[string, () => Promise<readonly string[]>, number, string]>([
    ['works', async () => [], 200, 'ready\n'],
    ['lacks GitHub and the model', async () => ['github', 'model'], 200, 'ready, without github and model\n'],
    ['starts', () => Promise.reject(new NotReadyError('starting', 'canary')), 503, 'starting\n'],
    ['has no database', () => Promise.reject(new Error('canary')), 503, 'database\n'],
    [
      'has a read-only database',
      () => Promise.reject(Object.assign(new Error('canary'), { code: '25006' })),
      503,
      'read-only\n',
    ],
  ])('O17: of a server that %s, /readyz says one word, and /healthz asks nobody', async (_, check, status, body) => {
    const entry = await start({ check });
    const get = (path: string) => send(entry.port, { method: 'GET', path });
    expect(await get('/readyz?x=1')).toMatchObject({ status, body });
    expect(await get('/healthz')).toMatchObject({ status: 200, body: 'alive\n' });
  });

  it('a check that hangs is not ready (J5)', async () => {
    const entry = await start({ check: () => new Promise(() => {}) });
    expect((await send(entry.port, { method: 'GET', path: '/readyz' })).status).toBe(503);
  });
});

describe('stopping', () => {
  it('completes a delivery in progress, and accepts no new one (G12)', async () => {
    const stored = Promise.withResolvers<void>();
    const entry = await openEntry({ deliver: () => stored.promise });
    const reply = deliverTo(entry);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const stopped = entry.stop(5_000);
    await expect(deliverTo(entry)).rejects.toThrow('ECONNREFUSED');
    stored.resolve();
    expect((await reply).status).toBe(202);
    await stopped;
  });

  it('closes idle and hanging connections (G12)', async () => {
    const entry = await openEntry();
    const closed = converse(entry.port, (socket) => socket.write('POST /api/github/webhooks HTTP/1.1\r\n'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await entry.stop(100);
    expect(await closed).toBe('');
  });
});
