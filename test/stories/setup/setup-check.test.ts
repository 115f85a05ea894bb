import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { AppPermissions } from '../../../fakes/github/state/github-state.ts';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../../src/core/step/app-rights.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';

const stage = stageForAll();

let accounts = 0;

/** Installs the App on a new account, with these permissions. */
function install(permissions: AppPermissions = REGISTERED_PERMISSIONS): { login: string; id: number } {
  const { apply, app } = stage().github;
  accounts += 1;
  const account = apply(OPERATIONS.addAccount, { login: `team-${accounts}`, type: 'Organization' });
  const { id } = apply(OPERATIONS.installApp, { appId: app.id, accountId: account.id });
  apply(OPERATIONS.acceptPermissions, { installationId: id, permissions });
  return { login: account.login, id };
}

type Line = Readonly<Record<string, unknown>>;

const isAllClear = ({ msg }: Line): boolean => msg === 'the App has all it needs on GitHub';

/** Restarts the App; returns what its check of the setup logged and asked. */
async function check(environment?: Readonly<Record<string, string>>) {
  await stage().settle();
  const { logged, github } = stage();
  const [lines, requests] = [logged.length, github.requests.length];
  await stage().restart(environment);
  await stage().settle();
  const found = logged.slice(lines).map(parseJson).filter(isRecord);
  const asked = github.requests.slice(requests).map(({ name }) => name);
  return { warnings: found.filter(({ level }) => level === 40), lines: found, asked };
}

const CHANGE = { permissions: REGISTERED_PERMISSIONS, events: REGISTERED_EVENTS } as const;

beforeEach(async () => {
  const { apply, app, state } = stage().github;
  for (const id of state().installations.keys()) apply(OPERATIONS.uninstallApp, { installationId: id });
  apply(OPERATIONS.changeApp, { appId: app.id, ...CHANGE });
  await stage().settle();
});

describe('what the App lacks on GitHub, at the start', () => {
  it('an App whose only installation is suspended works nowhere, and the line says where to unsuspend it (O4)', async () => {
    const { login, id } = install();
    stage().github.apply(OPERATIONS.suspendApp, { installationId: id, suspended: true });
    const { warnings, lines } = await check();
    expect(warnings).toMatchObject([
      {
        msg: 'the App serves no account that installed it',
        suspended: {
          accounts: [{ account: login, url: `${stage().github.url}/settings/installations/${id}` }],
          more: 0,
        },
        leftOut: { accounts: [], more: 0 },
        fix: 'An owner of each account in suspended opens its url and unsuspends the App.',
      },
    ]);
    expect(lines.filter(isAllClear)).toEqual([]);
  });

  it('ALLOWED_OWNERS with a typo serves nobody, and the line names the accounts that it leaves out (O4)', async () => {
    const { login } = install();
    const { warnings, lines } = await check({ ALLOWED_OWNERS: `${login}-typo` });
    expect(warnings).toMatchObject([
      {
        msg: 'the App serves no account that installed it',
        suspended: { accounts: [], more: 0 },
        leftOut: { accounts: [{ account: login }], more: 0 },
        fix: expect.stringMatching(/^Add each account in leftOut .* to ALLOWED_OWNERS, and restart the server\.$/),
      },
    ]);
    expect(lines.filter(isAllClear)).toEqual([]);
  });

  it('an App that nobody installed says where to install it (O4)', async () => {
    const { warnings } = await check();
    expect(warnings).toMatchObject([
      { msg: 'the App is not installed', url: `${stage().github.url}/apps/countersign/installations/new` },
    ]);
  });

  it('a permission and an event that its registration lacks are named, with the page and the click (O4)', async () => {
    const { apply, app, url } = stage().github;
    install();
    apply(OPERATIONS.changeApp, {
      appId: app.id,
      permissions: { ...REGISTERED_PERMISSIONS, contents: 'read' },
      events: REGISTERED_EVENTS.filter((event) => event !== 'pull_request_review'),
    });
    const page = `${url}/settings/apps/countersign/permissions`;
    const { warnings } = await check();
    expect(warnings).toEqual<readonly unknown[]>([
      expect.objectContaining<Line>({
        msg: 'the App does not ask for a permission',
        permission: 'contents: write',
        url: page,
        fix: expect.stringContaining('set “Contents” to “Read and write”'),
      }),
      expect.objectContaining<Line>({
        msg: 'the App is not subscribed to an event',
        event: 'pull_request_review',
        url: page,
        fix: expect.stringContaining('tick “Pull request review”'),
      }),
    ]);
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

  it('R61: that cannot call tools is one warning with what to do, and the App starts nevertheless', async () => {
    install();
    const { model } = stage();
    const error = { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' };
    model.answerChecks({ fault: 'status', status: 400, body: { error } });
    const { warnings } = await check();
    expect(warnings).toMatchObject([
      {
        msg: 'the model cannot be used',
        endpoint: new URL(model.url).host,
        failure: 'no-tools',
        status: 400,
        said: error.message,
        fix: expect.stringContaining('--enable-auto-tool-choice'),
      },
    ]);
    expect((await fetch(`${stage().server().url}/readyz`)).status).toBe(200);
    model.answerChecks(READY);
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
