import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/lib/trust.ts';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { APPROVAL, askPeople, asks, CHOICE, newestId, results, TEXT } from '../support/questions.ts';
import { editRow } from '../support/rows.ts';

const stage = stageForAll();

const answered = (kind: string, response: unknown, by: string) => ({
  kind,
  response,
  answered_by: by,
});

describe('a question of the agent', () => {
  it('is asked where the task was given, mentions the requester once, and the model waits (S147, S113, seed property 1)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { ana, bot, model } = story;
    expect(model.requests()).toHaveLength(1);
    const [question, ...more] = bot.questions();
    expect(more).toEqual([]);
    expect(question?.body).toContain(
      `@${ana.login}, the agent asks, in words of the model:\n\n> Which database is meant?`,
    );
    expect(question?.body).toContain('1. SQLite\n2. PostgreSQL\n3. Both of them');
    expect(question?.body).toContain(`\`/choose ${newestId(story)} <number>\``);
    expect(question?.body).toContain(`\`/reject ${newestId(story)}\` ends the run.`);
    expect(question?.body.match(/@/g)).toHaveLength(1);
    await stage().restart();
    expect(model.requests()).toHaveLength(1);
  });

  it('is answered with its index from 0 and its value, and the comment says by whom (S116, S119, K4)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { ben, bot } = story;
    expect(bot.run().body).toContain('**Waiting for an answer** to the question');
    const said = await ben.says('/choose 2');
    expect(bot.reactionsOn(said)).toEqual(['+1']);
    expect(results(story)).toEqual([answered('choice', { index: 1, value: 'PostgreSQL' }, ben.login)]);
    expect(bot.questions()[0]?.body).toContain(`**Answered** by \`${ben.login}\`:\n\n> 2: PostgreSQL`);
    expect(bot.run().body).not.toContain('Waiting for an answer');
  });

  it('takes any text as it is, over several lines, and a text that says reject is a text (S147, S117, K22)', async () => {
    const first = await askPeople(stage(), TEXT);
    await first.ana.says('/answer utf8 is *the* name,\n  with `two` lines');
    expect(first.bot.answer()).toContain('nothing was waiting for it');
    await first.ana.says(`/answer ${newestId(first)} utf8 is *the* name,\n  with \`two\` lines`);
    expect(results(first)).toEqual([answered('text', 'utf8 is *the* name,\n  with `two` lines', first.ana.login)]);
    const second = await askPeople(stage(), TEXT);
    await second.ana.says('/answer reject');
    expect(results(second)).toEqual([answered('text', 'reject', second.ana.login)]);
  });

  it('an approval is answered with approve and nothing else (S115)', async () => {
    const story = await askPeople(stage(), APPROVAL);
    const { ana, bot, model } = story;
    for (const words of ['/answer approve', '/answer yes', '/choose 1']) {
      await ana.says(words);
      expect(bot.answer()).toMatch(
        /Your comment is no answer to the question .*, which still waits. In a new comment, write `\/approve /,
      );
    }
    expect(model.requests()).toHaveLength(1);
    await ana.says('/approve');
    expect(results(story)).toEqual([answered('approve', 'approve', ana.login)]);
  });

  it.each([
    ['/choose', CHOICE, '/choose 2', { index: 1, value: 'PostgreSQL' }],
    ['/choose with the id', CHOICE, '/choose ID 2', { index: 1, value: 'PostgreSQL' }],
    ['/answer with a number', CHOICE, '/answer 2', { index: 1, value: 'PostgreSQL' }],
    ['/answer with the text of a choice', CHOICE, '/answer ID postgresql', { index: 1, value: 'PostgreSQL' }],
    ['/approve', APPROVAL, '/approve', 'approve'],
    ['/approve with the id', APPROVAL, '/approve ID', 'approve'],
  ])('takes the lines below %s as a note for the agent (S42, S116)', async (_, call, line, response) => {
    const story = await askPeople(stage(), call);
    const { ben, bot, model } = story;
    await ben.says(`${line.replace('ID', newestId(story))}\nbut only for the tests <!-- unseen -->`);
    expect(results(story)).toMatchObject([{ response, answered_by: ben.login, user_note: 'but only for the tests' }]);
    expect(bot.questions()[0]?.body).toContain('Note for the agent:\n\n> but only for the tests');
    expect(JSON.stringify(model.requests())).not.toContain('unseen');
  });

  it('shows the labels of an approval (S113, K21)', async () => {
    const { bot } = await askPeople(stage(), asks({ choices: ['Delete them', 'Keep them'] }));
    expect(bot.questions()[0]?.body).toContain('for “Delete them”');
    expect(bot.questions()[0]?.body).toContain('for “Keep them”.');
  });
});

describe('an answer', () => {
  it('counts once: the second one gets a reply, and so does one after the run (S114, seed property 2)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { ana, ben, bot, model } = story;
    const id = newestId(story);
    stage().pass(2);
    ana.person.says(`/choose ${id} 1`);
    ben.person.says(`/choose ${id} 2`);
    await stage().settle();
    const outputs = model.requests().flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
    expect(outputs).toHaveLength(1);
    expect(bot.answers().join()).toContain(`is already answered by \`${ana.login}\`, so your answer had no effect.`);
    await ben.says(`/answer ${id} 2`);
    expect(bot.answer()).toContain('is already answered');
    expect((await story.stored()).run?.questions).toMatchObject([{ state: 'answered', by: { login: ana.login } }]);
  });

  it('that does not fit gets a hint, and the question stays open (S120, seed property 8)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { bot, model } = story;
    const said: readonly (readonly [string, RegExp])[] = [
      ['/choose 0', /no answer to the question .* write `\/choose .* with a number from 1 to 3, or the exact text/],
      ['/choose 4', /is no answer to the question/],
      ['/choose two', /is no answer to the question/],
      ['/choose', /in this form: `\/answer/],
      ['/answer MySQL', /is no answer to the question/],
      ['/answer', /in this form: `\/answer/],
      ['/approve', /is no answer to the question/],
      ['/choose x7y9 1', /nothing was waiting for it/],
    ];
    // Each hint comes once to a person.
    for (const [index, [line, hint]] of said.entries()) {
      const person = await story.person(`dan${index}`, 'write');
      await person.says(line);
      expect(bot.answer()).toMatch(hint);
    }
    expect(model.requests()).toHaveLength(1);
    expect((await story.stored()).run?.questions).toMatchObject([{ state: 'asked' }]);
  });

  it('can be a quote reply (S147)', async () => {
    const story = await askPeople(stage(), TEXT);
    const { ana, ben, bot, model } = story;
    const [question] = bot.questions();
    if (question === undefined) throw new Error('There is no question.');
    await ben.says('2');
    expect(model.requests()).toHaveLength(1);
    await ana.says(quoteReply(question.body, 'total'));
    expect(results(story)).toEqual([answered('text', 'total', ana.login)]);
  });

  it('by people who may not instruct never counts, and never reaches the model (S66, S114)', async () => {
    const story = await askPeople(stage(), TEXT);
    const { bot, carl, model, stranger } = story;
    const [question] = bot.questions();
    if (question === undefined) throw new Error('There is no question.');
    for (const who of [carl, stranger]) {
      await who.says(`/answer ${newestId(story)} the word canary`);
      await who.says(quoteReply(question.body, 'the word canary'));
    }
    expect(bot.answers()).toHaveLength(2);
    expect(bot.answer()).toContain('`/answer` needs write access');
    expect(model.requests()).toHaveLength(1);
    await story.ana.says('/answer sum');
    expect(JSON.stringify(model.requests())).not.toContain('canary');
  });
});

describe('a rejection', () => {
  it('ends the run, keeps what was said so far, and asks the model nothing more (S147, S118, T10, seed properties 5 and 7)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { ana, ben, bot, model } = story;
    await ben.says('/reject');
    expect(model.requests()).toHaveLength(1);
    expect(bot.questions()[0]?.body).toContain(`**Rejected** by \`${ben.login}\`, which ended the run.`);
    expect(bot.answer()).toMatch(/^Rejected\. Agent response cancelled\./);
    expect(bot.answer()).toContain(
      `@${ana.login}, the run ended because a question of the agent was rejected by \`${ben.login}\``,
    );
    const { run } = await story.stored();
    const transcript = await stage()
      .store()
      .loadTranscript(run?.id ?? '');
    expect(transcript.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    await ana.says('/choose 1');
    expect(bot.answer()).toContain('nothing was waiting for it');
  });

  it('carries its reason to the page, to the transcript and to later runs (S147, S118)', async () => {
    const story = await askPeople(stage(), CHOICE);
    const { ana, ben, bot, model } = story;
    await ben.says(`/reject ${newestId(story)} none of them\nthe tables go away <!-- unseen -->`);
    expect(bot.questions()[0]?.body).toContain(
      `**Rejected** by \`${ben.login}\`, which ended the run:\n\n> none of them\n>\n> the tables go away`,
    );
    const reason = 'none of them\nthe tables go away';
    await ana.says('/ask what did Ben want?');
    const asked = model.toolMessages().map((output) => parseJson(output));
    expect(asked).toEqual([{ ...answered('reject', 'reject', ben.login), user_note: reason }]);
    await ana.says('/countersign drop the tables');
    const first = model.requests().at(-1)?.messages[1]?.content ?? '';
    const row = first.split('\n').find((line) => line.includes('"tidy the rows"')) ?? '';
    expect(parseJson(row)).toMatchObject({
      ended: 'rejected',
      asked: [{ question: 'Which database is meant?', response: 'reject', by: ben.login, note: reason }],
    });
    expect(JSON.stringify(model.requests())).not.toContain('unseen');
  });

  it('by the pull request’s author without access has no reason for the model (S67, S147)', async () => {
    const { ana, bot, carl, model } = await askPeople(stage(), CHOICE);
    await carl.says('/reject canary');
    expect(bot.questions()[0]?.body).toContain(`**Rejected** by \`${carl.login}\`, which ended the run.`);
    await ana.says('/ask what now?');
    await ana.says('/countersign go on');
    expect(JSON.stringify(model.requests())).not.toContain('canary');
  });

  it('without an id means a pending change if there is one (interface section 4)', async () => {
    const story = await askPeople(stage(), APPROVAL, editRow(5, 50));
    const { ana, bot, model } = story;
    await ana.says('/reject');
    expect(bot.proposal(1).body).toContain('**Rejected by user**');
    expect((await story.stored()).run?.questions).toMatchObject([{ state: 'asked' }]);
    await ana.says('/approve');
    expect(model.toolMessages()).toHaveLength(2);
    expect(model.toolMessages()[0]).toContain('"response":"approve"');
  });
});
