import { describe, expect, it } from 'vitest';
import { comments } from '../support/first-message.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { ROWS_PATH, rows } from '../support/rows.ts';

const stage = stageForAll();

describe('the end of a run', () => {
  it('is told once, in the thread where the task was given, as the model’s answer (S159, S89a)', async () => {
    const story = await stage().tell({ branch: { [ROWS_PATH]: rows() } });
    const { ana, ben, bot, model, pr } = story;
    const root = await comments(stage(), story, ben, { path: ROWS_PATH, line: 5 }, 'Why five?');
    model.says({ content: 'Because row 4 is the header.' });
    await ana.does((person) => person.replies(root, '/countersign answer this'));
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain(
      `@${ana.login}, the answer, written by the model:\n\n> Because row 4 is the header.\n\nNothing was changed.`,
    );
    expect(bot.answer()).not.toContain('no change was proposed');
    const told = [...pr.now().reviewComments.values()].filter(({ body }) => body.includes('the answer, written'));
    expect(told.map(({ threadId }) => threadId)).toEqual([root]);
  });

  it('says that nothing came of it, if the model stays silent when it is asked again (S159, S150)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.says({ content: null });
    model.says({ content: ' \n' });
    await ana.says('/countersign use bigint');
    expect(bot.answer()).toContain(`@${ana.login}, the run finished: no change was proposed.`);
  });

  it.each([['an offer at its end', 'Row 4 is the header.\n\nI’ll leave the other rows to you.']])(
    'has the whole answer, if it was taken for no end because of %s (S159, S150)',
    async (_, content) => {
      const { ana, bot, model } = await stage().tell();
      model.says({ content });
      model.says({ content: 'That is all, as I said above.' });
      await ana.says('/countersign which one?');
      const [beginning = ''] = content.split('\n');
      expect(bot.answer()).toContain(`the answer, written by the model:\n\n> ${beginning}`);
      expect(bot.answer()).toContain('> That is all, as I said above.');
    },
  );

  it('has the answers to all words, if people wrote while the model answered (S159, S140)', async () => {
    const { ana, ben, bot, model, stored } = await stage().tell();
    const { promise: sendAfter, resolve: send } = Promise.withResolvers<void>();
    model.says({ content: 'Row 4 is the header.', sendAfter });
    model.says({ calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] });
    model.says({ content: 'And the title is the shop’s.' });
    const asked = ana.says('/countersign explain row 4');
    await expect.poll(() => model.requests().length, { timeout: 25_000 }).toBe(1);
    const told = ben.says(`@${stage().github.app.slug} explain the title, too`);
    await expect.poll(async () => (await stored()).run?.agentNotes.length, { timeout: 25_000 }).toBe(1);
    send();
    await Promise.all([asked, told]);
    expect(bot.answer()).toContain('> Row 4 is the header.\n>\n> And the title is the shop’s.');
  });

  it('is told in numbers, if there were changes, with the closing words below (S159)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    model.says({ content: 'Is that all?' });
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    expect(bot.answer()).toMatch(
      /, the run finished: 1 change applied in .*\.\n\nClosing words, written by the model:/,
    );
  });

  it('is told in the conversation, if the thread of the task is gone (S159)', async () => {
    const story = await stage().tell({ branch: { [ROWS_PATH]: rows() } });
    const { ana, bot, model, pr } = story;
    model.proposes(BIGINT);
    const root = await comments(stage(), story, ana, { path: ROWS_PATH, line: 5 }, '/countersign use bigint');
    await ana.does((person) => person.deletesInThread(root));
    await ana.says('/stop');
    await stage().surely();
    expect([...pr.now().comments.values()].some(({ body }) => body.includes(`@${ana.login}, `))).toBe(true);
    expect(bot.answers().filter((text) => text.includes(`@${ana.login}, `))).toHaveLength(1);
  });
});
