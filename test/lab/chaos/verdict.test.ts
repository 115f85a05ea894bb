import { afterEach, describe, expect, it } from 'vitest';
import { createPerson } from '../../../fakes/people/person.ts';
import {
  createPeople,
  listCommitsByProposal,
  listShownProposals,
  type PullActivity,
} from '../../../lab/chaos/people.ts';
import { ROWS_PATH, rowsFileText, startTestSite, type TestSite } from '../../../lab/chaos/site.ts';
import { assessRun, findLedgerProblems, isFinished } from '../../../lab/chaos/verdict.ts';
import { createRandom } from '../../../lab/simulation/world/random.ts';

let site: TestSite;

afterEach(() => site.close());

/** A pull request with one task. `shows` posts a proposal as the App does, `commits` pushes a commit. */
async function openPull() {
  site = await startTestSite(1);
  const { activities } = createPeople(site, createRandom(1));
  const [activity] = activities;
  if (activity === undefined) throw new Error('There is no pull request.');
  activity.tasks = 1;
  const { branch, number } = activity.pull;
  const { repositoryId, github } = site;
  const bot = createPerson(github.apply, { accountId: github.app.botId, repositoryId, number, branch });
  const shows = (id: string, row: number, status: string): void => {
    bot.says(
      `<!-- countersign:proposal:${id} -->\n${status}\n\`\`\`diff\n-row ${row}: open\n+row ${row}: done by task 0\n`,
    );
  };
  const commits = (message: string, taskByRow: Readonly<Record<number, number>>): void => {
    const rows = new Map(Object.entries(taskByRow).map(([row, task]) => [Number(row), task]));
    activity.pull.act((person) => person.pushes({ [ROWS_PATH]: rowsFileText(rows) }, { message }));
  };
  return { activities, activity, shows, commits };
}

/** Records decisions on the shown proposals, in their order. */
function decideAll({ pull, decisions }: PullActivity, ...commands: readonly ('approve' | 'deny')[]): void {
  for (const [index, proposal] of listShownProposals(site, pull).entries())
    decisions.set(proposal.id, { command: commands[index] ?? 'deny', proposal });
}

describe('the verdict on a chaos run', () => {
  it('has no problems if each approved change is committed once, and no other', async () => {
    const { activities, activity, shows, commits } = await openPull();
    shows('aaaa', 1, '**Completed:** applied in abc.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    shows('cccc', 21, '**Completed:** applied in abc.');
    decideAll(activity, 'approve', 'deny', 'approve');
    commits('Do it\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: cccc\n', { 1: 0, 21: 0 });
    expect(isFinished(site, activities)).toBe(true);
    expect(assessRun(site, activities)).toEqual({
      tasks: 1,
      proposals: 3,
      approved: 2,
      denied: 1,
      commits: 2,
      problems: [],
    });
  });

  it('reports a lost proposal, decision or commit', async () => {
    const { activities, activity, shows } = await openPull();
    shows('aaaa', 1, 'Waiting.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    decideAll(activity, 'approve', 'deny');
    expect(isFinished(site, activities)).toBe(false);
    expect(assessRun(site, activities).problems).toEqual([
      '#1: task 0: 2 of 3 changes were proposed',
      '#1: aaaa: approve, but 0 commits',
      '#1: aaaa: approve, but its comment does not show it',
      '#1: the file differs from the approved changes',
    ]);
  });

  it('reports an action that was done twice or without a decision', async () => {
    const { activities, activity, shows, commits } = await openPull();
    shows('aaaa', 1, '**Completed:** applied in abc.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    shows('cccc', 21, '**Rejected by user** ana.');
    shows('dddd', 21, 'Waiting.');
    decideAll(activity, 'approve', 'deny', 'deny');
    activity.decisions.delete('dddd');
    commits('Once\n\nCountersign-Proposal: aaaa\n', { 1: 0 });
    commits('Twice\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: bbbb\nCountersign-Proposal: dddd\n', {
      1: 0,
      11: 0,
    });
    expect(assessRun(site, activities).problems).toEqual([
      '#1: row 21 was proposed twice',
      '#1: aaaa: approve, but 2 commits',
      '#1: bbbb: deny, but 1 commits',
      '#1: dddd: committed without a decision',
      '#1: the file differs from the approved changes',
    ]);
  });

  it('reports an entry of the ledger that is missing, repeated or different (J8)', async () => {
    const { activities, activity, shows, commits } = await openPull();
    for (const [index, id] of ['aaaa', 'bbbb', 'cccc', 'dddd'].entries()) shows(id, index * 10 + 1, '');
    decideAll(activity, 'approve', 'deny', 'approve', 'approve');
    commits('Do it\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: cccc\nCountersign-Proposal: dddd\n', { 1: 0 });
    const [commit = ''] = listCommitsByProposal(site, activity.pull).get('aaaa') ?? [];
    const line = (proposalId: string, state: string, ...commitShas: readonly string[]) => {
      return { pullRequest: 1, proposalId, state, writes: commitShas.map((sha) => ({ commit: sha })) };
    };
    const completed = ['aaaa', 'cccc', 'dddd'].map((id) => line(id, 'completed', commit));
    expect(findLedgerProblems(site, activities, [...completed, line('bbbb', 'rejected')])).toEqual([]);
    const wrong = [
      line('aaaa', 'completed', commit, 'f00'),
      line('bbbb', 'approved'),
      line('cccc', 'completed', commit),
    ];
    expect(findLedgerProblems(site, activities, [...wrong, line('cccc', 'completed', commit)])).toEqual([
      `#1: aaaa: commits on the branch: ${commit}; in the ledger: ${[commit, 'f00'].toSorted().join(', ')}`,
      '#1: bbbb: deny, but approved in the ledger',
      '#1: cccc: 2 entries in the ledger',
      '#1: dddd: 0 entries in the ledger',
    ]);
  });
});
