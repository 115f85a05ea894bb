import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';

const stage = stageForAll();

const CANARY = 'canary-5d0e11';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const target = () => `${stage().server().url}/api/github/webhooks`;

function signed(body: string, secret = stage().github.app.webhookSecret): Readonly<Record<string, string>> {
  return {
    'x-github-event': 'issue_comment',
    'x-github-delivery': '00000000-0000-4000-8000-000000000001',
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    connection: 'close',
  };
}

/** The logged lines with this message. */
function linesOf(message: string): readonly Readonly<Record<string, unknown>>[] {
  return stage()
    .logged.map(parseJson)
    .filter(isRecord)
    .filter((line) => line['msg'] === message);
}

describe('a webhook that was set up wrong', () => {
  // A restart forgets what was logged in the last minute.
  beforeEach(async () => {
    await stage().restart();
  });

  it('GitHub signs with another secret than the server has: the log says where to enter it (O4)', async () => {
    await stage().restart({ WEBHOOK_SECRET: 'a secret that GitHub lacks' });
    const before = linesOf('webhook refused').length;
    const { ana, bot } = await stage().tell();
    await ana.says('/countersign use bigint');
    expect(bot.answers()).toEqual([]);
    expect(linesOf('webhook refused').slice(before)).toEqual([
      expect.objectContaining({
        level: 40,
        cause: 'wrong-signature',
        fix: expect.stringContaining('The webhook secret differs from WEBHOOK_SECRET'),
        suppressed: 0,
      }),
    ]);
  });

  it.each([
    ['no signature', { 'x-hub-signature-256': '' }, '{}', 401, 'no-signature', 'has no secret'],
    ['a form', FORM, `payload=${CANARY}`, 400, 'content-type', 'Set the webhook’s content type to application/json'],
    ['no event, as by a proxy', { 'x-github-event': '' }, '{}', 400, 'malformed', '.'],
    ['no id, as by a proxy', { 'x-github-delivery': '' }, '{}', 400, 'malformed', '.'],
    ['broken JSON', {}, `{"action":"${CANARY}`, 400, 'malformed', '.'],
  ] as const)('a webhook with %s leaves a line that says what to set (O4)', async (...row) => {
    const [_, changes, body, status, cause, fix] = row;
    const before = linesOf('webhook refused').length;
    const headers = Object.entries({ ...signed(body), ...changes }).filter(([, value]) => value !== '');
    expect(await postWebhook(target(), { headers: Object.fromEntries(headers), body })).toBe(status);
    expect(linesOf('webhook refused').slice(before)).toMatchObject([{ cause, fix: expect.stringContaining(fix) }]);
    expect(stage().logged.join('')).not.toContain(CANARY);
  });

  it('the webhook’s URL has another path: the log says which one it must have (O4)', async () => {
    const before = linesOf('webhook refused').length;
    const wrong = `${stage().server().url}/${CANARY}/webhooks`;
    for (const _ of [1, 2]) expect(await postWebhook(wrong, { headers: signed('{}'), body: '{}' })).toBe(404);
    expect(await postWebhook(wrong, { headers: {}, body: '{}' })).toBe(404);
    expect(linesOf('webhook refused').slice(before)).toEqual([
      expect.objectContaining({
        ...{ level: 40, cause: 'wrong-path', path: '/api/github/webhooks' },
        fix: expect.stringContaining('End the webhook URL in the App’s settings on GitHub with the path of this line'),
      }),
    ]);
    expect(stage().logged.join('')).not.toContain(CANARY);
  });

  it('a flood of forged requests leaves one line a minute for each cause, with nothing of them in it (O4)', async () => {
    const before = linesOf('webhook refused').length;
    const body = `{"action":"${CANARY}"}`;
    const forged = { ...signed(body, 'guessed'), 'x-github-delivery': CANARY, 'user-agent': CANARY };
    for (let time = 0; time < 30; time += 1) expect(await postWebhook(target(), { headers: forged, body })).toBe(401);
    expect(linesOf('webhook refused').slice(before)).toHaveLength(1);
    await stage().later(61);
    expect(await postWebhook(target(), { headers: forged, body })).toBe(401);
    expect(linesOf('webhook refused').slice(before)).toMatchObject([{ suppressed: 0 }, { suppressed: 29 }]);
    expect(stage().logged.join('')).not.toContain(CANARY);
  });
});
