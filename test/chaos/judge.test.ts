import { afterEach, describe, expect, it } from 'vitest';
import { isFinished, judge } from '../../src/chaos/judge.ts';
import { ledgerWrong } from '../../src/chaos/ledger.ts';
import { commitsOn, proposalsOn } from '../../src/chaos/page.ts';
import { type Deeds, openPeople } from '../../src/chaos/people.ts';
import { ROWS_PATH, rowsText } from '../../src/chaos/rows.ts';
import { openSite, type Site } from '../../src/chaos/site.ts';
import { openChance } from '../../src/simulation/chance.ts';
import { personOn } from '../../src/simulator/people/person.ts';

let site: Site;
afterEach(() => site.close());

/** One pull request with a task on it, and somebody who writes as the App would. */
async function opened() {
  site = await openSite(1);
  const { deeds } = openPeople(site, openChance(1));
  const [one] = deeds;
  if (one === undefined) throw new Error('There is no pull request.');
  one.tasks = 1;
  const { branch, number } = one.pull;
  const { repositoryId, github } = site;
  const bot = personOn(github.apply, { accountId: github.app.botId, repositoryId, number, branch });
  const shows = (id: string, row: number, end: string): void => {
    bot.says(
      `<!-- countersign:proposal:${id} -->\n${end}\n\`\`\`diff\n-row ${row}: open\n+row ${row}: done by task 0\n`,
    );
  };
  const commits = (message: string, done: Readonly<Record<number, number>>): void => {
    const rows = new Map(Object.entries(done).map(([row, task]) => [Number(row), task]));
    one.pull.act((person) => person.pushes({ [ROWS_PATH]: rowsText(rows) }, { message }));
  };
  return { deeds, one, shows, commits };
}

/** What a person decided on each proposal, in the order of the page. */
function decided({ pull, decisions }: Deeds, ...all: readonly ('approve' | 'deny')[]): void {
  for (const [index, shown] of proposalsOn(site, pull).entries())
    decisions.set(shown.id, { says: all[index] ?? 'deny', shown });
}

describe('after the trouble', () => {
  it('all is well where everything that was approved is there once, and nothing else', async () => {
    const { deeds, one, shows, commits } = await opened();
    shows('aaaa', 1, '**Applied** in abc.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    shows('cccc', 21, '**Applied** in abc.');
    decided(one, 'approve', 'deny', 'approve');
    commits('Do it\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: cccc\n', { 1: 0, 21: 0 });
    expect(isFinished(site, deeds)).toBe(true);
    expect(judge(site, deeds)).toEqual({
      ...{ tasks: 1, proposals: 3, approved: 2, denied: 1, commits: 2 },
      wrong: [],
    });
  });

  it('what is lost is told: a proposal, a decision, a commit', async () => {
    const { deeds, one, shows } = await opened();
    shows('aaaa', 1, 'Waiting.');
    shows('bbbb', 11, '**Rejected by user** ana.');
    decided(one, 'approve', 'deny');
    expect(isFinished(site, deeds)).toBe(false);
    expect(judge(site, deeds).wrong).toEqual([
      '#1: of task 0, 2 of 3 changes were proposed',
      '#1: aaaa: approve, and 0 commits',
      '#1: aaaa: approve, and its comment does not say so',
      '#1: the file is not what was approved',
    ]);
  });

  it('what was done twice, or without anybody’s word, is told', async () => {
    const { deeds, one, shows, commits } = await opened();
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
    expect(judge(site, deeds).wrong).toEqual([
      '#1: row 21 was proposed twice',
      '#1: aaaa: approve, and 2 commits',
      '#1: bbbb: deny, and 1 commits',
      '#1: dddd: nobody decided, and committed',
      '#1: the file is not what was approved',
    ]);
  });

  it('V7: what the ledger does not have, or has otherwise, is told', async () => {
    const { deeds, one, shows, commits } = await opened();
    for (const [place, id] of ['aaaa', 'bbbb', 'cccc', 'dddd'].entries()) shows(id, place * 10 + 1, '');
    decided(one, 'approve', 'deny', 'approve', 'approve');
    commits('Do it\n\nCountersign-Proposal: aaaa\nCountersign-Proposal: cccc\nCountersign-Proposal: dddd\n', { 1: 0 });
    const [commit = ''] = commitsOn(site, one.pull).get('aaaa') ?? [];
    const line = (proposalId: string, state: string, ...written: readonly string[]) => {
      return { pullRequest: 1, proposalId, state, writes: written.map((sha) => ({ commit: sha })) };
    };
    const whole = ['aaaa', 'cccc', 'dddd'].map((id) => line(id, 'completed', commit));
    expect(ledgerWrong(site, deeds, [...whole, line('bbbb', 'rejected')])).toEqual([]);
    const other = [
      line('aaaa', 'completed', commit, 'f00'),
      line('bbbb', 'approved'),
      line('cccc', 'completed', commit),
    ];
    expect(ledgerWrong(site, deeds, [...other, line('cccc', 'completed', commit)])).toEqual([
      `#1: aaaa: the branch has the commits ${commit}, the ledger ${[commit, 'f00'].toSorted().join(', ')}`,
      '#1: bbbb: deny, and the ledger says approved',
      '#1: cccc: the ledger has it 2 times',
      '#1: dddd: the ledger has it 0 times',
    ]);
  });
});
