import { describe, expect, it } from 'vitest';
import { stageForAll } from './curtain.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from './rows.ts';
import type { Story } from './story.ts';

const stage = stageForAll();
const HOUR = 3_600;
const DAY = 24 * HOUR;

async function states(story: Story): Promise<readonly string[]> {
  return (await story.stored()).proposals.map(({ state }) => state);
}

describe('a change that nobody decides on', () => {
  it('S85, S88, S89a, S98: is told of after 80 % of seven days, then expires, and leaves no trace', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, bot, model, pr } = story;
    const refs = pr.refs();
    const asked = model.requests().length;
    expect(bot.run().body).toMatch(
      /\*\*Waiting\*\* for people .* What nobody decides by \d{4}-\d\d-\d\d \d\d:\d\d UTC expires\./,
    );
    await stage().later(5.5 * DAY);
    expect(bot.answers()).toEqual([]);
    await stage().later(0.2 * DAY);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toMatch(new RegExp(`^@${ana.login}, 2 changes still wait for a decision and expire on `));
    await stage().later(1.4 * DAY);
    expect(await states(story)).toEqual(['expired', 'expired']);
    expect(bot.proposal(1).body).toContain('**Expired** before it was decided. Nothing was changed.');
    expect(bot.proposal(1).body).not.toContain('```suggestion');
    expect(bot.answers()).toHaveLength(2);
    expect(bot.answer()).toMatch(
      new RegExp(`^@${ana.login}, the run ended, because nobody decided in time; nothing was changed`),
    );
    expect(bot.run().body).toContain('**Ended.**');
    expect(bot.run().body).not.toContain('**Waiting**');
    expect(pr.refs()).toEqual(refs);
    expect(model.requests()).toHaveLength(asked);
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain('had already expired');
    expect(pr.refs()).toEqual(refs);
  });

  it('S85, S81, S106: expires as the repository says, restarts or not; /resume proposes it again for the head of then', async () => {
    const story = await tellRows(stage());
    const { ana, ben, bot, model, pr } = story;
    await story.configures('expiry: 2h\n');
    model.proposes(editRow(5, 50), editRow(12, 120));
    await ana.says('/countersign give the rows other values');
    await ana.replies(bot.proposal(1), '/approve');
    await stage().restart();
    await stage().later(1.7 * HOUR);
    expect(bot.answer()).toMatch(new RegExp(`^@${ana.login}, a change still waits for a decision and expires on `));
    await stage().restart();
    await stage().later(0.4 * HOUR);
    expect(await states(story)).toEqual(['completed', 'expired']);
    expect(bot.answer()).toContain('`/resume` lets it go on, while no other has begun and proposes what expired again');
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50, 20: 2000 }) });
    const asked = model.requests().length;
    await ben.says('/resume');
    expect(model.requests()).toHaveLength(asked);
    expect(bot.proposals()).toHaveLength(3);
    expect(bot.proposal(3).body).toContain(`head \`${pr.now().head.sha.slice(0, 7)}\``);
    expect(bot.proposal(2).body).toContain(`Replaced by [\`${bot.proposal(3).proposalId}\`]`);
    await ben.replies(bot.proposal(3), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120, 20: 2000 }));
    expect(model.heard()).toHaveLength(2);
    expect(model.heard().join()).not.toMatch(/rejected|expired|Withdrawn/);
  });

  it('S85: what fits no more when the run goes on is told to the model as that', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, model } = story;
    await stage().later(8 * DAY);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 5000 }) });
    await ana.says('/resume');
    expect(bot.proposals()).toHaveLength(1);
    expect(model.heard()).toEqual([
      expect.stringMatching(/^Not applied: src\/rows\.ts changed after this change was proposed/),
    ]);
  });

  it('S85: an undo expires too, and says how to ask for it again; nobody’s run ends with it', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, pr } = story;
    await ana.replies(bot.proposal(1), '/approve');
    const { proposalId } = bot.proposal(1);
    await ben.says(`/undo ${proposalId}`);
    const answers = bot.answers().length;
    await stage().later(6 * DAY);
    expect(bot.answer()).toMatch(new RegExp(`^@${ben.login}, a change still waits`));
    await stage().later(2 * DAY);
    expect(bot.proposal(2).body).toContain(
      `**Expired** before it was decided. Nothing was changed. To ask for it again, write \`/undo\` ${proposalId}.`,
    );
    expect(bot.answers()).toHaveLength(answers + 1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
