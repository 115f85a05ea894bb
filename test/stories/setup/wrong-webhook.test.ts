import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';

const stage = stageForAll();

const CANARY = 'canary-5d0e11';

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

  it('the App has no webhook secret: the log says so (O4)', async () => {
    const before = linesOf('webhook refused').length;
    const { 'x-hub-signature-256': _, ...unsigned } = signed('{}');
    expect(await postWebhook(target(), { headers: unsigned, body: '{}' })).toBe(401);
    expect(linesOf('webhook refused').slice(before)).toMatchObject([
      { cause: 'no-signature', fix: expect.stringContaining('has no secret') },
    ]);
  });

  it('the webhook sends forms: the log says which content type to set (O4)', async () => {
    const before = linesOf('webhook refused').length;
    const body = `payload=${encodeURIComponent(`{"action":"${CANARY}"}`)}`;
    const headers = { ...signed(body), 'content-type': 'application/x-www-form-urlencoded' };
    expect(await postWebhook(target(), { headers, body })).toBe(400);
    expect(linesOf('webhook refused').slice(before)).toMatchObject([
      {
        cause: 'content-type',
        fix: expect.stringContaining('Set the webhook’s content type to application/json'),
      },
    ]);
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

  it.each([
    ['no event', { 'x-github-event': '' }, '{}', 'malformed'],
    ['broken JSON', {}, `{"action":"${CANARY}`, 'malformed'],
  ])('a signed webhook with %s, as a proxy can make it, leaves a line (O4)', async (_, changes, body, cause) => {
    const before = linesOf('webhook refused').length;
    expect(await postWebhook(target(), { headers: { ...signed(body), ...changes }, body })).toBe(400);
    expect(linesOf('webhook refused').slice(before)).toMatchObject([{ cause, fix: expect.stringMatching(/\.$/) }]);
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
