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

describe('requests to GitHub, as docs/design.md counts them', () => {
  it('a task comes to its first review within 13 requests when cold, besides one for each file', async () => {
    const { ana, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    const asked = await requestsOf(() => ana.says('/countersign give the row another value'), REVIEW);
    expect(asked.filter((name) => !name.includes('/git/blobs/')).length).toBeLessThanOrEqual(13);
  });

  it('an approval is committed within 8 requests, and two more close each proposal', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50, 9: 90 });
    const asked = await requestsOf(() => ana.replies(bot.proposal(1), '/approve'));
    expect(asked.findIndex((name) => COMMIT.test(name)) + 1).toBeLessThanOrEqual(8);
    expect(asked.filter((name) => !name.includes('/git/')).length).toBeLessThanOrEqual(8 + 2);
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
