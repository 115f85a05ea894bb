import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Requests about the repository during a long time after the end of the run. */
async function requestsLater(story: Story): Promise<readonly string[]> {
  const before = stage().github.requests.length;
  await stage().later(3_600);
  return namesOf(requestsSince(stage(), story, before));
}

describe('a locked conversation', () => {
  it('locking and unlocking decide nothing and cause no GitHub request; afterwards everything works as before (F13)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    const asked = stage().github.requests.length;
    await ben.does((person) => person.locks());
    await ben.does((person) => person.unlocks());
    expect(requestsSince(stage(), story, asked)).toEqual([]);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('people who may still comment can decide; replies that GitHub refuses are abandoned, and the decision stays (F13)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 9: 90 });
    const { pr, ana, ben, carl, bot } = story;
    await ben.does((person) => person.locks());
    const before = bot.comments().length;
    const asked = stage().github.requests.length;
    expect(() => carl.person.says('/stop')).toThrow('locked');
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny not this');
    expect(await proposalStates(story)).toEqual(['completed', 'rejected']);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(bot.comments()).toHaveLength(before);
    const refused = requestsSince(stage(), story, asked).filter(({ status }) => status === 403);
    expect(namesOf(refused)).toContain('POST /repos/{owner}/{repo}/issues/{issue_number}/comments');
    expect(await requestsLater(story)).toEqual([]);
  });

  it('a task whose changes GitHub accepts from no App ends without a loop, and the next task works (F13)', async () => {
    const story = await tellRows(stage());
    const { ana, ben, bot, model, pr } = story;
    await ben.does((person) => person.locks());
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    expect((await story.stored()).run?.phase).toMatchObject({ kind: 'ended', reason: 'posting-failed' });
    expect(bot.comments()).toEqual([]);
    expect(await requestsLater(story)).toEqual([]);
    await ben.does((person) => person.unlocks());
    model.proposes(editRow(9, 90));
    await ana.says('/countersign give another row another value');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 9: 90 }));
  });
});
