import { describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { proposeRows, ROWS_PATH, rows } from '../support/rows.ts';

const stage = stageForAll();

const COMMIT = 'graphql createCommitOnBranch';

describe('a commit attempt without effect', () => {
  it('a temporary failure leaves all changes of the commit approved, and then they land together (B19, S96)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    const { pr, ana } = story;
    stage().github.faults.add({
      route: COMMIT,
      kind: 'fail-before-apply',
      status: 503,
      headers: { 'retry-after': '60' },
    });
    await ana.says('/approve all');
    expect(pr.commits()).toEqual([]);
    const underWay = await proposalStates(story);
    expect(underWay.every((state) => state === 'approved' || state === 'executing')).toBe(true);
    await stage().later(61);
    expect(await proposalStates(story)).toEqual(['completed', 'completed', 'completed']);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120, 20: 200 }));
  });

  it('a commit that loses to a push on every attempt is abandoned after ten minutes, with a message (S95)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    let pushes = 0;
    const push = (name: string): void => {
      if (name !== COMMIT) return;
      pushes += 1;
      ben.person.pushes({ [ROWS_PATH]: rows({ 20: `push ${pushes}` }) });
    };
    await beforeCalls(stage(), push, async () => {
      await ana.replies(bot.proposal(1), '/approve');
      for (let waits = 0; waits < 6; waits += 1) await stage().later(150);
    });
    expect(await proposalStates(story)).toEqual(['failed']);
    expect(pr.commits().filter(({ message }) => message.includes('Countersign-'))).toEqual([]);
    expect(bot.proposal(1).body).toContain('The branch kept moving');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 20: `push ${pushes}` }));
  });
});
