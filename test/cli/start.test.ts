import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { listen } from '../support/listen.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { commented } from '../unit/adapters/http/payloads.ts';
import { send, signed } from '../unit/adapters/http/raw-client.ts';
import { type Running, run } from './process.ts';
import { SECRET, type SmallGitHub, serverVariables, startSmallGitHub } from './small-github.ts';

/** One data directory for all tests, because creating a database is the slowest part of a first start. */
const folder = scratchFolder();
cpSync(inject('templateDatabase'), join(folder, 'data'), { recursive: true });

let github: SmallGitHub;
let running: Running[] = [];
beforeEach(async () => {
  github = await startSmallGitHub();
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
  github.close();
});

function environment(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...serverVariables(github), DATA_DIR: join(folder, 'data'), ...changes };
}

/** The TCP ports on which a process of this machine listens. */
function listeningPorts(pid: number | undefined): readonly number[] {
  const descriptors = `/proc/${pid}/fd`;
  const own = new Set(readdirSync(descriptors).map((name) => targetOf(join(descriptors, name))));
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1),
  );
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === LISTENING && own.has(`socket:[${inode}]`) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
}

/** Null for a file that was closed meanwhile. */
function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

/** In Linux's table of sockets. */
const LISTENING = '0A';

/** Would make Probot download packages, which means to start npm. */
const DOWNLOADS = {
  SENTRY_DSN: 'https://key@sentry.example.com/1',
  REDIS_URL: 'redis://127.0.0.1:1',
  WEBHOOK_PROXY_URL: 'https://smee.example.com/x',
};

/**
 * Node options that allow writes only in this directory, and of compiled code, and no other processes. Node's permission
 * model also refuses `fsync`, so it is replaced by a no-op.
 */
function confinedTo(directory: string): readonly string[] {
  const unsynced = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    fs.fsyncSync = () => {}; syncBuiltinESMExports();`;
  return [
    '--permission',
    '--allow-fs-read=*',
    `--allow-fs-write=${directory}`,
    `--allow-fs-write=${inject('compiledCode')}`,
    '--import',
    `data:text/javascript,${encodeURIComponent(unsynced)}`,
  ];
}

function begin(changes: Readonly<Record<string, string>> = {}): Running {
  const started = run(['start'], environment(changes), folder);
  running.push(started);
  return started;
}

async function portOf(started: Running): Promise<number> {
  const line = parseJson(await started.line('"listening"'));
  return Number(new URL(String(isRecord(line) ? line['url'] : '')).port);
}

async function comment(port: number, id: number): Promise<number> {
  const body = JSON.stringify(commented('/countersign tidy up', id));
  const headers = signed(body, SECRET, { 'x-github-delivery': `delivery-${id}` });
  return (await send(port, { headers, body })).status;
}

function stored(port: number, outcome: 'stored' | 'duplicate'): Promise<unknown> {
  return expect
    .poll(async () => (await send(port, { method: 'GET', path: '/metrics' })).body)
    .toContain(`outcome="${outcome}"} 1`);
}

async function stopsSoon({ child, ended }: Running): Promise<void> {
  const begun = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"stopped"') });
  expect(performance.now() - begun).toBeLessThan(8_000);
}

describe('countersign start', { timeout: 90_000 }, () => {
  it('does not start with a broken CONFIG_FILE, and reads it again on SIGHUP (S127)', async () => {
    const file = join(folder, 'countersign.yml');
    writeFileSync(file, 'expiry: never\nceilings:\n  required_aprovals: 2\n');
    const refused = await begin({ CONFIG_FILE: file }).ended;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`- CONFIG_FILE ${file}, line 1: expiry must be a time from 1h to 30d`);
    expect(refused.stderr).toContain(`- CONFIG_FILE ${file}, line 3: ceilings.required_aprovals is not a setting;`);

    writeFileSync(file, 'ceilings:\n  required_approvals: 2\n');
    const running = begin({ CONFIG_FILE: file, PAUSED: '1' });
    const port = await portOf(running);
    writeFileSync(file, 'ceilings:\n  required_approvals: 0\n');
    running.child.kill('SIGHUP');
    const error = await running.line('"CONFIG_FILE is broken, the previous settings stay in force"');
    expect(parseJson(error)).toMatchObject({
      problems: [expect.stringContaining('line 2: ceilings.required_approvals must be a whole number from 1 to 10')],
    });
    writeFileSync(file, 'ceilings:\n  required_approvals: 3\n');
    running.child.kill('SIGHUP');
    await running.line('"CONFIG_FILE was read again"');
    expect((await send(port, { method: 'GET', path: '/readyz' })).status).toBe(200);
  });

  it('stores a delivery once across SIGTERM and SIGKILL, lends no other process its data directory, and does nothing else while paused (G12, F4, F10, J9, O9)', async () => {
    const first = begin({ PAUSED: '1' });
    const port = await portOf(first);
    expect((await send(port, { method: 'GET', path: '/readyz' })).status).toBe(200);
    expect(await comment(port, 21)).toBe(202);
    await stored(port, 'stored');
    const beside = await begin({ PAUSED: '1' }).ended;
    expect(beside).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Countersign cannot start: /) });
    expect(beside.stderr).toContain(join(folder, 'data'));
    const page = (await send(port, { method: 'GET', path: '/metrics' })).body;
    expect(page).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(page).toMatch(/^process_cpu_seconds_total \d/m);
    const begun = performance.now();
    first.child.kill('SIGTERM');
    const { code, stderr } = await first.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(performance.now() - begun).toBeLessThan(25_000);

    const second = begin({ PAUSED: '1' });
    const again = await portOf(second);
    expect(await comment(again, 21)).toBe(202);
    await stored(again, 'duplicate');
    expect(await comment(again, 22)).toBe(202);
    second.child.kill('SIGKILL');
    await second.ended;

    const third = begin({ PAUSED: '1' });
    const last = await portOf(third);
    expect(await comment(last, 22)).toBe(202);
    await stored(last, 'duplicate');
    third.child.kill('SIGINT');
    expect((await third.ended).code).toBe(0);
    const name = ['GET /api/v3/app', 'GET /api/v3/users/countersign%5Bbot%5D'];
    expect(github.asked).toEqual([...name, ...name, ...name, ...name]);
  });

  it('writes only to its data directory, starts no other program, opens one port, and downloads no package (J6, X20)', async () => {
    const begun = (dataDir: string): Running => {
      const variables = environment({ DATA_DIR: dataDir, ...DOWNLOADS });
      const started = run(['start'], variables, folder, confinedTo(join(folder, 'data')));
      running.push(started);
      return started;
    };
    const refused = await begun(join(folder, 'elsewhere')).ended;
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('elsewhere') });
    const started = begun(join(folder, 'data'));
    const port = await portOf(started);
    expect((await send(port, { method: 'GET', path: '/readyz' })).status).toBe(200);
    expect(await comment(port, 31)).toBe(202);
    await stored(port, 'stored');
    // Only Linux lists the sockets of a process as files.
    if (process.platform === 'linux') expect(listeningPorts(started.child.pid)).toEqual([Number(port)]);
    started.child.kill('SIGTERM');
    const { code, stdout, stderr } = await started.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('ERR_ACCESS_DENIED');
  });

  it('refuses an App that GitHub does not know, and lists what to check', async () => {
    github.close();
    github = await startSmallGitHub(401);
    const { code, stderr } = await begin().ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Countersign cannot start: GitHub does not know the App (status 401). Check that APP_ID');
  });

  it('listens while GitHub is unreachable, says what to set, is not ready and accepts no delivery, and logs a rejection afterwards once, with what to do (O9)', async () => {
    github.close();
    const started = begin();
    const port = await portOf(started);
    const line = await started.line('could not load app identity');
    expect(parseJson(line)).toMatchObject({ level: 40, fix: expect.stringContaining('Nothing listens there') });
    expect(line).not.toContain('"stack"');
    expect((await send(port, { method: 'GET', path: '/healthz' })).status).toBe(200);
    expect((await send(port, { method: 'GET', path: '/readyz' })).status).toBe(503);
    expect(await comment(port, 26)).toBe(503);

    const rejecting = createServer((_, response) => {
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"message":"A JSON web token could not be decoded"}');
    }).listen(Number(github.host.split(':')[1]), '127.0.0.1');
    const rejected = await started.line('GitHub rejected this App');
    rejecting.close();
    expect(parseJson(rejected)).toMatchObject({
      level: 50,
      fix: expect.stringContaining('then restart the server'),
    });
    expect(rejected).toContain('Check that APP_ID and the private key belong to the same GitHub App');
    expect(rejected).not.toContain('"stack"');
    started.child.kill('SIGTERM');
    expect((await started.ended).code).toBe(0);
  });

  it('refuses a port in use, with its number, before it costs anything (O8, O9)', async () => {
    const other = createServer();
    const taken = String(await listen(other));
    const refused = await begin({ PORT: taken, DATA_DIR: join(folder, 'unmade') }).ended;
    other.close();
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('PORT is in use by another process') });
    expect(refused.stderr).toContain(`127.0.0.1:${taken}`);
    // Nobody was asked, and nothing was made.
    expect(github.asked).toEqual([]);
    expect(existsSync(join(folder, 'unmade'))).toBe(false);
  });

  it('O8: a delivery before the database is open is answered with 503, so that GitHub keeps it, and a signal ends the start with 0 and without a stack (G12)', async () => {
    const free = createTcpServer();
    const port = await listen(free);
    free.close();
    const mute = createTcpServer(() => {});
    const database = `postgres://me@127.0.0.1:${await listen(mute)}/x`;
    const started = begin({ PORT: String(port), DATABASE_URL: database });
    await once(mute, 'connection');
    expect(await send(port, { method: 'GET', path: '/readyz' })).toMatchObject({ status: 503, body: 'starting\n' });
    expect(await comment(port, 27)).toBe(503);
    await stopsSoon(started);
    mute.close();
  });

  it('a signal while GitHub is asked ends the start soon, with 0 and without a stack (G12)', async () => {
    const mute = createTcpServer(() => {});
    const started = begin({ GHE_HOST: `127.0.0.1:${await listen(mute)}` });
    await once(mute, 'connection');
    await stopsSoon(started);
    mute.close();
  });
});
