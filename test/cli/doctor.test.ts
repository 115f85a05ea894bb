import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAppEnvironment } from '../../fakes/github/fake-github.ts';
import { createWebhookConfig } from '../../fakes/github/http/server-state.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../src/core/step/app-rights.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { openScenery, type Scenery } from '../stories/support/scenery.ts';
import { run } from './process.ts';

let scenery: Scenery;
let installationId = 0;
/** What the server behind the webhook answers. */
let status = 202;
const receiver = createServer((_, response) => response.writeHead(status).end());
const folder = mkdtempSync(join(tmpdir(), 'countersign-doctor-'));

beforeAll(async () => {
  scenery = await openScenery(Date.now);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  scenery.github.setWebhookTarget(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
  const { apply, app, state } = scenery.github;
  const accountId = state().apps.get(app.id)?.ownerId ?? 0;
  installationId = apply(OPERATIONS.installApp, { appId: app.id, accountId }).id;
});
afterAll(async () => {
  receiver.close();
  await Promise.all([scenery.github.close(), scenery.model.close()]);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  const { apply, app } = scenery.github;
  apply(OPERATIONS.changeApp, { appId: app.id, permissions: REGISTERED_PERMISSIONS, events: REGISTERED_EVENTS });
  apply(OPERATIONS.acceptPermissions, { installationId, permissions: REGISTERED_PERMISSIONS });
});
afterEach(() => {
  Object.assign(scenery.github.deliveries.hook, createWebhookConfig());
  scenery.model.answerChecks({ content: 'Ready.' });
});

function doctor(args: readonly string[], changes: Readonly<Record<string, string>> = {}) {
  const environment = { ...createAppEnvironment(scenery.github, scenery.model), DATA_DIR: join(folder, 'data') };
  return run(['doctor', ...args], { ...environment, ...changes }, folder).ended;
}

/** What the doctor found; what depends on this machine is left out. */
async function findings(changes: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await doctor(['--json'], changes);
  expect(stderr).toBe('');
  const parsed = parseJson(stdout);
  const lines = Array.isArray(parsed) ? parsed.filter(isRecord) : [];
  return { code, lines: lines.filter(({ probe }) => probe !== 'the machine') };
}

describe('countersign doctor', { timeout: 60_000 }, () => {
  it('O2: reads .env of the working directory, where the Client ID stands for the App ID', async () => {
    const { APP_ID: _, ...environment } = createAppEnvironment(scenery.github, scenery.model);
    const clientId = scenery.github.state().apps.get(scenery.github.app.id)?.clientId;
    const lines = Object.entries({ ...environment, CLIENT_ID: clientId }).map(([name, value]) => `${name}='${value}'`);
    writeFileSync(join(folder, '.env'), lines.join('\n'));
    const { code, stdout } = await run(['doctor'], {}, folder).ended;
    rmSync(join(folder, '.env'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ GitHub knows the App /m) });
  });

  it('O4: a complete setup is one ✓ a line, and ends with 0', async () => {
    const { code, stdout } = await doctor([]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ the settings are complete$/m) });
    for (const line of [
      /^✓ GitHub knows the App \(app countersign, /m,
      /^✓ the App has all it needs on GitHub \(installations 1\)$/m,
      /^✓ the webhook is set /m,
      /^✓ the model answers \(endpoint 127/m,
      /^✓ the clock agrees with GitHub’s$/m,
      /^✓ the first start makes the embedded database /m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toContain('✗');
  });

  it('O4: an optional permission that is missing is ⚠ and ends with 0, a needed one is ✗ with the link, and ends with 1', async () => {
    const { apply, url } = scenery.github;
    const { checks: _, ...withoutChecks } = REGISTERED_PERMISSIONS;
    apply(OPERATIONS.acceptPermissions, { installationId, permissions: withoutChecks });
    const works = await findings();
    expect(works.code).toBe(0);
    expect(works.lines.filter(({ level }) => level !== 'ok')).toMatchObject([
      { level: 'less', message: 'installations grant less than the App can use', lacks: ['checks: write'] },
    ]);
    apply(OPERATIONS.acceptPermissions, { installationId, permissions: { ...withoutChecks, contents: 'read' } });
    const { code, stdout } = await doctor([]);
    expect(code).toBe(1);
    const page = `${url}/settings/installations/${installationId}`;
    expect(stdout).toMatch(
      new RegExp(`^✗ installations lack a permission \\(permission contents: write, .*${page}\\)`, 'm'),
    );
  });

  it('O4: a webhook that leads nowhere, in a form that is not read, is ✗ with what to set', async () => {
    Object.assign(scenery.github.deliveries.hook, { url: 'https://countersign.invalid/', content_type: 'form' });
    const { code, lines } = await findings();
    expect(code).toBe(1);
    expect(lines.filter(({ probe }) => probe === 'the webhook')).toMatchObject([
      { level: 'wrong', message: 'the webhook leads nowhere', fix: expect.stringContaining('POLL=5s') },
      { level: 'wrong', message: 'the webhook has a content type that is not read' },
    ]);
    const polling = await findings({ POLL: '5s' });
    expect(polling).toMatchObject({ code: 0 });
  });

  it('O4: webhooks that GitHub could not deliver are ⚠ by cause, and none once they got through', async () => {
    const { apply, deliveries, whenIdle } = scenery.github;
    await whenIdle();
    status = 401;
    apply(OPERATIONS.suspendApp, { installationId, suspended: true });
    apply(OPERATIONS.suspendApp, { installationId, suspended: false });
    await whenIdle();
    status = 202;
    const lost = await findings();
    expect(lost.code).toBe(0);
    expect(lost.lines.filter(({ probe }) => probe === 'the webhook')).toMatchObject([
      { level: 'less', cause: '401', count: 2, fix: expect.stringContaining('Enter WEBHOOK_SECRET') },
    ]);
    for (const delivery of deliveries.log.filter(({ statuses }) => statuses.includes(401)))
      deliveries.redeliver(delivery);
    await whenIdle();
    expect((await findings()).lines.filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  it('O4: what the model’s endpoint says against the question with a tool is ✗ with what to do', async () => {
    scenery.model.answerChecks({ fault: 'status', status: 401, body: { error: { message: 'Incorrect API key' } } });
    const { code, stdout } = await doctor([]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ the model cannot be used \(.*failure key-rejected.*\): Check OPENAI_API_KEY\.$/m);
    expect(stdout).not.toContain('model-key');
  });

  it('O4: a GitHub that is away is one ✗ and no more, and so is a database', async () => {
    const { code, lines } = await findings({
      ...{ GHE_HOST: '127.0.0.1:65', GHE_PROTOCOL: 'http' },
      DATABASE_URL: 'postgres://me:secret-of-the-database@127.0.0.1:66/x',
    });
    expect(code).toBe(1);
    expect(lines.filter(({ level }) => level === 'wrong')).toMatchObject([
      { message: 'GitHub cannot be asked', fix: expect.stringContaining('Nothing listens there') },
      { message: 'the database cannot be used', fix: expect.stringContaining('DATABASE_URL') },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret-of-the-database');
  });

  it('O4: every setting that is missing or wrong is a ✗ of its own, and nothing is asked', async () => {
    const before = scenery.github.requests.length;
    const { code, stdout } = await doctor([], { APP_ID: 'countersign', OPENAI_MODEL: '' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ a setting is missing or wrong: APP_ID must be the number/m);
    expect(stdout).toMatch(/^✗ a setting is missing or wrong: OPENAI_MODEL is missing/m);
    expect(scenery.github.requests.length).toBe(before);
  });
});
