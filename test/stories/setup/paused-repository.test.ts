import { describe, expect, it } from 'vitest';
import { pause, unpause } from '../../../src/adapters/store/pauses.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { eventually } from '../support/process-stage.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';

const stage = stageForAll({ needsSql: true });

describe('a repository that the operator paused', () => {
  it('O22: says so once, does nothing else, and goes on in order afterwards', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell({ branch: { [ROWS_PATH]: rows() } });
    const other = await stage().tell({ branch: { [ROWS_PATH]: rows() } });
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    const page = bot.proposal(1);
    const requests = model.requests().length;
    await pause(stage().db(), { name: pr.fullName.toUpperCase(), now: stage().now() });
    await ben.replies(page, '/deny not now');
    await ana.replies(page, '/approve');
    expect(bot.proposal(1).body).not.toContain('**Completed');
    expect(model.requests()).toHaveLength(requests);
    expect(bot.comments().filter(({ body }) => body.includes('has paused it here'))).toHaveLength(1);

    other.model.proposes(editRow(5, 50));
    await other.ana.says('/countersign give the row another value');
    expect(other.bot.proposal(1).body).toContain('/approve');

    await unpause(stage().db(), { name: pr.fullName });
    await eventually(() => expect(bot.proposal(1).body).toContain('**Rejected by user**'));
    expect(bot.comments().filter(({ body }) => body.includes('has paused it here'))).toHaveLength(1);
  });

  it('O22: is paused with its account, and a pull request of then is, too', async () => {
    const owner = 'paused-account';
    await pause(stage().db(), { name: owner, now: stage().now() });
    const { ana, bot, model } = await stage().tell({ owner, branch: { [ROWS_PATH]: rows() } });
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    expect(model.requests()).toEqual([]);
    await unpause(stage().db(), { name: owner });
    await eventually(() => expect(bot.proposal(1).body).toContain('/approve'));
  });
});
