import { afterEach, describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, propose } from '../support/proposals.ts';

const stage = stageForAll();

const PULL = 'graphql pull';

/** The pull request at this commit. */
function withHead(sha: string): (body: unknown) => unknown {
  return (body) => JSON.parse(JSON.stringify(body).replace(/"headRefOid":"\w+"/, `"headRefOid":"${sha}"`));
}

afterEach(() => stage().github.faults.clear());

describe('a branch that is not what the pull request says', () => {
  it('R14: a merge that overtakes the commit is told on the page', async () => {
    const { ana, ben, bot, pr } = await propose(stage(), BIGINT);
    let isMerged = false;
    const mergeOnce = (name: string): void => {
      if (isMerged || name !== 'graphql createCommitOnBranch') return;
      isMerged = true;
      ben.person.merges();
    };
    await beforeCalls(stage(), mergeOnce, () => ana.replies(bot.proposal(1), '/approve'));
    expect(pr.commits()).toHaveLength(0);
    expect(bot.proposal(1).body).toContain(
      'The pull request was merged before this commit, which only the branch topic has.',
    );
  });

  it('R14: a head that is the default branch is warned of, in the run comment and on each page', async () => {
    const { ana, bot, model } = await (await stage().tell()).alsoTo('release', 'main');
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    const warning = 'What is approved here goes straight to the default branch of the repository.';
    expect(bot.run().body).toContain(warning);
    expect(bot.proposal(1).body).toContain(warning);
  });

  it('R14: a pull request that GitHub shows at an older commit than its branch: the failure says so', async () => {
    const { ana, ben, bot, pr } = await propose(stage(), BIGINT);
    const { head } = pr.now();
    stage().github.faults.add({ route: PULL, kind: 'alter-response', alter: withHead(head.sha), times: 1_000 });
    await ben.pushes({ 'notes.txt': 'more\n' });
    await ana.replies(bot.proposal(1), '/approve');
    for (let minute = 0; minute < 12; minute += 1) await stage().later(60);
    expect(bot.answers().join()).toContain('GitHub shows an older commit on the pull request than its branch has');
    expect(pr.file('src/total.ts')).not.toContain('0n');
  });
});
