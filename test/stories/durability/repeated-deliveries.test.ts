import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FakeDelivery } from '../../../fakes/github/http/server-state.ts';
import { postWebhook } from '../../../fakes/github/webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';
import { unheard } from '../support/undelivered.ts';

const stage = stageForAll();

afterEach(() => stage().github.deliveries.intercept(undefined));

async function tell(...told: readonly FakeDelivery[]): Promise<void> {
  for (const delivery of told) stage().github.deliveries.redeliver(delivery);
  await stage().settle();
}

/** The same words under another delivery id, as two hooks of one App would tell them. */
async function tellAnew({ request }: FakeDelivery): Promise<void> {
  const headers = { ...request.headers, 'x-github-delivery': randomUUID() };
  const target = `${stage().server().url}/api/github/webhooks`;
  expect(await postWebhook(target, { ...request, headers })).toBe(202);
  await stage().settle();
}

function traces({ pr, bot, model }: Story): unknown {
  return { refs: pr.refs(), comments: bot.comments(), asked: model.requests().length };
}

describe('a delivery that comes more than once', () => {
  it('a whole story with every webhook sent twice (F4, S80)', async () => {
    stage().github.deliveries.intercept(() => 'duplicate');
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50, 12: 120 });
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny not now');
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(2);
    expect(model.requests()).toHaveLength(2);
    expect(bot.answers()).toHaveLength(1);
  });

  it('the same comment under another delivery id decides once (F5, S80)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, bot } = story;
    const [said] = unheard(stage(), () => ana.person.says(`/approve ${bot.proposal(1).proposalId}`));
    if (said === undefined) throw new Error('GitHub told nothing.');
    await tellAnew(said);
    const after = traces(story);
    expect(story.pr.commits()).toHaveLength(1);
    await tellAnew(said);
    expect(traces(story)).toEqual(after);
  });

  it('an approval delivered again after the change was denied, and after a restart, does nothing (F7, F20)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, ben, bot, pr } = story;
    const told = unheard(stage(), () => ana.person.replies(bot.proposal(1).id, '/approve'));
    const approval = told.find(({ event }) => event === 'pull_request_review_comment');
    if (approval === undefined) throw new Error('GitHub told nothing.');
    await ben.replies(bot.proposal(1), '/deny no');
    await tell(approval);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('reject');
    const after = traces(story);
    await stage().restart();
    await tell(approval);
    await tellAnew(approval);
    expect(traces(story)).toEqual(after);
  });
});

describe('deliveries in another order', () => {
  /** Some of the 720 orders of six things, the same each time; among them those in which they came, and backwards. */
  const ORDERS = [
    [0, 1, 2, 3, 4, 5],
    [5, 4, 3, 2, 1, 0],
    [3, 4, 0, 1, 2, 5],
    [0, 1, 2, 5, 3, 4],
    [4, 1, 5, 0, 3, 2],
    [2, 5, 4, 1, 0, 3],
    [1, 3, 5, 2, 4, 0],
    [5, 0, 4, 3, 2, 1],
  ] as const;

  /** Everything that was told of two approvals, a denial, other wishes, and a push that GitHub tells of twice. */
  function sixThings({ ana, ben, bot }: Story): readonly FakeDelivery[] {
    const told = unheard(stage(), () => {
      ana.person.replies(bot.proposal(1).id, '/approve');
      ben.person.replies(bot.proposal(2).id, '/deny not now');
      ana.person.replies(bot.proposal(3).id, 'say eleven');
      ben.person.pushes({ [ROWS_PATH]: rows({ 22: 'pushed' }) });
      ben.person.replies(bot.proposal(4).id, '/approve');
    });
    return told.filter(({ event }) => event !== 'pull_request_review');
  }

  it('six things that happened come to the same end in every order (F6)', { timeout: 120_000 }, async () => {
    for (const order of ORDERS) {
      const story = await proposeRows(stage(), { 2: 20, 6: 60, 10: 100, 14: 140 });
      const things = sixThings(story);
      expect(things).toHaveLength(order.length);
      for (const place of order) await tell(...things.slice(place, place + 1));
      const { pr, model, stored } = story;
      expect(pr.file(ROWS_PATH)).toBe(rows({ 2: 20, 14: 140, 22: 'pushed' }));
      expect((await stored()).proposals.map(({ state }) => state)).toEqual([
        'completed',
        'rejected',
        'rejected',
        'completed',
      ]);
      expect(model.requests()).toHaveLength(2);
      expect(model.heard()).toEqual([
        expect.stringContaining('replacements_made'),
        expect.stringContaining('Edit rejected by user: not now'),
        expect.stringContaining('say eleven'),
        expect.stringContaining('replacements_made'),
      ]);
    }
  });

  it('comments are processed in the order in which they came (S86, B14)', async () => {
    const first = await proposeRows(stage(), { 5: 50 });
    stage().pass(2);
    first.ben.person.replies(first.bot.proposal(1).id, '/deny no');
    first.ana.person.replies(first.bot.proposal(1).id, '/approve');
    await stage().settle();
    expect(first.pr.commits()).toEqual([]);
    expect(first.bot.proposal(1).body).toContain('**Rejected by user**');
  });

  it('a bare approval that arrives after its only proposal was replaced decides nothing (S41, S86)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    const [late] = unheard(stage(), () => ana.person.says('/approve'));
    if (late === undefined) throw new Error('GitHub told nothing.');
    await ben.pushes({ [ROWS_PATH]: rows({ 6: 'other' }) });
    expect(bot.proposals()).toHaveLength(2);
    await tell(late);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(2).body).toContain('`/approve`');
  });

  it('a reply that arrives before the answer to our own review is held back, and decides (S37, S80)', async () => {
    const { pr, ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    const review = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const { promise: until, resolve: goesOn } = Promise.withResolvers<void>();
    stage().github.faults.add({ kind: 'delay', until, route: review });
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await vi.waitFor(() => expect(bot.proposals()).toHaveLength(1), { timeout: 25_000, interval: 10 });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await stage().github.whenIdle();
    expect(pr.commits()).toEqual([]);
    goesOn();
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
