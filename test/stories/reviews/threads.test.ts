import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** The node id of the n-th proposal's thread. */
function threadOf({ pr, bot }: Story, n: number): string {
  const { reviewComments, threads } = pr.now();
  const thread = threads.get(reviewComments.get(bot.proposal(n).id)?.threadId ?? 0);
  if (thread === undefined) throw new Error('That proposal has no thread.');
  return thread.nodeId;
}

describe('resolving the thread of a pending proposal', () => {
  it('withdraws it after a minute without a denial, and the agent continues (S53, S110)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ben, bot, model } = story;
    const asked = model.requests().length;
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(model.requests()).toHaveLength(asked);
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['superseded']);
    expect(bot.proposal(1).body).toContain('**Withdrawn** without a decision.');
    expect(bot.proposal(1).body).toContain(`\`${ben.login}\` resolved its thread.`);
    expect(model.toolMessages()).toEqual([`Withdrawn: no decision was made. ${ben.login} resolved its thread.`]);
    expect(pr.commits()).toEqual([]);
    expect((await story.stored()).proposals[0]?.votes).toEqual([]);
  });

  it('opening it again within the minute undoes it, and resolving it again restarts the minute (S53)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().later(20);
    await ana.does((person) => person.unresolves(threadOf(story, 1)));
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['proposed']);
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().later(30);
    await ana.does((person) => person.unresolves(threadOf(story, 1)));
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().later(40);
    expect(await proposalStates(story)).toEqual(['proposed']);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('GitHub’s current state counts when the webhook for opening it again is lost (S53)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    await story.ben.does((person) => person.resolves(threadOf(story, 1)));
    stage().github.deliveries.intercept(() => 'drop');
    await story.ben.does((person) => person.unresolves(threadOf(story, 1)));
    stage().github.deliveries.intercept(undefined);
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['proposed']);
  });

  it('the minute survives a restart (S53, S81)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    await story.ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().restart();
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['superseded']);
  });

  it('a change that a push contains is completed, not withdrawn (S53, S50)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ben, bot } = story;
    stage().github.deliveries.intercept(({ event }) => (event === 'pull_request_review_thread' ? 'send' : 'drop'));
    await ben.does((person) => {
      person.pushes({ [ROWS_PATH]: rows({ 5: 50 }) });
      person.resolves(threadOf(story, 1));
    });
    stage().github.deliveries.intercept(undefined);
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });

  it('the pull request’s author may withdraw; people who lost their permission and the App itself have no effect (S53, S67)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 7: 70, 12: 120 });
    const { ana, bot, carl, ben } = story;
    await carl.does((person) => person.resolves(threadOf(story, 1)));
    await ana.replies(bot.proposal(2), '/deny');
    expect(bot.proposal(2).resolved).toBe(true);
    stage().github.deliveries.intercept(() => 'hold');
    await ben.does((person) => person.resolves(threadOf(story, 3)));
    story.grants(ben, 'read');
    stage().github.deliveries.intercept(undefined);
    stage().github.deliveries.releaseHeld();
    await stage().settle();
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['superseded', 'rejected', 'proposed']);
  });

  it('GitHub’s own button resolves threads too, and that withdraws nothing (S53)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    await story.ana.commitsSuggestion(story.bot.proposal(1));
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
  });
});
