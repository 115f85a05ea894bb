import { afterEach, describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

afterEach(() => stage().github.deliveries.intercept(undefined));

const DAY = 86_400;

/** Drops the webhooks of `action`; GitHub's delivery log has expired when the App recovers. */
async function duringWebhookGap(action: () => void): Promise<void> {
  stage().github.deliveries.intercept(() => 'drop');
  stage().pass(2);
  action();
  stage().pass(2);
  stage().github.deliveries.intercept(undefined);
  await stage().later(4 * DAY);
}

describe('webhooks lost before the start of GitHub’s delivery log', () => {
  it('votes and standing approvals from before no longer count, and the pages say so (F8, S79, S87)', async () => {
    const story = await tellRows(stage());
    const { ana, ben, bot, model, pr } = story;
    await story.configures('required_approvals: 2\n');
    model.proposes(editRow(5, 50), editRow(12, 120));
    await ana.says('/countersign give the rows other values');
    await ana.replies(bot.proposal(1), '/approve');
    await duringWebhookGap(() => ana.person.replies(bot.proposal(1).id, '/deny no, wait'));
    expect(bot.answer()).toContain('could be a denial was not read');
    expect(bot.answer()).toContain(bot.proposal(1).proposalId);
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
  });

  it('a pull request that was closed meanwhile ends its run where it is read (F8, S90b, R10)', async () => {
    const { ana, ben, bot, pr, stored } = await proposeRows(stage(), { 5: 50 });
    await duringWebhookGap(() => ben.person.closes());
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates({ stored })).toEqual(['cancelled']);
    expect(bot.run().body).toContain('because the pull request was closed');
  });
});
