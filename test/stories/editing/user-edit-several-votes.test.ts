import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, ROWS_PATH, row, rows } from '../support/rows.ts';

const stage = stageForAll();

describe('a user edit that needs more than one vote', () => {
  it('a person’s own text becomes a new proposal with their vote, and the old proposal names it (S48)', async () => {
    const story = await stage().tell({
      files: { '.github/countersign.yml': 'required_approvals: 2\n' },
      branch: { [ROWS_PATH]: rows() },
    });
    const { ana, ben, bot, model, pr } = story;
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    await ana.replies(bot.proposal(1), `\`\`\`suggestion\n${row(5, 'mine')}\n\`\`\`\nRather so.`);
    expect(pr.commits()).toEqual([]);
    const [old, anew] = bot.proposals();
    expect(old?.body).toContain(`**Withdrawn** without a decision`);
    expect(old?.body).toContain(`Replaced by [\`${anew?.proposalId}\`]`);
    expect(anew?.body).toContain(`\`${ana.login}\` wrote these lines in place of the model’s.`);
    expect(anew?.body).toContain(`\`\`\`suggestion\n${row(5, 'mine')}\n`);
    const stored = (await story.stored()).proposals;
    expect(stored.map(({ state }) => state)).toEqual(['superseded', 'proposed']);
    expect(stored[1]?.votes).toMatchObject([
      { action: 'modify', by: { id: ana.id }, digest: stored[1]?.change.digest },
    ]);
    await ben.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
    for (const { login } of [ana, ben]) expect(pr.commits()[0]?.message).toContain(`Approved-by: ${login}`);
    expect(JSON.parse(model.toolMessages()[0] ?? '')).toMatchObject({
      user_note: 'Rather so.',
      details: { userModified: true },
      user_edits: expect.stringContaining(`-${row(5, 50)}\n+${row(5, 'mine')}`),
    });
  });

  it('a person’s own text is withdrawn when the file changes below it; its author is notified, and the model’s text does not replace it (S48, S94)', async () => {
    const story = await stage().tell({
      files: { '.github/countersign.yml': 'required_approvals: 2\n' },
      branch: { [ROWS_PATH]: rows() },
    });
    const { ana, ben, bot, model } = story;
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    await ana.replies(bot.proposal(1), `\`\`\`suggestion\n${row(5, 'mine')}\n\`\`\``);
    await ben.pushes({ [ROWS_PATH]: rows({ 4: 40 }) });
    expect(await proposalStates(story)).toEqual(['superseded', 'superseded']);
    expect(bot.proposals()).toHaveLength(2);
    const replies = bot.answers().filter((answer) => answer.startsWith('Not applied: the file changed'));
    expect(replies).toEqual([expect.stringContaining(bot.proposal(2).proposalId)]);
    expect(model.toolMessages()[0]).toMatch(/^Not applied: src\/rows.ts changed after this change was proposed/);
  });

  const TWO_PEOPLE = {
    files: { '.github/countersign.yml': 'required_approvals: 2\n' },
    branch: { [ROWS_PATH]: rows() },
  };

  const own = (word: string) => `\`\`\`suggestion\n${row(5, word)}\n\`\`\``;

  const approvers = (message = '') => message.match(/^Approved-by: .*$/gm) ?? [];

  it('the same lines below the replaced proposal are no vote: the reply names the new one, whose /approve is (X7, S48)', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell(TWO_PEOPLE);
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    await ana.replies(bot.proposal(1), own('mine'));
    await ben.replies(bot.proposal(1), own('mine'));
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(bot.proposal(2).proposalId);
    await ben.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
    expect(approvers(pr.commits()[0]?.message)).toHaveLength(2);
  });
});
