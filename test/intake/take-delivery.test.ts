import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { Probot } from 'probot';
import { beforeAll, describe, expect, it } from 'vitest';
import { countersign, dispatch } from '../../src/app.ts';
import { ProbotsOctokit } from '../../src/github/octokit.ts';
import { SUBSCRIPTIONS } from '../../src/intake/subscriptions.ts';
import { openTake, type Self } from '../../src/intake/take-delivery.ts';
import type { Delivery, Store } from '../../src/store/store.ts';
import { FAMILIES } from '../../src/telemetry/families.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { openMetrics } from '../../src/telemetry/metrics.ts';
import { asProbotOctokit, isRecord, parseJson } from '../../src/trust.ts';
import { commented, pushed, replied, reviewed } from './payloads.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const us: Self = { slug: 'countersign', botId: 99 };

/** A taking part with a store that remembers ids and natural keys, as the real one does. */
function take(receive?: Store['receive'], self: Self | null = us) {
  const stored: Delivery[] = [];
  const lines: string[] = [];
  const metrics = openMetrics();
  const remember: Store['receive'] = async (deliveries) =>
    deliveries.map((delivery) => {
      const known = stored.some(({ id, naturalKey }) => {
        return id === delivery.id || (naturalKey !== null && naturalKey === delivery.naturalKey);
      });
      if (!known) stored.push(delivery);
      return known ? 'duplicate' : 'stored';
    });
  const stream = { write: (line: string) => void lines.push(line) };
  const taking = openTake({
    store: { receive: receive ?? remember, tellAll: () => Promise.resolve('stored') },
    self: () => self,
    now: () => 1_000,
    log: openLog({ level: 'debug', format: 'json', secrets: [], stream }),
    deliveries: metrics.counter(FAMILIES.deliveries),
  });
  const outcomes = () => lines.map(parseJson).map((line) => (isRecord(line) ? line['outcome'] : null));
  return { taking, stored, lines, outcomes, page: metrics.page };
}

describe('taking a delivery', () => {
  it('F5: gives everything that was said one natural key, whatever delivery brings it', async () => {
    const { taking, stored, outcomes } = take();
    const say = (id: string, name: string, payload: Readonly<Record<string, unknown>>) => taking({ id, name, payload });
    await say('1', 'issue_comment', commented('/countersign tidy up'));
    await say('2', 'issue_comment', commented('/countersign tidy up'));
    await say('3', 'pull_request_review_comment', replied('/approve'));
    await say('4', 'pull_request_review', reviewed('/approve all'));
    await say('5', 'pull_request', pushed());
    await say('6', 'pull_request', pushed());
    expect(stored.map(({ id, naturalKey }) => [id, naturalKey])).toEqual([
      ['1', 'issue-comment:21'],
      ['3', 'review-comment:31'],
      ['4', 'review:41'],
      ['5', null],
      ['6', null],
    ]);
    expect(outcomes()).toEqual(['stored', 'duplicate', 'stored', 'stored', 'stored', 'stored']);
  });

  it('F4: the same delivery again is taken and changes nothing', async () => {
    const { taking, stored, outcomes } = take();
    for (let time = 0; time < 4; time += 1) await taking({ id: '1', name: 'pull_request', payload: pushed() });
    expect(stored).toHaveLength(1);
    expect(outcomes()).toEqual(['stored', 'duplicate', 'duplicate', 'duplicate']);
  });

  it('I13, J10: one line and one count for each delivery; the metric names no repository and nobody', async () => {
    const { taking, lines, page } = take();
    await taking({ id: '1', name: 'issue_comment', payload: commented('/approve\nbecause of the canary') });
    await taking({ id: '2', name: 'acme_shop_ana', payload: {} });
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('canary');
    expect(page()).toContain('deliveries_total{event="issue_comment",outcome="stored"} 1');
    expect(page()).toContain('deliveries_total{event="other",outcome="unknown-event"} 1');
    expect(page()).not.toMatch(/acme|shop|ana/);
  });

  it('takes nothing before it is known who we are', async () => {
    const { taking, stored } = take(undefined, null);
    await expect(taking({ id: '1', name: 'issue_comment', payload: commented('/stop') })).rejects.toThrow('who we are');
    expect(stored).toEqual([]);
  });

  it('G9: fails where the store fails', async () => {
    const { taking, outcomes } = take(() => Promise.reject(new Error('no database')));
    await expect(taking({ id: '1', name: 'issue_comment', payload: commented('/stop') })).rejects.toThrow(
      'no database',
    );
    expect(outcomes()).toEqual([]);
  });
});

describe('the Probot application', () => {
  let probot: Probot;
  let current = take();
  beforeAll(async () => {
    const log = openLog({ level: 'silent', format: 'json', secrets: [] });
    const Octokit = asProbotOctokit(ProbotsOctokit);
    probot = new Probot({ appId: 1, privateKey: pem, secret: 'never used: checked before', Octokit, log });
    await probot.load(countersign((event) => current.taking(event)));
  });

  it.each(SUBSCRIPTIONS)('has a handler for %s, awaited until it stored', async (name) => {
    current = take();
    await dispatch(probot, () => Promise.reject(new Error('not through Probot')), { id: '1', name, payload: {} });
    expect(current.lines).toHaveLength(1);
  });

  it('hands a comment to the store', async () => {
    current = take();
    await dispatch(probot, current.taking, { id: '1', name: 'issue_comment', payload: commented('/approve k7q2') });
    expect(current.stored).toMatchObject([{ id: '1', naturalKey: 'issue-comment:21', intent: { kind: 'said' } }]);
  });

  it('G9: tells where a handler failed, so that nothing is answered that was not stored', async () => {
    current = take(() => Promise.reject(new Error('no database')));
    const event = { id: '1', name: 'issue_comment', payload: commented('/stop') };
    await expect(dispatch(probot, current.taking, event)).rejects.toThrow('no database');
  });

  it.each(['__proto__', 'constructor', 'error', '*', 'toString', 'check_run', 'ping'])(
    'M21: the event %s is counted and ignored',
    async (name) => {
      current = take();
      await dispatch(probot, current.taking, { id: '1', name, payload: { action: 'created' } });
      expect(current.outcomes()).toEqual(['unknown-event']);
    },
  );

  it('F11: any payload of any event has one outcome and no failure', async () => {
    const action = fc.constantFrom('created', 'submitted', '__proto__', 'suspend', '');
    const installation = fc.oneof(fc.constant({ id: 3 }), fc.jsonValue());
    const payload = fc.oneof(
      fc.record({ action, installation, comment: fc.jsonValue(), issue: fc.jsonValue(), sender: fc.jsonValue() }),
      fc.dictionary(fc.string(), fc.jsonValue()).map(({ action: _, ...rest }) => rest),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SUBSCRIPTIONS), payload, async (name, content) => {
        current = take();
        await dispatch(probot, current.taking, { id: '1', name, payload: content });
        expect(current.outcomes()).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
