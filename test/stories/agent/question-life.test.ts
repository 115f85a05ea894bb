import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { APPROVAL, askPeople, asks, CHOICE, newestId, results, TEXT } from '../support/questions.ts';
import { requestsSince } from '../support/requests.ts';
import { editRow, ROWS_PATH, tellRows } from '../support/rows.ts';

const stage = stageForAll();

const DAY = 24 * 3_600;

describe('several questions of one response', () => {
  it('are asked one after the other, after the changes, and answered in one turn (S121, seed error table)', async () => {
    const story = await askPeople(stage(), CHOICE, editRow(5, 50), TEXT);
    const { ana, ben, bot, model } = story;
    expect(bot.questions()).toEqual([]);
    expect(bot.proposals()).toHaveLength(1);
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(bot.questions()).toHaveLength(1);
    await ana.says('/choose 1');
    expect(bot.questions()).toHaveLength(2);
    expect(model.requests()).toHaveLength(1);
    await ben.says('/answer sum');
    expect(model.requests()).toHaveLength(2);
    const [first, , third] = model.toolMessages();
    expect(first).toContain('"response":{"index":0,"value":"SQLite"}');
    expect(third).toContain('"response":"sum"');
  });
});

describe('a question that cannot be asked', () => {
  it.each([
    ['a choice without choices', { input_type: 'choice', choices: [] }, 'a choice needs choices'],
    ['a choice with equal choices', { input_type: 'choice', choices: ['A', ' a'] }, 'the choices must be different'],
    ['an approval with one label', { choices: ['Yes'] }, 'the choices of an approval must be exactly two'],
    [
      'a choice that is a command',
      { input_type: 'choice', choices: ['Wait', '/approve all'] },
      'no choice may be a command',
    ],
  ])(
    '%s is answered with reject and the reason, people see why, and the run goes on (S121)',
    async (_, input, problem) => {
      const story = await askPeople(stage(), asks(input));
      const { bot, model } = story;
      expect(bot.questions()).toEqual([]);
      expect(model.requests()).toHaveLength(2);
      const reason = `The question was not asked, and no person rejected it: ${problem}.`;
      expect(results(story)).toEqual([{ kind: 'reject', response: 'reject', reason }]);
      expect(bot.run().body).toMatch(/Questions of the agent:\n\n- `[a-z0-9]+` not asked: /);
    },
  );
});

describe('a question in a review thread', () => {
  it('stands in the thread of its task, and a reply there answers it, but not talk between people (S147, S113, S120)', async () => {
    const story = await tellRows(stage());
    const { ana, ben, bot, model, stranger } = story;
    model.proposes(CHOICE);
    const task = { path: ROWS_PATH, line: 5, side: 'RIGHT', body: '/countersign what about this row?' } as const;
    await ana.does((person) => person.reviews({ event: 'COMMENT', body: 'Look.', comments: [task] }));
    const [root = 0] = story.pr.now().reviewComments.keys();
    const [question] = bot.questions();
    expect(question?.kind).toBe('review');
    await stranger.does((person) => person.replies(root, 'postgresql'));
    await ben.does((person) => person.replies(root, `@${ana.login} what do you think?`));
    expect(bot.answers()).toEqual([]);
    await ben.does((person) => person.replies(root, 'I would not know.'));
    expect(bot.answer()).toContain('is no answer to the question');
    expect(model.requests()).toHaveLength(1);
    await ben.does((person) => person.replies(root, 'postgresql'));
    expect(results(story)).toMatchObject([{ response: { index: 1, value: 'PostgreSQL' }, answered_by: ben.login }]);
    await ben.does((person) => person.replies(root, 'thanks'));
    expect(bot.answers()).toHaveLength(2);
  });
});

describe('the run comment', () => {
  it('says that the run waits before the question appears, and that it works again after the answer (S119, seed property 6)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, model } = story;
    model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    model.proposes(CHOICE);
    const before = stage().github.requests.length;
    await ana.says('/countersign tidy the rows');
    const bodies = requestsSince(stage(), story, before).flatMap(({ body }) =>
      isRecord(body) && typeof body['body'] === 'string' ? [body['body']] : [],
    );
    const waits = bodies.findIndex((body) => body.includes('**Waiting for an answer** to the question'));
    const asked = bodies.findIndex((body) => body.startsWith('<!-- countersign:question:'));
    expect(waits).toBeGreaterThan(-1);
    expect(asked).toBeGreaterThan(waits);
    model.says({ content: 'It is SQLite then.' });
    await ana.says('/choose 1');
    expect(bot.run().body).not.toContain('Waiting for an answer');
    expect(bot.run().body).toContain(`answered by \`${ana.login}\``);
    expect(bot.answer()).toContain('> It is SQLite then.');
  });
});

describe('a question that nobody answers', () => {
  it('gets a reminder and expires; /resume asks it again with a new id (S147, S85, S121)', async () => {
    const story = await askPeople(stage(), CHOICE, TEXT);
    const { ana, bot, model } = story;
    const first = newestId(story);
    await stage().restart();
    await stage().later(5.7 * DAY);
    expect(bot.answer()).toMatch(new RegExp(`^@${ana.login}, a question still waits and expires on `));
    await stage().restart();
    await stage().later(1.4 * DAY);
    expect(bot.questions()[0]?.body).toContain('**Expired** without an answer.');
    expect(bot.questions()).toHaveLength(1);
    expect(bot.answer()).toContain('the run ended because a question of the agent was not answered in time');
    expect(model.requests()).toHaveLength(1);
    await ana.says(`/choose ${first} 1`);
    expect(bot.answer()).toContain('is already expired');
    await ana.says('/resume');
    expect(model.requests()).toHaveLength(1);
    expect(bot.questions()).toHaveLength(2);
    expect(newestId(story)).not.toBe(first);
    await ana.says('/choose 1');
    await ana.says('/answer sum');
    expect(model.toolMessages()).toHaveLength(2);
    expect(model.toolMessages().join()).not.toMatch(/expired|Withdrawn/);
  });

  it('is withdrawn by /continue, and the model goes on with the words below it (S147, S43)', async () => {
    const { ana, bot, model } = await askPeople(stage(), CHOICE);
    await ana.says('/continue\nwith what the tests use\n\nand keep it short');
    expect(bot.questions()[0]?.body).toContain(
      `**Cancelled** without an answer: \`${ana.login}\` went on without it with \`/continue\`.`,
    );
    expect(model.toolMessages()).toEqual(['Withdrawn: no decision was made.']);
    expect(model.requests().at(-1)?.messages.at(-1)?.content).toBe(
      `${ana.login} says, as a JSON string:\n"with what the tests use\\n\\nand keep it short"`,
    );
  });

  it('is cancelled with its run, and an answer comes too late without harm (S51, S121)', async () => {
    const story = await askPeople(stage(), APPROVAL);
    const { ana, bot, model } = story;
    const id = newestId(story);
    await ana.says('/stop');
    expect(bot.questions()[0]?.body).toContain('**Cancelled** without an answer: the run was stopped.');
    await ana.says(`/approve ${id}`);
    expect(bot.answer()).toContain('is already cancelled');
    expect(model.requests()).toHaveLength(1);
  });
});
