import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Ben merges or closes the pull request, and its webhook never arrives. */
async function unheard({ ben }: Story, how: 'merges' | 'closes'): Promise<void> {
  stage().github.deliveries.intercept(({ action }) => (action === 'closed' ? 'drop' : 'send'));
  await ben.does((person) => person[how]());
  stage().github.deliveries.intercept(undefined);
}

const OUTCOMES = { merges: 'was merged', closes: 'was closed' } as const;

describe('a pull request that was merged or closed, without its webhook (P8)', () => {
  it.each([
    ['/approve', 'merges'],
    ['/deny not like this', 'closes'],
    ['please use a number instead', 'closes'],
  ] as const)('R10: the run ends at “%s”, and the model is not asked again (%s)', async (words, how) => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, model, pr } = story;
    await unheard(story, how);
    const [asked, shown, commits] = [model.requests().length, bot.proposals().length, pr.commits().length];
    await ana.replies(bot.proposal(1), words);
    await stage().later(120);
    expect((await story.stored()).run?.phase.kind).toBe('ended');
    expect(bot.answers().join()).toContain(OUTCOMES[how]);
    expect(bot.answers().join()).not.toContain('Fix the cause');
    expect([model.requests().length, bot.proposals().length, pr.commits().length]).toEqual([asked, shown, commits]);
  });

  it('R10: a question asked before is still answered, and ends the run', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, model } = story;
    stage().github.deliveries.intercept(({ action }) => (action === 'closed' ? 'drop' : 'send'));
    stage().pass(2);
    ana.person.says('/ask why a bigint?');
    story.ben.person.merges();
    model.says({ content: 'Because it is large.' });
    await stage().settle();
    await stage().later(60);
    stage().github.deliveries.intercept(undefined);
    expect((await story.stored()).run?.phase.kind).toBe('ended');
    expect(bot.answers().join()).toContain('was merged');
    expect(bot.answers().join()).toContain('Because it is large.');
  });

  it('R10: what the model proposes afterwards is not shown', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    model.says({ calls: [BIGINT], sendAfter });
    stage().pass(2);
    ana.person.says('/countersign use bigint');
    await expect.poll(() => model.requests().length, { interval: 5 }).toBe(1);
    stage().github.deliveries.intercept(({ action }) => (action === 'closed' ? 'drop' : 'send'));
    story.ben.person.merges();
    answers();
    await stage().settle();
    stage().github.deliveries.intercept(undefined);
    expect(bot.proposals()).toEqual([]);
    expect(bot.answer()).toContain('was merged');
    expect(model.requests()).toHaveLength(1);
  });

  it('R10: a change whose review was refused for a while is not shown any more', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    stage().github.faults.add({ route, kind: 'fail-before-apply', status: 500, times: 3 });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await unheard(story, 'closes');
    await stage().later(60);
    expect(bot.proposals()).toEqual([]);
    expect(bot.answer()).toContain('was closed');
  });

  it('R10: a branch that the merge deleted is no cause to be fixed', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot } = story;
    const message = 'A branch named `topic` does not exist';
    const refusal = { data: { createCommitOnBranch: null }, errors: [{ type: 'NOT_FOUND', message }] };
    const route = 'graphql createCommitOnBranch';
    stage().github.faults.add({ route, kind: 'fail-before-apply', status: 200, body: refusal, times: 9 });
    await ana.replies(bot.proposal(1), '/approve');
    await unheard({ ...story, ben }, 'merges');
    await stage().later(30);
    stage().github.faults.clear();
    expect(bot.answers().join()).toContain('was merged');
    expect(bot.answers().join()).not.toContain('Fix the cause');
    expect(await proposalStates(story)).toEqual(['failed', 'cancelled']);
  });
});
