import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Two pull requests from one branch onto different bases, with a run on each. */
async function twoOnOneBranch(
  here: Readonly<Record<number, number>>,
  there: Readonly<Record<number, number>>,
): Promise<readonly [Story, Story]> {
  const first = await tellRows(stage());
  const second = await first.alsoTo('release');
  for (const [story, values] of [[first, here] as const, [second, there] as const]) {
    story.model.proposes(...Object.entries(values).map(([n, value]) => editRow(Number(n), value)));
    await story.ana.says('/countersign give the rows other values');
  }
  return [first, second];
}

describe('two open pull requests from one branch', () => {
  it('the run and each proposal name the other pull request (B12)', async () => {
    const [first, second] = await twoOnOneBranch({ 5: 50 }, { 9: 90 });
    expect(first.bot.proposal(1).body).toContain(
      `⚠️ A commit also changes \`#${second.pr.number}\`, which uses the same branch.`,
    );
    expect(first.bot.run().body).toContain(`A commit also changes #${second.pr.number}, which uses the same branch.`);
    expect(second.bot.proposal(1).body).toContain(
      `A commit also changes \`#${first.pr.number}\`, which uses the same branch.`,
    );
  });

  it('a commit for one is a push to the other: changes that it contains are completed there without a vote (B12, S50)', async () => {
    const [first, second] = await twoOnOneBranch({ 5: 50 }, { 5: 50, 15: 150 });
    await first.ana.replies(first.bot.proposal(1), '/approve');
    expect(await proposalStates(first)).toEqual(['completed']);
    expect(await proposalStates(second)).toEqual(['completed', 'proposed']);
    expect((await second.stored()).proposals[0]?.votes).toEqual([]);
    expect(second.bot.proposal(1).body).toMatch(/^\*\*Completed:\*\* applied in \S+\. Found in a push\.$/m);
    expect(second.bot.proposal(1).resolved).toBe(true);
    await second.ana.replies(second.bot.proposal(2), '/approve');
    expect(second.pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 15: 150 }));
    expect(second.pr.commits()).toHaveLength(2);
  });

  it('a pull request alone on its branch, or beside a closed one, gets no warning (B12)', async () => {
    const story = await tellRows(stage());
    const second = await story.alsoTo('release');
    await second.ben.does((person) => person.closes());
    story.model.proposes(editRow(5, 50));
    await story.ana.says('/countersign give the row another value');
    expect(story.bot.proposal(1).body).not.toContain('same branch');
    expect(story.bot.run().body).not.toContain('same branch');
  });
});
