import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { requestsSince } from '../support/requests.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

describe('a run', () => {
  it('/stop cancels pending changes, asks the model no more, and notifies the requester once (S51)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot, model, pr } = story;
    await ana.replies(bot.proposal(2), '/approve');
    await ben.says('/stop');
    expect(await proposalStates(story)).toEqual(['cancelled', 'completed']);
    expect(model.requests()).toHaveLength(1);
    expect(bot.answer()).toMatch(/^Rejected\. Agent response cancelled\./);
    expect(bot.answer()).toContain(`@${ana.login}, the run was stopped by`);
    expect(bot.answer()).toContain(pr.head().slice(0, 7));
    expect(bot.run().body).toContain('**Ended.** The run was stopped by');
    expect(bot.proposal(1).resolved).toBe(true);
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect(bot.answer()).toContain('was already cancelled');
  });

  it('/stop during a model request: the response changes nothing (S51)', async () => {
    const { ana, bot, model, pr, stored } = await stage().tell();
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    model.says({ calls: [BIGINT], sendAfter });
    stage().pass(2);
    ana.person.says('/countersign use bigint');
    await expect.poll(() => model.requests().length, { interval: 5 }).toBe(1);
    stage().pass(2);
    ana.person.says('/stop');
    await expect.poll(async () => (await stored()).run?.phase.kind, { interval: 5 }).toBe('ended');
    answers();
    await stage().settle();
    expect(bot.proposals()).toEqual([]);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers()).toHaveLength(1);
  });

  it('closing the pull request ends the run; on a closed one tasks and approvals are refused (S51, F13)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot, model, pr } = story;
    await ana.does((person) => person.closes());
    expect(await proposalStates(story)).toEqual(['cancelled', 'cancelled']);
    expect(bot.answer()).toContain('because the pull request was closed');
    await ana.says('/countersign once more');
    expect(bot.answer()).toMatch(/^This pull request is closed, so Countersign can’t change it\. Reopen it/);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(model.requests()).toHaveLength(1);
  });

  it('the end of a run is announced once and mentions only its requester (S89a)', async () => {
    const { ana, ben, bot, model } = await stage().tell();
    model.says({ content: 'Nothing to do. @everybody, see #1.' });
    await ana.says('/countersign use bigint');
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain(`@${ana.login}, the answer, written by the model:\n\n> Nothing to do.`);
    await ben.says('/status');
    const pages = bot.comments().map(({ body }) => body.replace(/`[^`\n]*`/g, ''));
    expect(pages.join('\n').match(/@[\w-]+/g)).toEqual([`@${ana.login}`]);
  });

  it('/status links every pending change (S89a)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    await story.ana.says('/status');
    for (const { id, proposalId } of story.bot.proposals())
      expect(story.bot.answer()).toMatch(new RegExp(`\\[\`${proposalId}\`\\]\\(http.*r${id}\\)`));
  });
});

describe('the start of a run', () => {
  it('comments before the first run that contain no task get no answer and cause no GitHub request', async () => {
    const story = await stage().tell();
    const { ana, bot } = story;
    const before = stage().github.requests.length;
    for (const words of ['/approve', '/deny all', '/help', '/stop', 'lgtm', '/lgtm']) await ana.says(words);
    expect(bot.comments()).toEqual([]);
    expect(requestsSince(stage(), story, before)).toEqual([]);
  });

  it('a task can be in a review body; conversations between people never reach the model (D3)', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell();
    model.proposes(BIGINT);
    await ana.does((person) => person.reviews({ event: 'COMMENT', body: '@countersign use bigint' }));
    await ben.says('What is this about?');
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(JSON.stringify(model.requests())).not.toContain('What is this about?');
  });
});

describe('several tasks', () => {
  it('are queued with a notice, and start automatically in order (S86)', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ben.says('/countersign write a page');
    await ana.says('/countersign and another');
    expect(bot.answers()[0]).toContain('starts by itself when the active run ends');
    expect(bot.answers()[1]).toContain('after the 2 tasks before it');
    expect(model.requests()).toHaveLength(1);
    model.says({ content: 'Done.' });
    model.proposes(write('docs/page.md', '# Page\n'));
    await ana.says('/approve');
    expect(model.requests().at(-1)?.messages.at(-1)?.content).toContain('"write a page"');
    await ana.says('/approve');
    expect(model.requests().at(-1)?.messages[1]?.content).toContain('"and another"');
    expect(pr.commits()).toHaveLength(2);
  });

  it('/stop drops the queue and lists it (S51)', async () => {
    const { ana, ben, bot, model } = await propose(stage(), BIGINT, EXACTLY);
    await ben.says('/countersign write a page');
    await ana.says('/stop');
    expect(bot.answer()).toContain('These queued tasks were dropped:\n\n- write a page');
    expect(model.requests()).toHaveLength(1);
  });

  it('a /stop that was written before the task of the run does not end it (S41a)', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    model.proposes(BIGINT);
    stage().github.deliveries.intercept((delivery) => (delivery.request.body.includes('/stop') ? 'hold' : 'send'));
    await ana.says('/stop');
    stage().github.deliveries.intercept(undefined);
    await ana.says('/countersign use bigint');
    stage().github.deliveries.releaseHeld();
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(bot.answer()).toContain('`/stop`');
  });
});
