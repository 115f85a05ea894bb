import { describe, expect, it } from 'vitest';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { askPeople, newestId, results, TEXT } from '../support/questions.ts';

const stage = stageForAll();

const PAGE = {
  name: 'write_file',
  arguments: {
    path: 'docs/new.md',
    content: '# New\n\nIt says more than before.\n',
    reason: 'People asked for a page.',
  },
};

const app = () => `@${stage().github.app.slug}`;

describe('words below a part of a proposal’s comment', () => {
  it.each([
    ['its diff', '+It says more than before.'],
    ['the model’s reason', '> People asked for a page.'],
  ])('that quotes %s decide nothing, and a hint says once how to be heard (S59, S62)', async (_, piece) => {
    const story = await propose(stage(), PAGE);
    const { ana, ben, bot, model } = story;
    const { proposalId } = bot.proposal(1);
    await ana.says(quoteReply(piece, 'Say less here.'));
    expect(bot.answer()).toContain('your words did not reach the agent');
    expect(bot.answer()).toContain(`\`/edit ${proposalId} <instruction>\``);
    await ana.says(quoteReply(piece, 'Say less here, please.'));
    expect(bot.answers()).toHaveLength(1);
    await ben.says(quoteReply(piece, 'I agree.'));
    expect(bot.answers()).toHaveLength(2);
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(model.requests()).toHaveLength(1);
  });

  it('get no hint where people talk: other quotes, short ones, no words, nothing pending, no access (S56, S62)', async () => {
    const story = await propose(stage(), PAGE);
    const { ana, ben, carl, stranger, bot } = story;
    const piece = '+It says more than before.';
    await ana.says(quoteReply('It should say more than before.', 'I agree.'));
    await ana.says(quoteReply('+# New', 'A good title.'));
    await ana.says(quoteReply(`${piece}\nAnd more.`, 'Who wrote this?'));
    await ana.says(`> ${piece}`);
    await ana.says(quoteReply(piece, `@${ben.login} what do you say?`));
    for (const person of [carl, stranger]) await person.says(quoteReply(piece, 'Say less here.'));
    await ana.says('/deny all');
    await ana.says(quoteReply(piece, 'It was too much.'));
    expect(bot.answers().filter((one) => one.includes('did not reach the agent'))).toEqual([]);
  });

  it('below a part of a question they are no answer, and a hint says once how to answer (S120)', async () => {
    const story = await askPeople(stage(), TEXT);
    const { ana, bot } = story;
    for (const words of ['total', 'sum']) await ana.says(quoteReply('> What is the new name?', words));
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain(`\`/answer ${newestId(story)} <text>\``);
    expect(results(story)).toEqual([]);
  });
});

describe('a command below words for the agent', () => {
  it.each(['/approve', '/approve all', '/stop', '/deny all'])(
    '%s does nothing, and neither it nor the words become a note (S58, S62)',
    async (command) => {
      const story = await propose(stage(), BIGINT);
      const { ana, bot, model, pr, stored } = story;
      await ana.says(`${app()} looks good to me!\n\n${command}`);
      expect(bot.answer()).toContain('A command counts only on the first line of a comment');
      expect((await stored()).run?.agentNotes).toEqual([]);
      expect(await proposalStates(story)).toEqual(['proposed']);
      expect(pr.commits()).toEqual([]);
      expect(model.requests()).toHaveLength(1);
    },
  );

  it('as code it is part of the words (S58)', async () => {
    const { ana, bot, stored } = await propose(stage(), BIGINT);
    await ana.says(`${app()} explain this line in the page:\n\n\`\`\`\n/approve\n\`\`\``);
    expect(bot.answers()).toEqual([]);
    expect((await stored()).run?.agentNotes).toHaveLength(1);
  });
});
