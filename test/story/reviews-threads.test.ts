import { describe, expect, it } from 'vitest';
import { stageForAll } from './curtain.ts';
import { proposeRows, ROWS_PATH, rows } from './rows.ts';
import type { Story } from './story.ts';

const stage = stageForAll();

/** The node id of the thread in which the n-th proposal stands. */
function threadOf({ pr, bot }: Story, n: number): string {
  const { reviewComments, threads } = pr.now();
  const thread = threads.get(reviewComments.get(bot.proposal(n).id)?.threadId ?? 0);
  if (thread === undefined) throw new Error('That proposal stands in no thread.');
  return thread.nodeId;
}

async function states(story: Story): Promise<readonly string[]> {
  return (await story.stored()).proposals.map((proposal) => proposal.state);
}

describe('a waiting proposal’s thread is resolved', () => {
  it('S53, S110: after a minute it is withdrawn, which is no denial; the agent goes on', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ben, bot, model } = story;
    const asked = model.requests().length;
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    expect(await states(story)).toEqual(['proposed']);
    expect(model.requests()).toHaveLength(asked);
    await stage().later(61);
    expect(await states(story)).toEqual(['superseded']);
    expect(bot.proposal(1).body).toContain('**Withdrawn** without a decision.');
    expect(bot.proposal(1).body).toContain(`\`${ben.login}\` resolved its thread.`);
    expect(model.heard()).toEqual(['Withdrawn: no decision was made.']);
    expect(pr.commits()).toEqual([]);
    expect((await story.stored()).proposals[0]?.votes).toEqual([]);
  });

  it('S53: opening it again in that minute undoes it, and resolving it anew begins the minute anew', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().later(20);
    await ana.does((person) => person.unresolves(threadOf(story, 1)));
    await stage().later(61);
    expect(await states(story)).toEqual(['proposed']);
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().later(30);
    await ana.does((person) => person.unresolves(threadOf(story, 1)));
    await ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().later(40);
    expect(await states(story)).toEqual(['proposed']);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await stage().later(61);
    expect(await states(story)).toEqual(['completed']);
  });

  it('S53: where nobody told that it was opened again, GitHub is believed', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    await story.ben.does((person) => person.resolves(threadOf(story, 1)));
    stage().github.deliveries.decide(() => 'drop');
    await story.ben.does((person) => person.unresolves(threadOf(story, 1)));
    stage().github.deliveries.decide(undefined);
    await stage().later(61);
    expect(await states(story)).toEqual(['proposed']);
  });

  it('S53, S81: the minute survives a restart', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    await story.ben.does((person) => person.resolves(threadOf(story, 1)));
    await stage().restart();
    await stage().later(61);
    expect(await states(story)).toEqual(['superseded']);
  });

  it('S53, S50: what a push brought meanwhile is completed, not withdrawn', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ben, bot } = story;
    stage().github.deliveries.decide(({ event }) => (event === 'pull_request_review_thread' ? 'send' : 'drop'));
    await ben.does((person) => {
      person.pushes({ [ROWS_PATH]: rows({ 5: 50 }) });
      person.resolves(threadOf(story, 1));
    });
    stage().github.deliveries.decide(undefined);
    await stage().later(61);
    expect(await states(story)).toEqual(['completed', 'proposed']);
    expect(bot.proposal(1).body).toContain('**Applied**');
  });

  it('S53, S67: who opened the pull request may; who may not any more and the App itself do nothing', async () => {
    const story = await proposeRows(stage(), { 5: 50, 7: 70, 12: 120 });
    const { ana, bot, carl, ben } = story;
    await carl.does((person) => person.resolves(threadOf(story, 1)));
    await ana.replies(bot.proposal(2), '/deny');
    expect(bot.proposal(2).resolved).toBe(true);
    stage().github.deliveries.decide(() => 'hold');
    await ben.does((person) => person.resolves(threadOf(story, 3)));
    story.grants(ben, 'read');
    stage().github.deliveries.decide(undefined);
    stage().github.deliveries.release();
    await stage().settle();
    await stage().later(61);
    expect(await states(story)).toEqual(['superseded', 'rejected', 'proposed']);
  });

  it('S53: GitHub’s own button resolves threads too, and that withdraws nothing', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    await story.ana.commitsSuggestion(story.bot.proposal(1));
    await stage().later(61);
    expect(await states(story)).toEqual(['completed', 'proposed']);
  });
});
