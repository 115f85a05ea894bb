import { describe, expect, it, vi } from 'vitest';
import { RUN_RETENTION_MS } from '../../../src/adapters/store/cleanup.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, propose } from '../support/proposals.ts';
import { read, type Story } from '../support/story.ts';

const stage = stageForAll();

const WAIT = { timeout: 10_000, interval: 5 };

function lastMessage({ model }: Story): string {
  return model.requests().at(-1)?.messages.at(-1)?.content ?? '';
}

function slug(): string {
  return stage().github.app.slug;
}

describe('a question that the agent has to look up', () => {
  it('is answered with the tools that read; each request begins with the one before (S157, S170)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, model, pr } = story;
    model.says({ calls: [read('README.md'), { name: 'search', arguments: { query: 'total' } }] });
    model.says({ content: 'It is in `src/total.ts`.' });
    await ana.says('/ask where is the total?');
    const [first, second] = model.requests().slice(-2);
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(model.toolMessages()).toEqual([
      expect.stringContaining('Sells things.'),
      expect.stringContaining('src/total.ts:'),
    ]);
    expect(bot.answer()).toContain('> It is in `src/total.ts`.');
    expect(bot.run().body).toContain(' tokens.');
    expect((await story.stored()).run?.phase.kind).toBe('awaiting-decisions');
    expect(pr.commits()).toEqual([]);
  });

  it('is answered whole, if the answer was taken for no end (S157, S150)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT);
    model.says({ content: 'The box calls `search(query)`. I’ll leave it at that.' });
    model.says({ content: 'That is all, as I said above.' });
    await ana.says('/ask who searches?');
    expect(bot.answer()).toContain(
      '> The box calls `search(query)`. I’ll leave it at that.\n>\n> That is all, as I said',
    );
    model.says({ content: 'The box calls `search(query)`. I’ll leave it at that.' });
    model.says({ content: ' ' });
    await ana.says('/ask and who calls it?');
    expect(bot.answer()).toContain('> The box calls `search(query)`.');
  });

  it('has eight responses; in the last it can call nothing, and the answer says so (S157)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT);
    const before = model.requests().length;
    for (let response = 1; response < 8; response += 1) model.says({ calls: [read('README.md')] });
    model.says({ content: 'As far as I saw, nowhere.' });
    await ana.says('/ask where is the tax?');
    const requests = model.requests().slice(before);
    expect(requests).toHaveLength(8);
    expect(requests.map(({ body }) => body['tool_choice'])).toEqual([...Array(7).fill(undefined), 'none']);
    expect(requests.at(-1)?.messages.at(-1)?.content).toContain('This is your last response to this question');
    expect(bot.answer()).toContain('> As far as I saw, nowhere.');
    expect(bot.answer()).toContain(
      'The model used all 8 responses that a question has, so the answer can be incomplete.',
    );
  });

  it('the model cannot ask people, plan or change anything, under any name (S157)', async () => {
    const { ana, bot, model, pr } = await propose(stage(), BIGINT);
    const calls = [
      { name: 'ask_user', arguments: { prompt: 'Which?' } },
      { name: 'plan', arguments: { steps: ['a', 'b', 'c'].map((text) => ({ text })) } },
      { name: 'functions.WRITE_FILE', arguments: { path: 'new.txt', content: 'x' } },
      { name: 'delete_file', arguments: '{"path":' },
    ];
    model.says({ calls });
    model.says({ content: 'I cannot.' });
    await ana.says('/ask would you?');
    expect(model.toolMessages()).toEqual(
      calls.map(() => expect.stringMatching(/^Not executed: this is a person’s question/)),
    );
    expect(bot.questions()).toEqual([]);
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.run().body).not.toContain('Plan, written by the model');
    expect(pr.commits()).toEqual([]);
  });

  it('an answer that only announces an action is asked for once more (S150, S157)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT);
    model.says({ content: 'Let me read the file.' });
    model.says({ content: 'It is a sum.' });
    await ana.says('/ask what is total?');
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain('> It is a sum.');
  });

  it('survives a restart in the middle, and is answered once (S157)', async () => {
    const { ana, bot, model, stored } = await propose(stage(), BIGINT);
    const { promise: sendAfter, resolve } = Promise.withResolvers<void>();
    model.says({ calls: [read('README.md')] });
    model.says({ content: 'Too late.', sendAfter });
    stage().pass(3);
    const requestsBefore = model.requests().length;
    ana.person.says('/ask what is in the readme?');
    await vi.waitFor(() => expect(model.requests()).toHaveLength(requestsBefore + 2), WAIT);
    model.says({ calls: [read('README.md')] });
    model.says({ content: 'That it sells things.' });
    await stage().restart();
    resolve();
    await stage().settle();
    expect(bot.answers()).toHaveLength(1);
    expect(model.toolMessages()).toEqual([expect.stringContaining('Sells things.')]);
    expect((await stored()).sideQuestions).toEqual([]);
  });
});

describe('a question where no run ever was', () => {
  it.each([
    ['/countersign ask why is it a number?'],
    ['/countersign /ask why is it a number?'],
    ['@SLUG ask why is it a number?'],
    ['@SLUG why is it a number?'],
  ])('%s is answered, and no run begins (S157)', async (words) => {
    const story = await stage().tell();
    const { ana, bot, model, stored } = story;
    model.says({ calls: [read('src/total.ts')] });
    model.says({ content: 'Because cents are whole.' });
    const asked = await ana.says(words.replace('SLUG', slug()));
    expect(bot.reactionsOn(asked)).toEqual(['eyes']);
    expect(bot.comments()).toHaveLength(1);
    expect(bot.answer()).toContain('> why is it a number?');
    expect(bot.answer()).toContain('> Because cents are whole.');
    const first = model.requests()[0]?.messages.at(1)?.content ?? '';
    expect(first).toContain('The diff against the merge base');
    expect(first.split('\n').slice(-2)[0]).toBe('"why is it a number?"');
    expect((await stored()).run).toBeNull();
  });

  it('needs the App’s name, because `/ask` alone can be another bot’s (S157, S45)', async () => {
    const { ana, bot, model } = await stage().tell();
    await ana.says('/ask why?');
    expect(bot.comments()).toEqual([]);
    expect(model.requests()).toEqual([]);
  });

  it.each([['@SLUG can you rename total?'], ['@SLUG why not rename it?'], ['@SLUG rename it\nwhy is it so?']])(
    '%s is a task, which begins a run (S157)',
    async (words) => {
      const { ana, stored } = await stage().tell();
      await ana.says(words.replace('SLUG', slug()));
      expect((await stored()).run?.task.text).toBe(words.replace('@SLUG ', ''));
    },
  );
});

describe('what a question carries, and what is kept of it', () => {
  it('in the thread of a change: that change, with what became of it (S157)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot, model } = story;
    model.says({ content: 'It avoids rounding.' });
    await ana.replies(bot.proposal(1), '/ask why this?');
    const change = bot.proposal(1).body.includes('src/total.ts') ? '"paths":["src/total.ts"]' : '"paths":["README.md"]';
    expect(lastMessage(story)).toContain('The proposed change that the question is about');
    expect(lastMessage(story)).toContain(`{${change},"state":"proposed","diff":"`);
    expect(bot.answer()).toContain('> It avoids rounding.');
    await ana.replies(bot.proposal(1), '/deny');
    model.says({ content: 'You denied it.' });
    await ana.replies(bot.proposal(1), '/ask and now?');
    expect(lastMessage(story)).toContain(`{${change},"state":"rejected"`);
  });

  it('earlier questions with their answers, the last five of them (S157)', async () => {
    const story = await stage().tell();
    const { ana, ben, model } = story;
    for (let n = 1; n <= 6; n += 1) {
      model.says({ content: `Answer ${n}.` });
      await (n % 2 === 0 ? ana : ben).says(`/countersign ask number ${n}?`);
    }
    model.says({ content: 'Yes.' });
    await ana.says('/countersign ask do you remember?');
    const rows = lastMessage(story)
      .split('\n')
      .filter((line) => line.startsWith('{"by":'));
    expect(rows).toEqual(
      [2, 3, 4, 5, 6].map((n) =>
        JSON.stringify({ by: (n % 2 === 0 ? ana : ben).login, question: `number ${n}?`, answer: `Answer ${n}.` }),
      ),
    );
    expect((await story.stored()).answeredQuestions).toHaveLength(5);
  });

  it('a run that begins later hears one line of each (S157, S140)', async () => {
    const story = await stage().tell();
    const { ana, ben, model } = story;
    model.says({ content: 'Because cents are whole.' });
    await ben.says('/countersign ask why is it a number?');
    await ana.says('/countersign use bigint');
    expect(lastMessage(story)).toBe(
      `${ben.login} asked beside the run "why is it a number?" and was answered "Because cents are whole.".`,
    );
  });
});

describe('a question in the database', () => {
  const stage = stageForAll({ needsSql: true });

  it('is deleted after the time for which runs are kept (S157, I15)', async () => {
    const { ana, model, stored } = await stage().tell();
    model.says({ content: 'canary-answer' });
    await ana.says('/countersign ask canary-question?');
    expect((await stored()).answeredQuestions).toHaveLength(1);
    while (
      await stage()
        .store()
        .deleteExpired(Date.now() + RUN_RETENTION_MS + 3_600_000)
    );
    expect((await stored()).answeredQuestions).toEqual([]);
    expect(await stage().database()).not.toContain('canary-answer');
  });
});

describe('a question while things happen', () => {
  /** Asks with a model that answers only once it is told to. */
  async function asking(story: Story, words = '/countersign ask why?') {
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    story.model.says({ content: 'Because.', sendAfter });
    stage().pass(3);
    const before = story.model.requests().length;
    const { id } = story.ana.person.says(words);
    await vi.waitFor(() => expect(story.model.requests()).toHaveLength(before + 1), WAIT);
    return { id, answers };
  }

  it('of many people: at most ten wait (S157)', async () => {
    const story = await stage().tell();
    const { ben, bot, person, stored } = story;
    const { answers } = await asking(story);
    const others = await Promise.all(['dora', 'emil', 'finn'].map((login) => person(login, 'write')));
    for (const who of others) for (let n = 1; n <= 3; n += 1) who.person.says(`/countersign /ask ${n}?`);
    await vi.waitFor(async () => expect((await stored()).sideQuestions).toHaveLength(10), WAIT);
    for (let n = 1; n <= 3; n += 1) ben.person.says(`/countersign /ask ${n}?`);
    const refused = () => bot.answers().filter((text) => text.includes('10 questions already wait'));
    await vi.waitFor(() => expect(refused()).toHaveLength(3), WAIT);
    answers();
    await stage().settle();
    expect(refused()).toHaveLength(3);
    expect(bot.answers().filter((text) => text.includes('Answer, written by the model'))).toHaveLength(10);
  });
});
