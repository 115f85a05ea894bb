import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { askPeople, CHOICE, newestId, results } from '../support/questions.ts';

const stage = stageForAll();

describe('a bare word in the conversation, where only commands decide', () => {
  it('a number while a choice is open decides nothing, and says once how to choose (S62, S113)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { ana, ben, bot } = story;
    await ana.says('2');
    expect(results(story)).toEqual([]);
    expect(bot.answer()).toContain('`2` alone decides nothing here');
    expect(bot.answer()).toContain(`\`/choose ${newestId(story)} 2\``);
    expect(bot.answer()).not.toContain(`@${ana.login}`);
    const answers = bot.answers().length;
    for (const words of ['2', '1', 'approve']) await ana.says(words);
    expect(bot.answers()).toHaveLength(answers);
    await ben.says('3');
    expect(bot.answers()).toHaveLength(answers + 1);
    expect(results(story)).toEqual([]);
    await ana.says(`/choose ${newestId(story)} 2`);
    expect(results(story)).toHaveLength(1);
  });

  it.each(['approve', 'Approve', 'deny', 'stop'])(
    '%s while a change is pending decides nothing, and says once to begin with a slash (S62)',
    async (word) => {
      const { ana, bot, model, pr, stored } = await propose(stage(), BIGINT);
      await ana.says(word);
      expect(bot.answer()).toContain(
        `That word alone decides nothing here. A command begins with a slash: \`/${word.toLowerCase()}\`.`,
      );
      await ana.says(word);
      expect(bot.answers()).toHaveLength(1);
      expect(await proposalStates({ stored })).toEqual(['proposed']);
      expect(pr.commits()).toEqual([]);
      expect(model.requests()).toHaveLength(1);
    },
  );

  it('other words, other people, quotes, and bare words without a run get nothing (S62)', async () => {
    const story = await stage().tell({});
    const { ana, carl, stranger, bot, model } = story;
    for (const words of ['2', 'approve']) await ana.says(words);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    for (const words of ['2', 'approve it', 'lgtm', 'yes', '`approve`', '> some words\n\napprove', '@ben approve'])
      await ana.says(words);
    for (const person of [carl, stranger]) await person.says('approve');
    expect(bot.answers()).toEqual([]);
  });

  it('the pull request’s author gets the hint for what they may do (S62)', async () => {
    const { carl, bot } = await propose(stage(), BIGINT);
    await carl.says('deny');
    expect(bot.answers()).toEqual([expect.stringContaining('A command begins with a slash: `/deny`.')]);
  });
});
