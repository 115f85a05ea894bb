import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAppEnvironment } from '../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import { runDoctor } from '../../src/cli/doctor/doctor.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { openScenery, type Scenery } from '../stories/support/scenery.ts';
import { listen } from '../support/listen.ts';
import { runHere } from '../support/run-here.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { run } from './process.ts';

let scenery: Scenery;
let installationId = 0;
/** What the server behind the webhook answers. */
let status = 202;
const receiver = createServer((_, response) => response.writeHead(status).end());
const folder = scratchFolder();

beforeAll(async () => {
  scenery = await openScenery(Date.now);
  scenery.github.setWebhookTarget(`http://127.0.0.1:${await listen(receiver)}`);
  const { apply, app, state } = scenery.github;
  const accountId = state().apps.get(app.id)?.ownerId ?? 0;
  installationId = apply(OPERATIONS.installApp, { appId: app.id, accountId }).id;
});
afterAll(async () => {
  receiver.close();
  await Promise.all([scenery.github.close(), scenery.model.close()]);
});

function doctor(args: readonly string[], changes: Readonly<Record<string, string>> = {}) {
  const environment = { ...createAppEnvironment(scenery.github, scenery.model), DATA_DIR: join(folder, 'data') };
  return runHere(() => runDoctor(args), { ...environment, ...changes });
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
    // This machine may have little room.
    const lines =
      /^✓ the settings are complete\n(?:✓ .+\n){5}[✓⚠] .+\n✓ the first start makes the embedded database .+\n$/;
    expect(await doctor([])).toMatchObject({ code: 0, stdout: expect.stringMatching(lines) });
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
