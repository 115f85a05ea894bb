import { describe, expect, it } from 'vitest';
import { stageForAll } from './curtain.ts';
import { editRow, ROWS_PATH, row, rows } from './rows.ts';

const stage = stageForAll();

describe('where one vote is not enough', () => {
  it('S48: a person’s own text is a proposal of its own with their vote, and the old one names it', async () => {
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
    expect(anew?.body).toContain(`These lines are \`${ana.login}\`’s own, instead of what the model proposed.`);
    expect(anew?.body).toContain(`\`\`\`suggestion\n${row(5, 'mine')}\n`);
    const stored = (await story.stored()).proposals;
    expect(stored.map(({ state }) => state)).toEqual(['superseded', 'proposed']);
    expect(stored[1]?.votes).toMatchObject([
      { action: 'modify', by: { id: ana.id }, digest: stored[1]?.change.digest },
    ]);
    await ben.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
    for (const { login } of [ana, ben]) expect(pr.commits()[0]?.message).toContain(`Approved-by: ${login}`);
    expect(JSON.parse(model.heard()[0] ?? '')).toMatchObject({
      user_note: 'Rather so.',
      details: { userModified: true },
      user_edits: expect.stringContaining(`-${row(5, 50)}\n+${row(5, 'mine')}`),
    });
  });

  it('S48, S94: where the file changes below a person’s own text, it is withdrawn and they are told; the model’s is not shown in its place', async () => {
    const story = await stage().tell({
      files: { '.github/countersign.yml': 'required_approvals: 2\n' },
      branch: { [ROWS_PATH]: rows() },
    });
    const { ana, ben, bot, model } = story;
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    await ana.replies(bot.proposal(1), `\`\`\`suggestion\n${row(5, 'mine')}\n\`\`\``);
    await ben.pushes({ [ROWS_PATH]: rows({ 4: 40 }) });
    expect((await story.stored()).proposals.map(({ state }) => state)).toEqual(['superseded', 'superseded']);
    expect(bot.proposals()).toHaveLength(2);
    const told = bot.answers().filter((answer) => answer.includes('no longer fit'));
    expect(told).toEqual([expect.stringContaining(`The lines that \`${ana.login}\` wrote no longer fit`)]);
    expect(model.heard()[0]).toMatch(/^Not applied: src\/rows.ts changed after this change was proposed/);
  });
});
