import { describe, expect, it } from 'vitest';
import { appliedRow, BOT } from '../support/applied-changes.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const COMMIT = 'graphql createCommitOnBranch';

async function state({ stored }: Story, id: string): Promise<string | undefined> {
  return (await stored()).proposals.find((one) => one.id === id)?.state;
}

describe('a pending undo and runs', () => {
  it('an undo is not part of a batch: denying the batch ends the run, and the undo stays pending (S110, S102)', async () => {
    const story = await appliedRow(stage());
    const { ana, bot, model, id } = story;
    model.proposes(editRow(12, 120), editRow(18, 180));
    await ana.says('/countersign more rows');
    await ana.says(`/undo ${id}`);
    const undo = bot.proposal(4);
    await ana.says('/continue');
    expect(await state(story, undo.proposalId)).toBe('proposed');
    model.proposes(editRow(12, 121));
    await ana.says('/countersign more rows');
    await ana.replies(bot.proposal(5), '/deny');
    expect(bot.run().body).toContain('every change of its last response was denied without a reason');
    expect(bot.proposal(4).body).toContain('`/approve`');
    await ana.says('/approve');
    expect(story.pr.file(ROWS_PATH)).toBe(rows());
  });

  it('an applied undo is told to the agent, in its run and as such in the next one (S136, S140)', async () => {
    const story = await appliedRow(stage());
    const { ana, ben, bot, model, id } = story;
    model.proposes(editRow(12, 120));
    await ana.says('/countersign more rows');
    await ben.says(`/undo ${id}`);
    const undo = bot.proposal(3);
    await ana.says(`/approve ${undo.proposalId}`);
    const sha = (await story.stored()).proposals.find((one) => one.id === undo.proposalId)?.commitSha ?? '';
    await ana.replies(undo, '/undo');
    await ana.says(`/approve ${bot.proposal(4).proposalId}`);
    model.says({ content: 'Row 12 stays as it is.' });
    await ana.says(`/deny ${bot.proposal(2).proposalId} not this one`);
    const news = (model.requests().at(-1)?.messages ?? []).map(({ content }) => content ?? '');
    expect(news.at(-2)).toBe(
      `${ben.login} undid a change to "${ROWS_PATH}" (commit ${sha.slice(0, 7)}). This is a decision: do not propose again what it removed. Read the file before you change it.`,
    );
    expect(news.at(-1)).toContain(`${ana.login} undid a change to "${ROWS_PATH}" (commit `);
    await ana.says('/countersign something else');
    const first = model.requests().at(-1)?.messages[1]?.content ?? '';
    expect(first).toContain('"change":"undo, which a person asked for: edit src/rows.ts"');
    expect(first).toContain('"your_last_words":"Row 12 stays as it is."');
  });

  it('it outlives its run and the next one: /status names it, and no push is missed', async () => {
    const story = await appliedRow(stage());
    const { pr, ana, ben, bot, model, id } = story;
    await ana.says(`/undo ${id}`);
    model.says({ content: 'Nothing to do.' });
    await ana.says('/countersign look around');
    await ana.says('/status');
    expect(bot.answer()).toContain(bot.proposal(2).proposalId);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50 }, ['// above']) });
    await ben.commitsSuggestion(bot.proposal(2));
    expect(bot.proposal(2).body).toContain(`**Completed:** applied by \`${ben.login}\``);
    expect(pr.file(ROWS_PATH)).toBe(rows({}, ['// above']));
  });

  it('instructions and a person’s own lines do not change it, and it stays pending (S47, S48)', async () => {
    const story = await appliedRow(stage());
    const { ana, bot, id } = story;
    await ana.says(`/undo ${id}`);
    const undo = bot.proposal(2);
    await ana.replies(undo, 'better make it 51');
    expect(bot.answer()).toContain('you can only approve or deny it');
    await ana.replies(undo, '```suggestion\nconst row05 = 51;\n```');
    expect(bot.answers().filter((one) => one.includes('only approve or deny it'))).toHaveLength(2);
    await ana.says('/edit everything else');
    expect(await state(story, undo.proposalId)).toBe('proposed');
  });

  it('/stop cancels it, during a run and without one (S51)', async () => {
    const story = await appliedRow(stage());
    const { pr, ana, bot, model, id } = story;
    await ana.says(`/undo ${id}`);
    await ana.says('/stop');
    expect(bot.proposal(2).body).toContain('**Cancelled**');
    model.proposes(editRow(12, 120));
    await ana.says('/countersign more rows');
    await ana.says(`/undo ${id}`);
    await ana.says('/stop');
    expect(bot.proposal(4).body).toContain('**Cancelled**');
    await ana.says(`/approve ${bot.proposal(4).proposalId}`);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('/stop during its commit lets that attempt finish, and prevents another one (S77)', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow(stage());
    await ana.says(`/undo ${id}`);
    const push = (name: string): void => {
      if (name !== COMMIT) return;
      ben.person.pushes({ [ROWS_PATH]: rows({ 5: 50, 20: String(Math.random()) }) });
      ana.person.says('/stop');
    };
    await beforeCalls(stage(), push, () => ana.replies(bot.proposal(2), '/approve'));
    expect(bot.proposal(2).body).toContain(
      '**Cancelled** after it was approved. Nothing was changed. The run was stopped.',
    );
    expect(pr.commits().filter(({ author }) => author === BOT)).toHaveLength(1);
  });
});
