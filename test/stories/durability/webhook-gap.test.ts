import { afterEach, describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { proposeRows, ROWS_PATH, rows } from '../support/rows.ts';

const stage = stageForAll();

afterEach(() => stage().github.deliveries.intercept(undefined));

const DAY = 86_400;

/** Drops the webhooks of `action`; GitHub's delivery log has expired when the App recovers. */
async function duringWebhookGap(action: () => void): Promise<void> {
  stage().github.deliveries.intercept(() => 'drop');
  stage().pass(2);
  action();
  stage().pass(2);
  stage().github.deliveries.intercept(undefined);
  await stage().later(4 * DAY);
  // Other pull requests catch up first.
  await stage().later(60);
}

describe('webhooks lost before the start of GitHub’s delivery log', () => {
  it('comments posted during the gap are processed once; a comment edited since decides nothing (F8, S60)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    const { pr, ana, ben, bot } = story;
    await duringWebhookGap(() => {
      ana.person.replies(bot.proposal(1).id, '/approve');
      ben.person.says(`/deny ${bot.proposal(2).proposalId} not this one`);
      const yes = ana.person.replies(bot.proposal(3).id, '/approve');
      stage().pass(60);
      ana.person.editsInThread(yes.id, '/approve but not before Monday');
    });
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(await proposalStates(story)).toEqual(['completed', 'rejected', 'proposed']);
    expect(bot.proposal(2).body).toContain('not this one');
    await stage().restart();
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });

  it('an approval and a later denial commit nothing (F8, B14)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    await duringWebhookGap(() => {
      story.ana.person.replies(story.bot.proposal(1).id, '/approve');
      stage().pass(5);
      story.ben.person.replies(story.bot.proposal(1).id, '/deny no, wait');
    });
    expect(story.pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['rejected', 'proposed']);
  });

  it('a change pushed during the gap is found in the branch (F8, S50)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    await duringWebhookGap(() => story.ben.person.pushes({ [ROWS_PATH]: rows({ 5: 50 }) }));
    expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
    expect(story.bot.proposal(1).body).toContain('Found in a push');
  });

  it('a pull request closed during the gap ends its run (F8, S90b)', async () => {
    const closed = await proposeRows(stage(), { 5: 50 });
    await duringWebhookGap(() => closed.ben.person.closes());
    expect(await proposalStates(closed)).toEqual(['cancelled']);
    expect(closed.bot.run().body).toContain('because the pull request was closed');
  });

  it('an approval commits nothing on a closed pull request, though its webhook was lost (F8, S90b)', async () => {
    const { ana, ben, bot, pr } = await proposeRows(stage(), { 5: 50 });
    stage().github.deliveries.intercept(() => 'drop');
    stage().pass(2);
    ben.person.closes();
    stage().github.deliveries.intercept(undefined);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.proposal(1).body).toContain('The pull request is closed');
  });

  it('nothing expires before timely comments are read, even where GitHub keeps no log (S85, F8)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, bot, pr } = story;
    stage().github.faults.add({ route: 'GET /app/hook/deliveries', kind: 'fail-before-apply', status: 404 });
    await stage().restart();
    await stage().settle();
    stage().github.deliveries.intercept(() => 'drop');
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    stage().github.deliveries.intercept(undefined);
    await stage().later(6 * DAY);
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    await stage().later(2 * DAY);
    expect(await proposalStates(story)).toEqual(['completed', 'expired']);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await stage().restart();
  });
});
