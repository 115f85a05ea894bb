import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows } from '../support/rows.ts';
import { leaksOf, secretsOf, sinksOf } from '../support/sinks.ts';
import type { Story } from '../support/story.ts';

const OLD_SECRET = 'the secret before this one';

const CANARY = 'canary-8c1f2e';

const stage = stageForAll({ environment: { WEBHOOK_SECRET_OLD: OLD_SECRET, LOG_LEVEL: 'trace' } });

afterEach(() => {
  vi.restoreAllMocks();
  stage().github.deliveries.intercept(undefined);
});

type Answer = { readonly status: number; readonly text: string };

function ask(method: string, path: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // Without fetch, which would normalize the path.
  const { hostname, port } = new URL(stage().server().url);
  const sent = request({ hostname, port, method, path, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}

/** The delivery of an approval that was dropped, to be sent with other headers. */
async function dropApproval({ ana, bot }: Story) {
  const { deliveries } = stage().github;
  deliveries.intercept(() => 'drop');
  await ana.says(`/approve ${bot.proposal(1).proposalId}`);
  deliveries.intercept(undefined);
  const delivery = deliveries.log.findLast(({ event }) => event === 'issue_comment');
  if (delivery === undefined) throw new Error('GitHub told nothing.');
  // A kept-alive connection might be closed as idle just when the next test uses it.
  const headers: Readonly<Record<string, string>> = { ...delivery.request.headers, connection: 'close' };
  return { headers, body: delivery.request.body };
}

function signature(body: string, secret: string, algorithm: 'sha256' | 'sha1' = 'sha256'): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;
}

const target = () => `${stage().server().url}/api/github/webhooks`;

describe('the webhook endpoint', () => {
  it('only a request with a complete signature by the secret is accepted (F1, F2)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { headers, body } = await dropApproval(story);
    const { 'x-hub-signature-256': right = '', ...bare } = headers;
    const forged: Readonly<Record<string, string>>[] = [
      bare,
      { ...bare, 'x-hub-signature': signature(body, stage().github.app.webhookSecret, 'sha1') },
      { ...bare, 'x-hub-signature-256': signature(body, 'development') },
      { ...bare, 'x-hub-signature-256': signature(body, '') },
      { ...bare, 'x-hub-signature-256': right.slice(0, -1) },
      { ...bare, 'x-hub-signature-256': right.replace('sha256=', '') },
      { ...bare, 'x-hub-signature-256': `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}` },
    ];
    for (const wrong of forged) expect(await postWebhook(target(), { headers: wrong, body })).toBe(401);
    expect(await postWebhook(target(), { headers, body: `${body} ` })).toBe(401);
    await stage().settle();
    expect(story.pr.commits()).toEqual([]);
    expect(await postWebhook(target(), { headers, body })).toBe(202);
    await stage().settle();
    expect(story.pr.commits()).toHaveLength(1);
  });

  it('during a rotation the previous secret is accepted too (I10)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { headers, body } = await dropApproval(story);
    const older = { ...headers, 'x-hub-signature-256': signature(body, OLD_SECRET) };
    const third = { ...headers, 'x-hub-signature-256': signature(body, 'the secret of another App') };
    expect(await postWebhook(target(), { headers: third, body })).toBe(401);
    expect(await postWebhook(target(), { headers: older, body })).toBe(202);
    await stage().settle();
    expect(story.pr.commits()).toHaveLength(1);
  });

  it('every other path returns 404, including Probot’s own (I5)', async () => {
    const paths = [
      ...['/probot', '/probot/setup', '/probot/import', '/probot/success', '/ping', '/webhooks'],
      ...['/api/github/hooks', '/api/github/webhooks/', '/api/github/webhooks/..', '//healthz', '/metrics/'],
      ...['/.env', '/favicon.ico', '*'],
    ];
    for (const path of paths)
      for (const method of ['GET', 'POST', 'PUT'])
        expect({ path, method, ...(await ask(method, path)) }).toMatchObject({ path, method, status: 404 });
    expect((await ask('GET', '/api/github/webhooks')).status).toBe(404);
  });

  it('a failure to store is answered with a bare 503, and a redelivery is accepted (I1, F10, G9)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { headers, body } = await dropApproval(story);
    vi.spyOn(stage().store(), 'receive').mockRejectedValueOnce(new Error(`disk full ${CANARY}`));
    const response = await fetch(target(), { method: 'POST', headers, body });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain(CANARY);
    await stage().settle();
    expect(story.pr.commits()).toEqual([]);
    expect(await postWebhook(target(), { headers, body })).toBe(202);
    await stage().settle();
    expect(story.pr.commits()).toHaveLength(1);
  });
});

describe('secrets', () => {
  it('no key, token or secret is sent, stored or logged, even when GitHub fails and everything is logged (I2)', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ kind: 'fail-before-apply', status: 502, route: 'graphql createCommitOnBranch' });
    await ana.replies(bot.proposal(1), '/approve');
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'), { timeout: 25_000 });
    expect(stage().logged.join('')).toContain('effect failed, will retry');
    expect(await leaksOf(stage())).toEqual([]);
    const sinks = await sinksOf(stage());
    for (const sink of Object.values(sinks)) expect(sink).not.toContain(OLD_SECRET);
    expect(sinks['database']).toContain('give the rows other values');
  });

  it('the check finds a secret in any of these places (I2)', async () => {
    const secrets = secretsOf(stage());
    const [model = '', webhook = ''] = secrets;
    expect(secrets.length).toBeGreaterThan(20);
    const there = await stage().database();
    expect(await leaksOf({ ...stage(), database: async () => `${there}${model}` })).toEqual([
      'secret 0 is in: database',
    ]);
    expect(await leaksOf({ ...stage(), logged: [webhook] })).toEqual(['secret 1 is in: log']);
    expect(await leaksOf({ ...stage(), logged: ['authorization: Bearer x'] })).toEqual([
      'a text like a credential is in: log',
    ]);
  });
});
