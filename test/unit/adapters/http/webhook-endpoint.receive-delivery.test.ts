import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeliveryHandler } from '../../../../src/adapters/http/webhook-endpoint.ts';
import type { InterpretedDelivery, Store } from '../../../../src/adapters/store/store.ts';
import { createLogger } from '../../../../src/adapters/telemetry/log.ts';
import { createMetrics } from '../../../../src/adapters/telemetry/metrics.ts';
import { SUBSCRIBED_EVENTS } from '../../../../src/core/step/app-rights.ts';
import type { AppIdentity } from '../../../../src/core/step/facts.ts';
import { isRecord, parseJson } from '../../../../src/lib/trust.ts';
import { commented, pushed, replied, reviewed } from './payloads.ts';

const us: AppIdentity = { slug: 'countersign', botId: 99 };

/** A receiver with a store that remembers delivery ids and content keys, like the real one. */
function take(receive?: Store['receive'], self: AppIdentity | null = us) {
  const stored: InterpretedDelivery[] = [];
  const lines: string[] = [];
  const metrics = createMetrics();
  const remember: Store['receive'] = async (delivery) => {
    const known = stored.some(({ id, contentKey }) => {
      return id === delivery.id || (contentKey !== null && contentKey === delivery.contentKey);
    });
    if (!known) stored.push(delivery);
    return known ? 'duplicate' : 'stored';
  };
  const stream = { write: (line: string) => void lines.push(line) };
  const taking = createDeliveryHandler({
    store: {
      receive: receive ?? remember,
      broadcastToPulls: () => Promise.resolve('stored'),
      noticeChecks: () => Promise.resolve(),
    },
    identity: () => self,
    now: () => 1_000,
    log: createLogger({ level: 'debug', format: 'json', secrets: [], stream }),
    deliveries: metrics.deliveries,
  });
  const outcomes = () => lines.map(parseJson).map((line) => (isRecord(line) ? line['outcome'] : null));
  return { taking, stored, lines, outcomes, page: metrics.render };
}

describe('receiving a delivery', () => {
  it('gives each comment one content key for all its deliveries (F5)', async () => {
    const { taking, stored, outcomes } = take();
    const say = (id: string, name: string, payload: Readonly<Record<string, unknown>>) => taking({ id, name, payload });
    await say('1', 'issue_comment', commented('/countersign tidy up'));
    await say('2', 'issue_comment', commented('/countersign tidy up'));
    await say('3', 'pull_request_review_comment', replied('/approve'));
    await say('4', 'pull_request_review', reviewed('/approve all'));
    await say('5', 'pull_request', pushed());
    await say('6', 'pull_request', pushed());
    expect(stored.map(({ id, contentKey }) => [id, contentKey])).toEqual([
      ['1', 'issue-comment:21'],
      ['3', 'review-comment:31'],
      ['4', 'review:41'],
      ['5', null],
      ['6', null],
    ]);
    expect(outcomes()).toEqual(['stored', 'duplicate', 'stored', 'stored', 'stored', 'stored']);
  });

  it('a repeated delivery is acknowledged and changes nothing (F4)', async () => {
    const { taking, stored, outcomes } = take();
    for (let time = 0; time < 4; time += 1) await taking({ id: '1', name: 'pull_request', payload: pushed() });
    expect(stored).toHaveLength(1);
    expect(outcomes()).toEqual(['stored', 'duplicate', 'duplicate', 'duplicate']);
  });

  it('logs and counts each delivery once; the metric names no repository and no person (I13, J10)', async () => {
    const { taking, lines, page } = take();
    await taking({ id: '1', name: 'issue_comment', payload: commented('/approve\nbecause of the canary') });
    await taking({ id: '2', name: 'acme_shop_ana', payload: {} });
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('canary');
    const body = await page();
    expect(body).toContain('deliveries_total{event="issue_comment",outcome="stored"} 1');
    expect(body).toContain('deliveries_total{event="other",outcome="unknown-event"} 1');
    expect(body).not.toMatch(/acme|shop|ana/);
  });

  it('rejects deliveries until the app identity is known', async () => {
    const { taking, stored } = take(undefined, null);
    await expect(taking({ id: '1', name: 'issue_comment', payload: commented('/stop') })).rejects.toThrow(
      'app identity not loaded',
    );
    expect(stored).toEqual([]);
  });

  it('accepts a ping before the identity is known, and counts it (O5)', async () => {
    const { taking, stored, lines, page } = take(undefined, null);
    expect(await taking({ id: '1', name: 'ping', payload: { zen: 'canary', hook_id: 7 } })).toBe('ping');
    expect(stored).toEqual([]);
    expect(lines.join('')).toContain('"hook":7,"msg":"webhook works"');
    expect(lines.join('')).not.toContain('canary');
    expect(await page()).toContain('deliveries_total{event="ping",outcome="ping"} 1');
  });

  it('fails if the store fails (G9)', async () => {
    const { taking, outcomes } = take(() => Promise.reject(new Error('no database')));
    await expect(taking({ id: '1', name: 'issue_comment', payload: commented('/stop') })).rejects.toThrow(
      'no database',
    );
    expect(outcomes()).toEqual([]);
  });

  it('any payload of any event has one outcome and no failure (F11)', async () => {
    const action = fc.constantFrom('created', 'submitted', '__proto__', 'suspend', '');
    const installation = fc.oneof(fc.constant({ id: 3 }), fc.jsonValue());
    const payload = fc.oneof(
      fc.record({ action, installation, comment: fc.jsonValue(), issue: fc.jsonValue(), sender: fc.jsonValue() }),
      fc.dictionary(fc.string(), fc.jsonValue()).map(({ action: _, ...rest }) => rest),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SUBSCRIBED_EVENTS), payload, async (name, content) => {
        const { taking, outcomes } = take();
        await taking({ id: '1', name, payload: content });
        expect(outcomes()).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
