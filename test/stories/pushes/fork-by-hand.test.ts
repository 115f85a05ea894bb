import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import { type Story, write } from '../support/story.ts';

const stage = stageForAll();

const COMMIT = 'graphql createCommitOnBranch';

const NOT_APPROVED = '/approve` – apply exactly this change';

/** Pushes to the branch, in the repository or in the fork. */
async function pushesThere({ pr, carl }: Story, files: Readonly<Record<string, string>>): Promise<void> {
  const { repositoryId, branch } = pr.now().head;
  const actor = { accountId: carl.id, viaAppId: null };
  const pushed = { actor, repositoryId, branch, files: new Map(Object.entries(files)) };
  stage().github.apply(OPERATIONS.pushFiles, pushed);
  await stage().settle();
}

function commitCalls(since: number): readonly (number | null)[] {
  const calls = stage().github.requests.slice(since);
  return calls.flatMap(({ name, status }) => (name === COMMIT ? [status] : []));
}

/** From now on a rule refuses commits to the branch, except by these people. */
function addRule({ pr }: Story, bypassIds: readonly number[] = []): void {
  const ruleset = { branches: ['topic'], types: ['update'], bypassIds } as const;
  stage().github.apply(OPERATIONS.addRuleset, { repositoryId: pr.repositoryId, ruleset });
}

describe('a pull request from a fork', () => {
  it('R34: a change that fits a suggestion block has the button, the rest is a diff to apply by hand, and both are recognized (F15, S50)', async () => {
    const story = await stage().tell({ fork: true, branch: { [ROWS_PATH]: rows() } });
    const { ana, bot, carl, model, pr } = story;
    model.proposes(editRow(5, 50), write('docs/new.md', 'ours\n'));
    await ana.says('/countersign give the row another value and describe it');
    const [suggested, shown] = [bot.proposal(1), bot.proposal(2)];
    expect(bot.run().body).toContain('is in a fork, and Countersign never writes to forks');
    expect(bot.run().body).not.toContain('/approve');
    expect(suggested.body).toContain('```suggestion');
    expect(suggested.body).toContain('**Pending:** **Commit suggestion**');
    expect(shown.body).toContain('```diff');
    expect(shown.body).toContain('push exactly this change');
    for (const { body } of [suggested, shown]) expect(body).not.toContain(NOT_APPROVED);
    const since = stage().github.requests.length;
    await ana.says('/approve all');
    expect(bot.answer()).toContain('is in a fork, and Countersign never writes to forks.');
    await ana.replies(suggested, '```suggestion\nconst row05 = 51;\n```');
    expect(bot.answers().filter((one) => one.includes('never writes to forks'))).toHaveLength(2);
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    await carl.commitsSuggestion(suggested);
    expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
    await pushesThere(story, { 'docs/new.md': 'ours\n' });
    expect(await proposalStates(story)).toEqual(['completed', 'completed']);
    expect(bot.proposal(2).body).toContain('**Completed:** applied');
    expect(pr.commits().map(({ author }) => author)).toEqual([carl.login, carl.login]);
    expect(commitCalls(since)).toEqual([]);
    expect(model.toolMessages()).toHaveLength(2);
  });
});

describe('a branch whose rules refuse a commit', () => {
  it('a change approved by another command also fails, and the pending one says so (S96, S127a)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    const { ana, ben, bot, pr } = story;
    addRule(story);
    const since = stage().github.requests.length;
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    ben.person.replies(bot.proposal(2).id, '/approve');
    // The App has both approvals before it tries the first commit.
    stage().github.faults.add({ route: 'graphql pull', kind: 'delay', until: stage().github.whenIdle() });
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['failed', 'failed', 'proposed']);
    expect(commitCalls(since)).toHaveLength(1);
    for (const number of [1, 2])
      expect(bot.proposal(number).body).toContain('**Failed.** Nothing was changed. The rules of this branch refuse');
    expect(bot.answer()).toContain(bot.proposal(2).proposalId);
    const { body } = bot.proposal(3);
    expect(body).toContain('Apply the change yourself.');
    expect(body).toContain('**Pending:** **Commit suggestion**');
    expect(body).not.toContain(NOT_APPROVED);
    await ana.says('/approve');
    expect(bot.answer()).toContain('refused a commit, so Countersign only offers suggestions');
    expect(pr.commits()).toEqual([]);
  });
});
