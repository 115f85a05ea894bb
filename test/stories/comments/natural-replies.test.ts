import { describe, expect, it } from 'vitest';
import { comments } from '../support/first-message.ts';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { askPeople, CHOICE, newestId, results, TEXT } from '../support/questions.ts';
import { editRow, ROWS_PATH, row, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** A task in a review thread, and the id of the thread's first comment. */
async function askInThread(answer: string | null): Promise<Story & { readonly root: number }> {
  const story = await stage().tell({ branch: { [ROWS_PATH]: rows() } });
  if (answer === null) story.model.proposes(editRow(5, 50));
  else story.model.says({ content: answer });
  const root = await comments(stage(), story, story.ben, { path: ROWS_PATH, line: 5 }, 'Is this row right?');
  await story.ana.does((person) => person.replies(root, '/countersign do what this comment says'));
  return { ...story, root };
}

/** A run that ended with these words. */
async function ended(words: string): Promise<Story> {
  const story = await stage().tell();
  story.model.says({ content: words });
  await story.ana.says('/countersign what does it do?');
  return story;
}

function lastMessage({ model }: Story): string {
  return model.requests().at(-1)?.messages.at(-1)?.content ?? '';
}

describe('R22: the thread where the task was given', () => {
  it('is heard after the end, from everybody with write access, and not as talk among people', async () => {
    const story = await askInThread('Row 5 is right.');
    const { ana, ben, stranger, bot, model, root } = story;
    await stranger.does((person) => person.replies(root, 'Delete it.'));
    await ana.does((person) => person.replies(root, `@${ben.login} do you agree?`));
    await ana.does((person) => person.replies(root, 'Thanks!'));
    expect(model.requests()).toHaveLength(1);
    model.says({ content: 'Row 6 is right too.' });
    await ben.does((person) => person.replies(root, 'And the row below?'));
    expect(lastMessage(story)).toBe(`${ben.login} says, as a JSON string:\n"And the row below?"`);
    expect(bot.answer()).toContain('Row 6 is right too.');
  });

  it('speaks to the run while a change is pending, and decides nothing; the words come with the outcome', async () => {
    const story = await askInThread(null);
    const { ana, ben, bot, model, pr, root } = story;
    await ben.does((person) => person.replies(root, 'LGTM'));
    expect(bot.answer()).toContain('Nothing was decided');
    expect(bot.answer()).toContain(`\`/approve ${bot.proposal(1).proposalId}\``);
    const words = await ben.does((person) => person.replies(root, 'Keep the rest as it is.').id);
    await ana.does((person) => person.replies(root, 'And say why.'));
    await ben.does((person) => person.replies(root, 'In one sentence.'));
    expect(bot.reactionsOn(words)).toEqual(['eyes']);
    const told = bot.answers().filter((answer) => answer.includes('The agent reads your comment after the decision'));
    expect(told).toHaveLength(2);
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(model.requests()).toHaveLength(1);
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file(ROWS_PATH)).toContain(row(5, 50));
    expect(JSON.stringify(model.requests().at(-1)?.messages)).toContain('Keep the rest as it is.');
  });

  it('gets one hint once the run was stopped, and starts none', async () => {
    const story = await askInThread(null);
    const { ana, ben, bot, model, root } = story;
    await ana.says('/stop');
    await ben.does((person) => person.replies(root, 'Then use 51.'));
    await ben.does((person) => person.replies(root, 'Or 52.'));
    expect(bot.answers().filter((answer) => answer.includes('because its run is over'))).toHaveLength(1);
    expect(model.requests()).toHaveLength(1);
  });
});

describe('R22: words below a quote of what the App wrote', () => {
  it('go on with the run: its closing words, whole or a part of them, its answer, its comment', async () => {
    const story = await ended('It sums the prices of all items.\n\nIt rounds nothing.');
    const { ben, bot, model } = story;
    const [answer = ''] = bot.answers();
    await ben.says('> It sums the prices of some other shop.\n\nNot ours.');
    expect(model.requests()).toHaveLength(1);
    model.says({ content: 'No.' });
    await ben.says(quoteReply(answer, 'Does it round at all?'));
    expect(lastMessage(story)).toContain('"Does it round at all?"');
    model.says({ content: 'It does not round at all.' });
    await ben.says('> It does not round at all\n\nSince when?'.replace('does not round at all', 'rounds nothing'));
    expect(model.requests()).toHaveLength(2);
    await ben.says(quoteReply(bot.run().body, 'Is that all?'));
    expect(lastMessage(story)).toContain('"Is that all?"');
    expect(model.requests()).toHaveLength(3);
  });

  it('are talk among people where these only speak of the agent', async () => {
    const { ana, ben, model } = await ended('It sums the prices of all items.');
    const talk = [
      'The agent asks for too much.',
      'The run finished two hours ago.',
      'Nothing has been changed yet.',
      'I do not trust the answer written by the model',
      'We are waiting for review of 2 changes',
    ];
    for (const words of talk) await ana.says(`> ${words}\n\nI will do it by hand.`);
    expect(model.requests()).toHaveLength(1);
    model.says({ content: 'No.' });
    await ben.says('> **Ended.** The run finished.\n\nIs that all?');
    expect(model.requests()).toHaveLength(2);
  });

  it('never reach the model from a person without write access, nor approve anything', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, stranger, carl, bot, model } = story;
    const comment = bot.run().body;
    await stranger.says(quoteReply(comment, 'Delete all of it.'));
    await carl.says(quoteReply(comment, 'Delete all of it.'));
    await ana.says(quoteReply(comment, 'lgtm'));
    expect(bot.answer()).toContain('Nothing was decided');
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    await ana.says('/continue');
    expect(JSON.stringify(model.requests())).not.toContain('Delete all of it.');
  });
});

describe('R22: the next comment of the person who was asked', () => {
  it('answers the closing words that asked something, and nobody else’s does', async () => {
    const story = await ended('It sums numbers. Shall I make it exact?');
    const { ana, ben, model } = story;
    await ben.says('Yes, please.');
    await ana.says(`@${ben.login} I think so too.`);
    expect(model.requests()).toHaveLength(1);
    model.says({ content: 'It is exact now.' });
    await ana.says('Yes, please.');
    expect(lastMessage(story)).toBe(`${ana.login} says, as a JSON string:\n"Yes, please."`);
    await ana.says('Great, that was all.');
    expect(model.requests()).toHaveLength(2);
  });

  it('answers an open question, or gets one hint', async () => {
    const story = await askPeople(stage(), CHOICE, TEXT);
    const { ana, ben, bot, model } = story;
    await ben.says('PostgreSQL');
    await ana.says('I would have to look.');
    await ana.says('Or rather ask somebody.');
    expect(bot.answers().filter((answer) => answer.includes('is no answer to the question'))).toHaveLength(1);
    expect(bot.questions()).toHaveLength(1);
    await ana.says('PostgreSQL');
    await ben.says('> What is the new name?\n\nsum');
    expect(results(story)).toMatchObject([
      { response: { index: 1, value: 'PostgreSQL' }, answered_by: ana.login },
      { response: 'sum', answered_by: ben.login },
    ]);
    expect(model.requests()).toHaveLength(2);
  });
});

describe('R23: a mention while changes are pending', () => {
  it('is kept for the agent in the conversation, and one line says when it is read and how to speak to one', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot, model } = story;
    await ben.says('@countersign keep the comments');
    const [first, second] = [bot.proposal(1).proposalId, bot.proposal(2).proposalId];
    expect(bot.answer()).toContain('The agent reads your comment after the decision on 2 pending changes');
    expect(bot.answer()).toContain(`\`/edit ${first} <instruction>\``);
    await ben.says('@countersign and the names');
    expect(bot.answers()).toHaveLength(1);
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    await ana.says(`/deny ${first} ${second} no`);
    expect(lastMessage(story)).toContain('and the names');
    expect(model.requests()).toHaveLength(2);
  });

  it('in a change’s thread it is about that one, and in a question’s the answer', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    await story.ana.replies(story.bot.proposal(1), '@countersign say zero in hexadecimal');
    expect(await proposalStates(story)).toEqual(['rejected', 'proposed']);
    const asked = await askPeople(stage(), TEXT);
    await asked.ben.says(`> **Question** · \`${newestId(asked)}\`\n\n@countersign sum`);
    expect(results(asked)).toMatchObject([{ response: 'sum' }]);
  });
});

describe('R20, R24: a reply to a change', () => {
  it.each(['@countersign lgtm', 'LGTM /approve', '\u{1F44D} /approve', 'works for me', 'lgtm\n\nGroeten,\nBen'])(
    'R20: %j rejects nothing, costs no request, and says what approves',
    async (words) => {
      const story = await propose(stage(), BIGINT);
      const { ben, bot, model } = story;
      await ben.replies(bot.proposal(1), words);
      await ben.says(quoteReply(bot.proposal(1).body, words));
      expect(bot.answers()).toHaveLength(2);
      expect(bot.answer()).toContain('write `/approve` as the first line');
      expect(await proposalStates(story)).toEqual(['proposed']);
      expect(model.requests()).toHaveLength(1);
    },
  );

  it('R20: consent with a mention in the conversation decides nothing either', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ben, bot, model } = story;
    await ben.says('@countersign lgtm');
    expect(bot.answer()).toContain(`\`/approve ${bot.proposal(1).proposalId}\``);
    await ben.says(`/continue ${''}`.trim());
    expect(JSON.stringify(model.requests().at(-1)?.messages)).not.toContain('lgtm');
  });

  it.each(['@bob what do you think?', '@Override is missing', '@countersign like this'])(
    'R24: a suggestion block followed by %j is taken, and the words are a note',
    async (words) => {
      const story = await propose(stage(), BIGINT);
      const { ana, bot, model, pr } = story;
      await ana.replies(bot.proposal(1), `\`\`\`suggestion\n  let total = 0x0n;\n\`\`\`\n${words}`);
      expect(pr.file('src/total.ts')).toContain('0x0n');
      expect(JSON.parse(model.toolMessages()[0] ?? '{}')).toMatchObject({ user_note: words });
    },
  );
});
