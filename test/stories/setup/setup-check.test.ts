import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../../src/core/step/app-rights.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';

const stage = stageForAll({ needsSql: true });

let accounts = 0;

/** Installs the App on a new account. Returns the id of the installation. */
function install(): number {
  const { apply, app } = stage().github;
  accounts += 1;
  const account = apply(OPERATIONS.addAccount, { login: `team-${accounts}`, type: 'Organization' });
  return apply(OPERATIONS.installApp, { appId: app.id, accountId: account.id }).id;
}

const isAllClear = ({ msg }: Readonly<Record<string, unknown>>): boolean =>
  msg === 'the App has all it needs on GitHub';

/** Restarts the App; returns what its check of the setup logged. */
async function check() {
  await stage().settle();
  const { logged } = stage();
  const before = logged.length;
  await stage().restart();
  await stage().settle();
  const lines = logged.slice(before).map(parseJson).filter(isRecord);
  return { warnings: lines.filter(({ level }) => level === 40), lines };
}

const CHANGE = { permissions: REGISTERED_PERMISSIONS, events: REGISTERED_EVENTS } as const;

beforeEach(async () => {
  const { apply, app, state } = stage().github;
  for (const id of state().installations.keys()) apply(OPERATIONS.uninstallApp, { installationId: id });
  apply(OPERATIONS.changeApp, { appId: app.id, ...CHANGE });
  await stage().settle();
});

describe('what the App lacks on GitHub, at the start', () => {
  it('names the page where an installation is unsuspended, and the page of the App’s permissions (O4)', async () => {
    const { apply, app, url } = stage().github;
    const installationId = install();
    apply(OPERATIONS.suspendApp, { installationId, suspended: true });
    const permissions = { ...REGISTERED_PERMISSIONS, contents: 'read' } as const;
    apply(OPERATIONS.changeApp, { appId: app.id, ...CHANGE, permissions });
    const { warnings, lines } = await check();
    const accounts = [{ account: expect.any(String), url: `${url}/settings/installations/${installationId}` }];
    expect(warnings).toMatchObject([
      { msg: 'the App serves no account that installed it', suspended: { accounts, more: 0 } },
      { permission: 'contents: write', url: `${url}/settings/apps/countersign/permissions` },
    ]);
    expect(lines.filter(isAllClear)).toEqual([]);
  });

  it('O4: accounts that grant no checks are one warning, and a task works nevertheless', async () => {
    const { apply, state } = stage().github;
    const { checks: _, ...permissions } = REGISTERED_PERMISSIONS;
    const { ana, bot, model } = await stage().tell();
    for (const installationId of state().installations.keys())
      apply(OPERATIONS.acceptPermissions, { installationId, permissions });
    const { warnings, lines } = await check();
    expect(warnings).toMatchObject([
      { msg: 'installations grant less than the App can use', lacks: ['checks: write'] },
    ]);
    expect(lines.filter(isAllClear)).toHaveLength(1);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(1);
  });

  it('O4: an event of the optional ones costs nothing at the door and changes nothing', async () => {
    const { logged, github } = stage();
    const before = [logged.length, github.requests.length];
    const body = JSON.stringify({ action: 'completed', check_suite: {}, installation: { id: 1 } });
    const signature = createHmac('sha256', github.app.webhookSecret).update(body).digest('hex');
    const headers = {
      ...{ 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      ...{ 'x-github-event': 'check_suite', 'x-github-delivery': '00000000-0000-4000-8000-00000000c4ec' },
    };
    expect(await postWebhook(`${stage().server().url}/api/github/webhooks`, { headers, body })).toBe(202);
    await stage().settle();
    expect([logged.length, github.requests.length]).toEqual(before);
  });

  it('a GitHub that does not answer is one line, and neither the start nor a task waits for it (O4)', async () => {
    install();
    stage().github.faults.add({ route: 'GET /app/installations', kind: 'fail-before-apply', status: 502, times: 9 });
    const { warnings } = await check();
    expect(warnings.filter(({ msg }) => msg !== 'GitHub unavailable')).toMatchObject([
      { msg: 'could not check, will retry', error: expect.stringContaining('502') },
    ]);
    expect((await fetch(`${stage().server().url}/readyz`)).status).toBe(200);
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(1);
    stage().github.faults.clear();
  });
});

describe('the model, at the start', () => {
  const READY = { content: 'Ready.' };

  it('R61: is asked once by one tiny request with one tool', async () => {
    install();
    const before = stage().model.checks.length;
    const { warnings, lines } = await check();
    expect(warnings).toEqual([]);
    expect(lines.filter(({ msg }) => msg === 'the model answers')).toMatchObject([{ model: 'scripted' }]);
    const asked = stage().model.checks.slice(before);
    expect(asked).toMatchObject([
      {
        messages: [{ role: 'user', content: expect.stringMatching(/^Countersign check/) }],
        tools: [{ name: 'ready' }],
      },
    ]);
  });

  it('R61: that does not answer holds up neither the start nor the stop', async () => {
    stage().model.answerChecks({ fault: 'hang' });
    await stage().restart();
    expect((await fetch(`${stage().server().url}/readyz`)).status).toBe(200);
    stage().model.answerChecks(READY);
    await stage().restart();
    await stage().settle();
  });
});
