import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

const REASON = '/deny callers expect this number';

function repeatedBy(login: string): string {
  return `This exact change was already rejected by ${login}. It was not shown again. Propose something different or stop.`;
}

/** A pull request where these are the model's first responses, one call each. */
async function answering(...calls: readonly ReturnType<typeof edit>[]): Promise<Story> {
  const story = await tellRows(stage());
  for (const call of calls) story.model.proposes(call);
  await story.ana.says('/countersign give the rows other values');
  return story;
}

describe('a denied change', () => {
  it('is not shown again in any form, but another change of the same line is (D13, S108, T8)', async () => {
    const wider = edit(ROWS_PATH, `${row(4)}\n${row(5)}\n`, `${row(4)}\n${row(5, 50)}\n`);
    const story = await answering(editRow(5, 50), wider, editRow(5, 51));
    await story.ana.replies(story.bot.proposal(1), REASON);
    const lastMessages = story.model.requests().map(({ messages }) => messages.at(-1)?.content);
    expect(lastMessages.at(-1)).toBe(repeatedBy(story.ana.login));
    expect(story.bot.proposals()).toHaveLength(2);
    expect(story.bot.proposal(2).body).toContain(row(5, 51));
  });

  it('can be proposed again after an instruction from a person (S108)', async () => {
    const story = await answering(editRow(5, 50));
    stage().pass(2);
    story.model.proposes(editRow(5, 50));
    stage().pass(2);
    await story.ana.replies(story.bot.proposal(1), '/deny');
    await story.ana.says('/countersign do give row 5 the value 50');
    expect(story.bot.proposals()).toHaveLength(2);
  });

  it('is not shown again after an instruction on another change of the batch (S152)', async () => {
    for (const words of ['use 91', '/edit use 91']) {
      const story = await tellRows(stage());
      story.model.proposes(editRow(5, 50), editRow(9, 90));
      story.model.proposes(editRow(5, 50));
      await story.ana.says('/countersign give the rows other values');
      await story.ana.replies(story.bot.proposal(1), '/deny');
      await story.ana.replies(story.bot.proposal(2), words);
      expect(story.bot.proposals()).toHaveLength(2);
      expect(story.model.toolMessages()).toEqual([repeatedBy(story.ana.login)]);
    }
  });

  it('ends the run with a message after three repetitions in a row (D13, H5, S108)', async () => {
    const again = editRow(5, 50);
    const story = await answering(again, again, again, again);
    await story.ana.replies(story.bot.proposal(1), REASON);
    expect(story.bot.answer()).toContain('the run ended because the model kept proposing denied changes');
    expect(story.model.requests()).toHaveLength(4);
    expect(story.bot.proposals()).toHaveLength(1);
    expect(story.pr.commits()).toEqual([]);
  });
});

describe('lines that a person wrote instead', () => {
  it('cannot be changed back to the model’s text (S109, T18)', async () => {
    const story = await answering(editRow(5, 50), edit(ROWS_PATH, row(5, 'mine'), row(5, 50)), editRow(9, 90));
    await story.ana.replies(story.bot.proposal(1), `\`\`\`suggestion\n${row(5, 'mine')}\n\`\`\``);
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
    expect(story.bot.proposals()).toHaveLength(2);
    expect(story.model.toolMessages()).toEqual([
      'A person changed this text from what you proposed. Restoring it was not shown. Propose something different or stop.',
    ]);
  });
});
