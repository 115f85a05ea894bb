import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

const HOUR = 3_600;

const DAY = 24 * HOUR;

describe('an undecided change', () => {
  it('gets a reminder after 80 % of seven days, then expires, and leaves no trace (S85, S88, S89a, S98)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, bot, model, pr } = story;
    const refs = pr.refs();
    const asked = model.requests().length;
    expect(bot.run().body).toMatch(
      /\*\*Waiting for review\*\* of 2 changes\. Pending changes expire on \d{4}-\d\d-\d\d \d\d:\d\d UTC\./,
    );
    await stage().later(5.5 * DAY);
    expect(bot.answers()).toEqual([]);
    await stage().later(0.2 * DAY);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toMatch(new RegExp(`^@${ana.login}, 2 changes are still pending and expire on `));
    await stage().later(1.4 * DAY);
    expect(await proposalStates(story)).toEqual(['expired', 'expired']);
    expect(bot.proposal(1).body).toContain('**Expired** without a decision. Nothing was changed.');
    expect(bot.proposal(1).body).not.toContain('```suggestion');
    expect(bot.answers()).toHaveLength(2);
    expect(bot.answer()).toMatch(
      new RegExp(`^@${ana.login}, the run ended because its changes expired without a decision\\. Nothing was changed`),
    );
    expect(bot.run().body).toContain('**Ended.**');
    expect(bot.run().body).not.toContain('**Waiting for review**');
    expect(pr.refs()).toEqual(refs);
    expect(model.requests()).toHaveLength(asked);
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain('had already expired');
    expect(pr.refs()).toEqual(refs);
  });

  it('expires after the repository’s own period, even across restarts; /resume proposes it again for the current head (S85, S81, S106)', async () => {
    const story = await tellRows(stage());
    const { ana, ben, bot, model, pr } = story;
    await story.configures('expiry: 2h\n');
    model.proposes(editRow(5, 50), editRow(12, 120));
    await ana.says('/countersign give the rows other values');
    await ana.replies(bot.proposal(1), '/approve');
    await stage().restart();
    await stage().later(1.7 * HOUR);
    expect(bot.answer()).toMatch(new RegExp(`^@${ana.login}, a change is still pending and expires on `));
    await stage().restart();
    await stage().later(0.4 * HOUR);
    expect(await proposalStates(story)).toEqual(['completed', 'expired']);
    expect(bot.answer()).toContain('(until another one starts).');
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50, 20: 2000 }) });
    const asked = model.requests().length;
    await ben.says('/resume');
    expect(model.requests()).toHaveLength(asked);
    expect(bot.proposals()).toHaveLength(3);
    expect(bot.proposal(3).body).toContain(`head \`${pr.now().head.sha.slice(0, 7)}\``);
    expect(bot.proposal(2).body).toContain(`Replaced by [\`${bot.proposal(3).proposalId}\`]`);
    await ben.replies(bot.proposal(3), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120, 20: 2000 }));
    expect(model.toolMessages()).toHaveLength(2);
    expect(model.toolMessages().join()).not.toMatch(/rejected|expired|Withdrawn/);
  });

  it('a change that no longer fits at /resume is reported to the model as not applied (S85)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, model } = story;
    await stage().later(8 * DAY);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 5000 }) });
    await ana.says('/resume');
    expect(bot.proposals()).toHaveLength(1);
    expect(model.toolMessages()).toEqual([
      expect.stringMatching(/^Not applied: src\/rows\.ts changed after this change was proposed/),
    ]);
  });

  it('an undo expires too, without ending a run, and its comment says how to ask again (S85)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, pr } = story;
    await ana.replies(bot.proposal(1), '/approve');
    const { proposalId } = bot.proposal(1);
    await ben.says(`/undo ${proposalId}`);
    const answers = bot.answers().length;
    await stage().later(6 * DAY);
    expect(bot.answer()).toMatch(new RegExp(`^@${ben.login}, a change is still pending`));
    await stage().later(2 * DAY);
    expect(bot.proposal(2).body).toContain(
      `**Expired** without a decision. Nothing was changed. To ask for it again, write \`/undo\` ${proposalId}.`,
    );
    expect(bot.answers()).toHaveLength(answers + 1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
