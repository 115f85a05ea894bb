import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Delivery } from '../../src/simulator/http/deliveries.ts';
import { postWebhook } from '../../src/simulator/http/post-webhook.ts';
import { stageForAll } from './curtain.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from './rows.ts';
import type { Story } from './story.ts';
import { unheard } from './unheard.ts';

const stage = stageForAll();
afterEach(() => stage().github.deliveries.decide(undefined));

async function tell(...told: readonly Delivery[]): Promise<void> {
  for (const delivery of told) stage().github.deliveries.redeliver(delivery);
  await stage().settle();
}

/** The same words under another delivery id, as two hooks of one App would tell them. */
async function tellAnew({ request }: Delivery): Promise<void> {
  const headers = { ...request.headers, 'x-github-delivery': randomUUID() };
  const target = `${stage().server().url}/api/github/webhooks`;
  expect(await postWebhook(target, { ...request, headers })).toBe(202);
  await stage().settle();
}

function traces({ pr, bot, model }: Story): unknown {
  return { refs: pr.refs(), comments: bot.comments(), asked: model.requests().length };
}

describe('a delivery that comes more than once', () => {
  it('F4, S80: a whole story in which everything is told twice', async () => {
    stage().github.deliveries.decide(() => 'duplicate');
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50, 12: 120 });
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny not now');
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(2);
    expect(model.requests()).toHaveLength(2);
    expect(bot.answers()).toHaveLength(1);
  });

  it('F5, S80: the same words under another delivery id decide once', async () => {
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

  it('F7, F20: an approval told again after the change was denied, and after a restart, does nothing', async () => {
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
  function sixThings({ ana, ben, bot }: Story): readonly Delivery[] {
    const told = unheard(stage(), () => {
      ana.person.replies(bot.proposal(1).id, '/approve');
      ben.person.replies(bot.proposal(2).id, '/deny not now');
      ana.person.replies(bot.proposal(3).id, 'say eleven');
      ben.person.pushes({ [ROWS_PATH]: rows({ 22: 'pushed' }) });
      ben.person.replies(bot.proposal(4).id, '/approve');
    });
    return told.filter(({ event }) => event !== 'pull_request_review');
  }

  it('F6: six things that happened come to the same end in every order', { timeout: 120_000 }, async () => {
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

  it('S86, B14: words are taken in the order in which they came', async () => {
    const first = await proposeRows(stage(), { 5: 50 });
    stage().pass(2);
    first.ben.person.replies(first.bot.proposal(1).id, '/deny no');
    first.ana.person.replies(first.bot.proposal(1).id, '/approve');
    await stage().settle();
    expect(first.pr.commits()).toEqual([]);
    expect(first.bot.proposal(1).body).toContain('**Rejected by user**');
  });

  it('S41, S86: a bare approval that arrives after its only proposal was replaced decides nothing', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    const [late] = unheard(stage(), () => ana.person.says('/approve'));
    if (late === undefined) throw new Error('GitHub told nothing.');
    await ben.pushes({ [ROWS_PATH]: rows({ 6: 'other' }) });
    expect(bot.proposals()).toHaveLength(2);
    await tell(late);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(2).body).toContain('`/approve`');
  });

  it('S37, S80: a reply that overtakes the answer to our own review waits for it, and decides', async () => {
    const { pr, ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    const review = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const { promise: until, resolve: goesOn } = Promise.withResolvers<void>();
    stage().github.faults.add({ kind: 'delay', until, on: review });
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await vi.waitFor(() => expect(bot.proposals()).toHaveLength(1), { timeout: 25_000, interval: 10 });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await stage().github.settled();
    expect(pr.commits()).toEqual([]);
    goesOn();
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
