import { describe, expect, it } from 'vitest';
import { stageForAll } from './curtain.ts';
import { editRow, proposeRows, tellRows } from './rows.ts';

const stage = stageForAll();

/** Names of the requests that a deed leads to, up to and with the last one that matches, if that is given. */
async function requestsOf(deed: () => Promise<unknown>, last?: RegExp): Promise<readonly string[]> {
  const before = stage().github.requests.length;
  await deed();
  const names = stage()
    .github.requests.slice(before)
    .map(({ name }) => name);
  return last === undefined ? names : names.slice(0, names.findLastIndex((name) => last.test(name)) + 1);
}

const REVIEW = /^POST .*\/reviews$/;
const COMMIT = /createCommitOnBranch/;

const SETTINGS = 'GET /repos/{owner}/{repo}/contents/{path}';

describe('requests to GitHub, as docs/design.md counts them', () => {
  it('a task comes to its first review within 15 requests when cold, besides one for each file', async () => {
    const { ana, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    const asked = await requestsOf(() => ana.says('/countersign give the row another value'), REVIEW);
    // A model that answers before the run comment is written has it looked for first: that one counts for no real model.
    const looked = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const counted = asked.filter((name) => !name.includes('/git/blobs/') && name !== looked);
    expect(counted.length).toBeLessThanOrEqual(15);
    expect(asked.filter((name) => name === looked).length).toBeLessThanOrEqual(1);
  });

  it('an approval is committed within 8 requests, and two more close each proposal', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50, 9: 90 });
    const asked = await requestsOf(() => ana.replies(bot.proposal(1), '/approve'));
    const committed = asked.findIndex((name) => COMMIT.test(name)) + 1;
    expect(committed).toBeLessThanOrEqual(8);
    // Besides the run's comment, and the threads' ids once on each pull request.
    const closing = asked.slice(committed).filter((name) => !/\/git\/|issues\/comments|graphql repository/.test(name));
    expect(closing).toHaveLength(2);
    // B20: what GitHub made of it is read once, for the comparison and for what else waits.
    expect(asked.slice(committed).filter((name) => name.includes('/git/trees/'))).toHaveLength(1);
  });

  it('S127: the settings are read at the decision and before the commit, and cost no quota while they stand', async () => {
    const { ana, bot, model, configures } = await tellRows(stage());
    await configures('required_approvals: 1');
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    const before = stage().github.requests.length;
    await ana.replies(bot.proposal(1), '/approve');
    const asked = stage().github.requests.slice(before);
    expect(asked.flatMap(({ name, status }) => (name === SETTINGS ? [status] : []))).toEqual([304, 304]);
  });

  it('approving all of four asks two for each of them, besides what one asks', async () => {
    const { ana, bot } = await proposeRows(stage(), { 3: 30, 9: 90, 15: 150, 21: 210 });
    expect(bot.proposals()).toHaveLength(4);
    const asked = await requestsOf(() => ana.says('/approve all'));
    const closing = asked.filter((name) => /^PATCH .*\/pulls\/comments\/|resolveReviewThread/.test(name));
    expect(closing).toHaveLength(8);
    expect(asked.filter((name) => name === 'graphql repository')).toHaveLength(1);
  });
});
