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

/** One pull request with a task on it, and somebody who writes as the App would. */
async function opened() {
  site = await startTestSite(1);
  const { activities } = createPeople(site, createRandom(1));
  const [one] = activities;
  if (one === undefined) throw new Error('There is no pull request.');
  one.tasks = 1;
  const { branch, number } = one.pull;
  const { repositoryId, github } = site;
  const bot = createPerson(github.apply, { accountId: github.app.botId, repositoryId, number, branch });
  const shows = (id: string, row: number, end: string): void => {
    bot.says(
      `<!-- countersign:proposal:${id} -->\n${end}\n\`\`\`diff\n-row ${row}: open\n+row ${row}: done by task 0\n`,
    );
  };
  const commits = (message: string, done: Readonly<Record<number, number>>): void => {
    const rows = new Map(Object.entries(done).map(([row, task]) => [Number(row), task]));
    one.pull.act((person) => person.pushes({ [ROWS_PATH]: rowsFileText(rows) }, { message }));
  };
  return { deeds: activities, one, shows, commits };
}

/** What a person decided on each proposal, in the order of the page. */
function decided({ pull, decisions }: PullActivity, ...all: readonly ('approve' | 'deny')[]): void {
  for (const [index, proposal] of listShownProposals(site, pull).entries())
    decisions.set(proposal.id, { command: all[index] ?? 'deny', proposal });
}

describe('after the trouble', () => {
  it('all is well where everything that was approved is there once, and nothing else', async () => {
    const { deeds: activities, one, shows, commits } = await opened();
    shows('aaaa', 1, '**Applied** in abc.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    shows('cccc', 21, '**Applied** in abc.');
    decided(one, 'approve', 'deny', 'approve');
    commits('Do it\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: cccc\n', { 1: 0, 21: 0 });
    expect(isFinished(site, activities)).toBe(true);
    expect(assessRun(site, activities)).toEqual({
      ...{ tasks: 1, proposals: 3, approved: 2, denied: 1, commits: 2 },
      problems: [],
    });
  });

  it('a lost proposal, decision or commit is reported', async () => {
    const { deeds: activities, one, shows } = await opened();
    shows('aaaa', 1, 'Waiting.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    decided(one, 'approve', 'deny');
    expect(isFinished(site, activities)).toBe(false);
    expect(assessRun(site, activities).problems).toEqual([
      '#1: of task 0, 2 of 3 changes were proposed',
      '#1: aaaa: approve, and 0 commits',
      '#1: aaaa: approve, and its comment does not say so',
      '#1: the file is not what was approved',
    ]);
  });

  it('an action done twice or without a decision is reported', async () => {
    const { deeds: activities, one, shows, commits } = await opened();
    shows('aaaa', 1, '**Applied** in abc.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    shows('cccc', 21, '**Rejected by user** ana.');
    shows('dddd', 21, 'Waiting.');
    decided(one, 'approve', 'deny', 'deny');
    one.decisions.delete('dddd');
    commits('Once\n\nCountersign-Proposal: aaaa\n', { 1: 0 });
    commits('Twice\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: bbbb\nCountersign-Proposal: dddd\n', {
      1: 0,
      11: 0,
    });
    expect(assessRun(site, activities).problems).toEqual([
      '#1: row 21 was proposed twice',
      '#1: aaaa: approve, and 2 commits',
      '#1: bbbb: deny, and 1 commits',
      '#1: dddd: nobody decided, and committed',
      '#1: the file is not what was approved',
    ]);
  });

  it('an entry that is missing or different in the ledger is reported (V7)', async () => {
    const { deeds: activities, one, shows, commits } = await opened();
    for (const [place, id] of ['aaaa', 'bbbb', 'cccc', 'dddd'].entries()) shows(id, place * 10 + 1, '');
    decided(one, 'approve', 'deny', 'approve', 'approve');
    commits('Do it\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: cccc\nCountersign-Proposal: dddd\n', { 1: 0 });
    const [commit = ''] = listCommitsByProposal(site, one.pull).get('aaaa') ?? [];
    const line = (proposalId: string, state: string, ...written: readonly string[]) => {
      return { pullRequest: 1, proposalId, state, writes: written.map((sha) => ({ commit: sha })) };
    };
    const whole = ['aaaa', 'cccc', 'dddd'].map((id) => line(id, 'completed', commit));
    expect(findLedgerProblems(site, activities, [...whole, line('bbbb', 'rejected')])).toEqual([]);
    const other = [
      line('aaaa', 'completed', commit, 'f00'),
      line('bbbb', 'approved'),
      line('cccc', 'completed', commit),
    ];
    expect(findLedgerProblems(site, activities, [...other, line('cccc', 'completed', commit)])).toEqual([
      `#1: aaaa: the branch has the commits ${commit}, the ledger ${[commit, 'f00'].toSorted().join(', ')}`,
      '#1: bbbb: deny, and the ledger says approved',
      '#1: cccc: the ledger has it 2 times',
      '#1: dddd: the ledger has it 0 times',
    ]);
  });
});
