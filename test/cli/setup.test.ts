import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getAppKey } from '../../fakes/github/http/auth.ts';
import { listen } from '../support/listen.ts';
import { type Running, run } from './process.ts';

const { privateKeyPem: privateKey } = getAppKey();

/** A GitHub that registers one App for one code, and lists its installations. */
async function startRegistry() {
  const site = { code: 'f00d', isSlow: false, installations: [] as object[], asked: [] as string[] };
  const app = {
    id: 42,
    slug: 'countersign-acme',
    pem: privateKey,
    webhook_secret: 'a1b2c3d4e5f60718293a4b5c6d7e8f90',
    html_url: 'https://github.example/apps/countersign-acme',
    owner: { login: 'acme' },
    permissions: {},
    events: [],
  };
  const answer = (request: IncomingMessage): readonly [number, unknown] => {
    const path = request.url?.replace('/api/v3', '').replace(/\?.*/, '') ?? '';
    if (path === `/app-manifests/${site.code}/conversions`) {
      site.code = 'used';
      return [201, app];
    }
    if (path === '/app') return [200, app];
    if (path === '/app/installations') return [200, site.installations];
    return [404, { message: 'Not Found' }];
  };
  const server = createServer((request, response) => {
    site.asked.push(`${request.method} ${request.url}`);
    if (site.isSlow) return;
    const [status, body] = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const host = `http://127.0.0.1:${await listen(server)}`;
  return Object.assign(site, { host, close: () => server.close() });
}

describe('countersign setup', { timeout: 60_000 }, () => {
  let github: Awaited<ReturnType<typeof startRegistry>>;
  let folder: string;
  let running: Running | null = null;

  beforeEach(async () => {
    github = await startRegistry();
    folder = mkdtempSync(join(tmpdir(), 'countersign-setup-'));
  });
  afterEach(() => {
    running?.child.kill('SIGKILL');
    running = null;
    github.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const begin = (...args: string[]): Running => {
    running = run(['setup', '--ghe', github.host, '--dir', folder, ...args]);
    return running;
  };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const pageOf = async (started: Running): Promise<string> =>
    /http:\S+/.exec(await started.line('Open http://'))?.[0] ?? '';

  /** Fills in the form, and returns the form that goes to GitHub. */
  async function register(page: string, fields: Readonly<Record<string, string>>) {
    const response = await fetch(`${page}register`, { method: 'POST', body: new URLSearchParams(fields) });
    const text = await response.text();
    const fromHtml = (html: string): string =>
      html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    const action = new URL(fromHtml(/action="([^"]+)"/.exec(text)?.[1] ?? ''), page);
    const manifest: unknown = JSON.parse(fromHtml(/name="manifest" value="([^"]+)"/.exec(text)?.[1] ?? 'null'));
    return { status: response.status, text, action, manifest };
  }

  it('O1: registers an App that needs no address, writes its settings once, and waits until it is installed', async () => {
    const started = begin('--org', 'acme');
    const page = await pageOf(started);
    expect(await (await fetch(page)).text()).toContain('value="countersign-acme"');
    const { action, manifest } = await register(page, {
      ...{ name: 'countersign-acme', organization: 'acme', model: 'gpt-x', apiKey: 'sk-1', baseUrl: '' },
    });
    expect(`${action.origin}${action.pathname}`).toBe(`${github.host}/organizations/acme/settings/apps/new`);
    expect(manifest).toMatchObject({
      name: 'countersign-acme',
      public: false,
      hook_attributes: { url: 'https://countersign.invalid/', active: true },
      default_permissions: { contents: 'write', pull_requests: 'write' },
      redirect_url: `${page}registered`,
    });
    const wrong = await fetch(`${page}registered?code=f00d&state=guessed`);
    expect([wrong.status, github.asked]).toEqual([400, []]);
    const done = await fetch(`${page}registered?code=f00d&state=${action.searchParams.get('state')}`);
    expect(await done.text()).toContain('https://github.example/apps/countersign-acme/installations/new');
    await started.line('Waiting until it is installed');
    github.installations.push({
      account: { login: 'acme' },
      permissions: {},
      events: [],
      html_url: 'x',
      suspended_at: null,
    });
    const ended = await started.ended;
    expect(ended.stdout).toContain('Installed on acme.');
    expect(ended.stdout).toContain('countersign start (in a checkout: npm start)');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(parseEnv(read('.env'))).toMatchObject({
      ...{ APP_ID: '42', PRIVATE_KEY_PATH: join(folder, 'app.pem'), POLL: '5s', GHE_PROTOCOL: 'http' },
      ...{ WEBHOOK_SECRET: 'a1b2c3d4e5f60718293a4b5c6d7e8f90', OPENAI_MODEL: 'gpt-x', OPENAI_API_KEY: 'sk-1' },
    });
    expect(read('app.pem')).toBe(privateKey);
    for (const name of ['.env', 'app.pem']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('O1: takes a code that was confirmed in a browser elsewhere, with the address of a server', async () => {
    const ended = await begin('--code', 'f00d', '--url', 'https://bot.example.org', '--no-wait').ended;
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(parseEnv(read('.env'))['POLL']).toBeUndefined();
    const again = await run(['setup', '--ghe', github.host, '--dir', mkdtempSync(join(folder, 'b-')), '--code', 'f00d'])
      .ended;
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('GitHub does not know this code') });
  });

  it.each(['app.pem', '.env'])('O1: replaces no %s, and asks GitHub nothing then', async (name) => {
    writeFileSync(join(folder, name), 'mine');
    const ended = await begin('--code', 'f00d').ended;
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${name} exists, and setup replaces no file`),
    });
    expect([readdirSync(folder), read(name), github.asked]).toEqual([[name], 'mine', []]);
  });

  it('O1: asks GitHub nothing where no file can be written', async () => {
    const ended = await begin('--code', 'f00d', '--dir', join(folder, 'none')).ended;
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('choose another --dir') });
    expect(github.asked).toEqual([]);
  });

  it('O1: Ctrl-C leaves no file while GitHub is asked for the App, and all of them afterwards', async () => {
    github.isSlow = true;
    const early = begin('--code', 'f00d');
    await expect.poll(() => github.asked, { timeout: 30_000 }).toHaveLength(1);
    early.child.kill('SIGINT');
    await early.ended;
    expect(readdirSync(folder)).toEqual([]);
    github.isSlow = false;
    const late = begin('--code', 'f00d');
    await late.line('Waiting until it is installed');
    late.child.kill('SIGINT');
    expect(await late.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('What comes next') });
    expect(readdirSync(folder).sort()).toEqual(['.env', 'app.pem']);
  });

  it('O1: writes nothing before GitHub has confirmed, and takes a form only from its own page', async () => {
    const started = begin();
    const page = await pageOf(started);
    const foreign = await fetch(`${page}register`, {
      ...{ method: 'POST', body: new URLSearchParams({ name: 'x' }), headers: { origin: 'https://evil.example' } },
    });
    expect(foreign.status).toBe(403);
    const { status, text } = await register(page, { name: '', organization: 'a b' });
    expect([status, text]).toEqual([422, expect.stringContaining('role="alert"')]);
    started.child.kill('SIGINT');
    await started.ended;
    expect(() => statSync(join(folder, '.env'))).toThrow('ENOENT');
  });

  it('says what is wrong with an option', async () => {
    for (const [args, words] of [
      [['--url', 'http://bot.example.org'], '--url needs an https:// address'],
      [['--ghe', 'https://git.example.org/api/v3'], '--ghe needs a host'],
    ] as const)
      expect(await run(['setup', ...args]).ended).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
  });
});
