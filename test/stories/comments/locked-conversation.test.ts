import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

/** Longer than the pause between two attempts to write in a locked conversation. */
const PAUSE = 660;

/** One attempt looks for earlier posts, and then writes the run comment and a review. */
const MAX_REQUESTS_OF_ATTEMPT = 20;

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

  it('people who may still comment can decide; replies that GitHub refuses are posted after the lock (F13)', async () => {
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
    await ben.does((person) => person.unlocks());
    await stage().later(PAUSE);
    expect(bot.answers()).toEqual([expect.stringContaining('the run finished')]);
    await stage().later(PAUSE);
    expect(bot.answers()).toHaveLength(1);
  });

  it('a run whose changes GitHub refuses waits with few requests, and continues after the lock (F13)', async () => {
    const story = await tellRows(stage());
    const { ana, ben, bot, model, pr } = story;
    await ben.does((person) => person.locks());
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    expect((await story.stored()).run?.phase).toMatchObject({ kind: 'posting' });
    const asked = stage().github.requests.length;
    await stage().later(PAUSE);
    expect(requestsSince(stage(), story, asked).length).toBeLessThan(MAX_REQUESTS_OF_ATTEMPT);
    await stage().later(2 * 86_400);
    expect(bot.comments()).toEqual([]);
    await ben.does((person) => person.unlocks());
    await stage().later(PAUSE);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(model.requests()).toHaveLength(2);
    expect(bot.answers()).toEqual([expect.stringContaining('the run finished')]);
  });
});
