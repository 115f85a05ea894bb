import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { APPROVAL, askPeople, CHOICE, newestId, results } from '../support/questions.ts';
import { editRow, ROWS_PATH } from '../support/rows.ts';
import { edit } from '../support/story.ts';

const stage = stageForAll();

describe('R73: an approval without an id, written right after one change took the place of another', () => {
  it.each(['/approve', '/approve all'])(
    '%s leaves the new one pending and lists it; later it counts',
    async (command) => {
      const story = await propose(stage(), BIGINT);
      const { ana, ben, bot, model, pr } = story;
      stage().pass(60);
      model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0x0;\n'));
      await ben.replies(bot.proposal(1), 'say zero in hexadecimal');
      await ana.does((person) => person.says(command));
      expect(bot.answer()).toContain('less than 30 seconds before it while another change ended');
      expect(bot.answer()).toContain(`\`${bot.proposal(2).proposalId}\``);
      expect(pr.commits()).toEqual([]);
      stage().pass(30);
      await ana.says(command);
      expect(pr.file('src/total.ts')).toContain('0x0');
      expect(bot.answer()).toMatch(
        new RegExp(`Applied:\\n\\n- \\[\`${bot.proposal(2).proposalId}\`\\].*src/total\\.ts`),
      );
    },
  );

  it('counts at once with the id, in the thread, and where no change ended', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot, model, pr } = story;
    await ben.says(`/deny ${bot.proposal(2).proposalId}`);
    model.proposes(editInReadme('twice'));
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file('src/total.ts')).toContain('0n');
    await ana.replies(bot.proposal(3), '/approve');
    expect(pr.file('README.md')).toContain('twice');
    const other = await propose(stage(), BIGINT, EXACTLY);
    await other.ana.says('/approve all');
    expect(await proposalStates(other)).toEqual(['completed', 'completed']);
  });

  it('keeps a denial, which changes no file', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, model } = story;
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0x0;\n'));
    await ben.replies(bot.proposal(1), 'say zero in hexadecimal');
    await ana.says('/deny');
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected']);
  });
});

function editInReadme(word: string) {
  return edit('README.md', 'Sells things.', `Sells things, ${word}.`);
}

describe('R71: a question beside changes', () => {
  it('is asked only once no change is pending, so that a bare /approve has one meaning', async () => {
    const story = await askPeople(stage(), APPROVAL, editRow(5, 50));
    const { ana, bot, model, pr } = story;
    expect(bot.questions()).toEqual([]);
    expect(bot.run().body).toContain('follows after the pending changes');
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toContain('50');
    expect(bot.questions()).toHaveLength(1);
    expect(model.requests()).toHaveLength(1);
    await ana.says('/approve');
    expect(results(story)).toMatchObject([{ response: 'approve' }, { path: ROWS_PATH }]);
  });

  it('is no answer for an /approve that was written right after a change ended: its writer can have meant the change (R73)', async () => {
    const story = await askPeople(stage(), editRow(5, 50), APPROVAL);
    const { ana, ben, bot, model } = story;
    await ben.replies(bot.proposal(1), '/approve');
    await ana.does((person) => person.says('/approve'));
    expect(model.requests()).toHaveLength(1);
    expect(bot.answer()).toContain(`write \`/approve ${newestId(story)}\``);
    stage().pass(30);
    await ana.says('/approve');
    expect(results(story)).toMatchObject([{ path: ROWS_PATH }, { response: 'approve' }]);
  });

  it('is withdrawn with the changes by /continue', async () => {
    const story = await askPeople(stage(), CHOICE, editRow(5, 50));
    await story.ana.says('/continue');
    expect(story.bot.questions()).toEqual([]);
    expect(story.model.requests()).toHaveLength(2);
  });

  it.each(['/approve', '/deny'])(
    '%s without an id gets the list where an undo is pending beside it',
    async (command) => {
      const story = await askPeople(stage(), editRow(5, 50), APPROVAL);
      const { ana, bot, model } = story;
      await ana.replies(bot.proposal(1), '/approve');
      await ana.says(`/undo ${bot.proposal(1).proposalId}`);
      stage().pass(40);
      await ana.says(command);
      expect(bot.answer()).toContain(`\`${bot.proposal(2).proposalId}\``);
      expect(bot.answer()).toContain(`waits too, and takes \`${command} ${newestId(story)}\``);
      expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
      expect(model.requests()).toHaveLength(1);
      await ana.says(`/approve ${newestId(story)}`);
      expect(model.requests()).toHaveLength(2);
    },
  );
});

describe('R70: the words of the model in a comment of the App', () => {
  it('hold no diff and no line like a command, and end with what is pending in fact', async () => {
    const fake = ['Apply this:', '', '```diff', '-a', '+b', '```', '', '/approve', '- `/approve all`'].join('\n');
    const story = await propose(stage(), BIGINT);
    const { ana, bot, model } = story;
    model.says({ content: fake });
    await ana.says('/ask what now?');
    const body = bot.answer();
    expect(body).toContain('written by the model');
    expect(body).not.toContain('```diff');
    expect(body).not.toMatch(/^[>\s*`-]*\/approve/m);
    expect(body).toMatch(
      new RegExp(`Pending by Countersign’s own records:\\n\\n- \\[\`${bot.proposal(1).proposalId}\`\\][^\\n]*$`),
    );
    const asked = await askPeople(stage(), { name: 'ask_user', arguments: { prompt: fake, input_type: 'text' } });
    const [question] = asked.bot.questions();
    expect(question?.body).toContain('in words of the model');
    expect(question?.body).not.toContain('```diff');
    expect(question?.body).not.toMatch(/^[>\s*`-]*\/approve/m);
    expect(question?.body).toMatch(/No change is pending\.$/);
  });
});
