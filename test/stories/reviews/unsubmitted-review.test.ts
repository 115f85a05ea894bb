import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import { remove, type Story } from '../support/story.ts';

const stage = stageForAll();

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

/** Leaves the App's one pending review, as a creation that failed midway does. */
function leavePendingReview({ pr }: Story): void {
  const { apply, app } = stage().github;
  const actor = { accountId: app.botId, viaAppId: app.id };
  apply(OPERATIONS.createPullRequestReview, {
    actor,
    repositoryId: pr.repositoryId,
    number: pr.number,
    body: 'left behind',
  });
}

function pendingReviews({ pr }: Story): number {
  return [...pr.now().reviews.values()].filter(({ state }) => state === 'PENDING').length;
}

describe('a review of the App that was never submitted', () => {
  it('does not block the next proposals (G4)', async () => {
    const story = await tellRows(stage());
    leavePendingReview(story);
    story.model.proposes(editRow(5, 50));
    await story.ana.says('/countersign give the row another value');
    expect(story.bot.proposal(1).body).toContain('```suggestion');
    expect(story.bot.proposals()).toHaveLength(1);
    expect(pendingReviews(story)).toBe(0);
    await story.ana.replies(story.bot.proposal(1), '/approve');
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('is replaced if GitHub left the App’s own review pending: the proposals are posted again, once (G4)', async () => {
    const story = await tellRows(stage());
    const withoutEvent = (sent: string): string => JSON.stringify({ ...Object(parseJson(sent)), event: undefined });
    stage().github.faults.add({ route: REVIEW, kind: 'alter-request', alter: withoutEvent });
    story.model.proposes(editRow(5, 50));
    await story.ana.says('/countersign give the row another value');
    await stage().later(5);
    expect(story.bot.proposals()).toHaveLength(1);
    expect(story.bot.reviews()).toHaveLength(1);
    expect(pendingReviews(story)).toBe(0);
  });

  it('blocks neither an answer in a thread nor a diff on a file (G4)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, bot, model } = story;
    leavePendingReview(story);
    const asked = await ana.replies(bot.proposal(1), '/approve but nicer');
    const answer = bot.comments().find(({ body }) => body.includes('in this form'));
    expect(answer?.kind).toBe('review');
    expect(asked).toBeGreaterThan(0);
    leavePendingReview(story);
    model.proposes(remove(ROWS_PATH));
    await ana.replies(bot.proposal(1), 'rather delete it');
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.proposal(2).kind).toBe('review');
    expect(pendingReviews(story)).toBe(0);
  });
});
