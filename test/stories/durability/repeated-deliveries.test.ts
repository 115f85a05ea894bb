import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FakeDelivery } from '../../../fakes/github/http/server-state.ts';
import { dropWebhooks } from '../support/drop-webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => stage().github.deliveries.intercept(undefined));

async function redeliver(...deliveries: readonly FakeDelivery[]): Promise<void> {
  for (const delivery of deliveries) stage().github.deliveries.redeliver(delivery);
  await stage().settle();
}

describe('a repeated delivery', () => {
  it('a whole story has the same result with every webhook sent twice (F4, S80)', async () => {
    stage().github.deliveries.intercept(() => 'duplicate');
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50, 12: 120 });
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny not now');
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(2);
    expect(model.requests()).toHaveLength(2);
    expect(bot.answers()).toHaveLength(1);
  });
});

describe('deliveries in another order', () => {
  /** A fixed sample of the 720 orders of six events, including the original order and its reverse. */
  const ORDERS = [
    [0, 1, 2, 3, 4, 5],
    [5, 4, 3, 2, 1, 0],
    [4, 1, 5, 0, 3, 2],
    [1, 3, 5, 2, 4, 0],
  ] as const;

  /** The deliveries of two approvals, a denial, an instruction, and two pushes. */
  function sixThings({ ana, ben, bot }: Story): readonly FakeDelivery[] {
    const deliveries = dropWebhooks(stage(), () => {
      ana.person.replies(bot.proposal(1).id, '/approve');
      ben.person.replies(bot.proposal(2).id, '/deny not now');
      ana.person.replies(bot.proposal(3).id, 'say eleven');
      ben.person.pushes({ [ROWS_PATH]: rows({ 22: 'pushed' }) });
      ben.person.replies(bot.proposal(4).id, '/approve');
      ben.person.pushes({ [ROWS_PATH]: rows({ 22: 'pushed', 26: 'pushed' }) });
    });
    return deliveries.filter(({ event }) => event !== 'pull_request_review');
  }

  it('six events lead to the same result in every order (F6)', { timeout: 120_000 }, async () => {
    for (const order of ORDERS) {
      const story = await proposeRows(stage(), { 2: 20, 6: 60, 10: 100, 14: 140 });
      const things = sixThings(story);
      expect(things).toHaveLength(order.length);
      for (const place of order) await redeliver(...things.slice(place, place + 1));
      const { pr, model, stored } = story;
      expect(pr.file(ROWS_PATH)).toBe(rows({ 2: 20, 14: 140, 22: 'pushed', 26: 'pushed' }));
      expect(await proposalStates({ stored })).toEqual(['completed', 'rejected', 'rejected', 'completed']);
      expect(model.requests()).toHaveLength(2);
      expect(model.toolMessages()).toEqual([
        expect.stringContaining('replacements_made'),
        expect.stringContaining('(write access): not now'),
        expect.stringContaining('say eleven'),
        expect.stringContaining('replacements_made'),
      ]);
    }
  });

  it('a bare approval that arrives after its only proposal was replaced decides nothing (S41, S86)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    const [late] = dropWebhooks(stage(), () => ana.person.says('/approve'));
    if (late === undefined) throw new Error('GitHub sent nothing.');
    await ben.pushes({ [ROWS_PATH]: rows({ 6: 'other' }) });
    expect(bot.proposals()).toHaveLength(2);
    await redeliver(late);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(2).body).toContain('`/approve`');
  });

  it('a reply that arrives before the response to the App’s own review is held back, and then decides (S37, S80)', async () => {
    const { pr, ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    const review = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    stage().github.faults.add({ kind: 'delay', until, route: review });
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await vi.waitFor(() => expect(bot.proposals()).toHaveLength(1), { timeout: 25_000, interval: 10 });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await stage().github.whenIdle();
    expect(pr.commits()).toEqual([]);
    release();
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
