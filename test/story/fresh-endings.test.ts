import { describe, expect, it } from 'vitest';
import { beforeCalls } from './before-calls.ts';
import { stageForAll } from './curtain.ts';
import { proposeRows, ROWS_PATH, rows } from './rows.ts';
import type { Story } from './story.ts';

const stage = stageForAll();
const COMMIT = 'graphql createCommitOnBranch';

async function states({ stored }: Story): Promise<readonly string[]> {
  return (await stored()).proposals.map(({ state }) => state);
}

describe('an attempt that comes to nothing', () => {
  it('B19, S96: a passing failure of the commit of several leaves all of them approved, and then they land together', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    const { pr, ana } = story;
    stage().github.faults.add({ on: COMMIT, kind: 'before', status: 503, headers: { 'retry-after': '60' } });
    await ana.says('/approve all');
    expect(pr.commits()).toEqual([]);
    const underWay = await states(story);
    expect(underWay.every((state) => state === 'approved' || state === 'executing')).toBe(true);
    await stage().later(61);
    expect(await states(story)).toEqual(['completed', 'completed', 'completed']);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120, 20: 200 }));
  });

  it('S92: a comment that somebody changed is put back and the approval is asked for again', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    const shown = bot.proposal(1);
    ben.person.editsInThread(shown.id, shown.body.replaceAll('50', '51'));
    await ana.replies(shown, '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.proposal(1).body).toBe(shown.body);
    stage().pass(2);
    await ana.replies(shown, '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('S95: a branch that somebody pushes to before each attempt is given up after ten minutes, and says so', async () => {
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
    expect(await states(story)).toEqual(['failed']);
    expect(pr.commits().filter(({ message }) => message.includes('Countersign-'))).toEqual([]);
    expect(bot.proposal(1).body).toContain('The branch kept moving');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 20: `push ${pushes}` }));
  });
});
