import { describe, expect, it } from 'vitest';
import { memoryDatabase } from '../support/memory-database.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const database = memoryDatabase();

const stage = stageForAll({ database });

/** Restarts the App on the restored database. */
async function restore(backup: { readonly restore: () => void }): Promise<void> {
  backup.restore();
  await stage().restart();
  await stage().settle();
}

describe('a restored older backup', () => {
  it('later approvals, commits and denials are recovered, and nothing is committed twice (G13)', async () => {
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    const backup = database.backUp();
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny no');
    const refs = pr.refs();
    await restore(backup);
    expect(pr.refs()).toEqual(refs);
    expect(bot.proposals()).toHaveLength(3);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(bot.proposal(2).body).toContain('**Rejected by user**');
    await ana.replies(bot.proposal(3), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 200 }));
    expect(pr.commits()).toHaveLength(2);
    expect(model.toolMessages()).toHaveLength(3);
  });

  it('they are also recovered if the backup is older than GitHub’s delivery log (G13)', async () => {
    const { pr, ana, bot, stored } = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    const backup = database.backUp();
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny no');
    await stage().later(4 * 86_400);
    await restore(backup);
    expect(await proposalStates({ stored })).toEqual(['completed', 'rejected', 'proposed']);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(3);
  });

  it('a task that had ended does not start again (G13)', async () => {
    const { ana, bot, model, pr } = await tellRows(stage());
    const backup = database.backUp();
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    await ana.replies(bot.proposal(1), '/approve');
    const asked = model.requests().length;
    await restore(backup);
    expect(model.requests()).toHaveLength(asked);
    expect(bot.proposals()).toHaveLength(1);
    expect(pr.commits()).toHaveLength(1);
  });

  it('decisions from before the backup are not repeated (G13, F20)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50, 12: 120 });
    await ana.replies(bot.proposal(1), '/approve');
    const backup = database.backUp();
    await ana.says('/status');
    const before = stage().github.requests.length;
    await restore(backup);
    expect(pr.commits()).toHaveLength(1);
    const asked = stage()
      .github.requests.slice(before)
      .map(({ name }) => name);
    expect(asked.filter((name) => name === 'GET /app/hook/deliveries/{delivery_id}').length).toBeGreaterThan(0);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(bot.proposals()).toHaveLength(2);
  });
});
