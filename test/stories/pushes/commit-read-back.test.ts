import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { proposeRows, rows } from '../support/rows.ts';
import { edit, type Story, type StoryOptions } from '../support/story.ts';

const stage = stageForAll();

const COMMIT = 'graphql createCommitOnBranch';

const TREE = 'POST /repos/{owner}/{repo}/git/trees';

const READ_TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';

const BOT = 'countersign[bot]';

/** The text of a comment without backticks. */
const plain = ({ body }: { readonly body: string }) => body.replaceAll('`', '');

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Changes this field, at any depth, in the next such call before GitHub processes it. */
function alterCall(route: string, field: string, replaced: (value: unknown) => unknown): void {
  const alter = (sent: string): string =>
    JSON.stringify(parseJson(sent), (key, value: unknown) => (key === field ? replaced(value) : value));
  stage().github.faults.add({ route, kind: 'alter-request', alter });
}

function otherBytes(): void {
  alterCall(COMMIT, 'contents', () => base64(rows({ 5: 'formatted' })));
}

function countAppCommits({ pr }: Story): number {
  return pr.commits().filter(({ author }) => author === BOT).length;
}

/** An executable script: the App commits its changes through git objects. */
async function proposeScript(options: StoryOptions = {}): Promise<Story> {
  const story = await stage().tell({ files: { 'run.sh': 'echo one\n' }, executable: ['run.sh'], ...options });
  story.model.proposes(edit('run.sh', 'one', 'two'));
  await story.ana.says('/countersign say two');
  return story;
}

describe('the App reads each of its commits back', () => {
  it('a commit with other bytes than approved is reported on the change and the run, and the run ends without another commit (B20, S92)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, ben, bot, pr } = story;
    otherBytes();
    await ana.replies(bot.proposal(1), '/approve');
    const sha = pr.head().slice(0, 7);
    const body = plain(bot.proposal(1));
    expect(body).toContain('**Failed: not as approved.**');
    expect(body).toContain(`[${sha}]`);
    expect(body).toMatch(/at src\/rows\.ts blob [0-9a-f]{7} with mode 100644 was approved, and blob [0-9a-f]{7}/i);
    expect(body).not.toContain('**Completed:** applied');
    expect(bot.run().body).toContain('ended because a commit is not what was approved');
    expect(bot.answer()).toContain(`In commit \`${sha}\` at \`src/rows.ts\``);
    expect(bot.answer()).toContain(`@${ana.login}, the run ended because a commit is not what was approved`);
    expect(await proposalStates(story)).toEqual(['failed', 'cancelled']);
    await ben.says(`/approve ${bot.proposal(2).proposalId}`);
    expect(countAppCommits(story)).toBe(1);
    expect(stage().logged.join('\n')).toContain('commit differs from what was approved');
  });

  it('changes approved by another command are no longer committed, and queued tasks do not start (B20)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, ben, bot, model } = story;
    await ben.says('/countersign the next task');
    otherBytes();
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    ben.person.replies(bot.proposal(2).id, '/approve');
    // The App has both approvals before it makes the first commit. Either one can be carried out first.
    stage().github.faults.add({ route: 'graphql pull', kind: 'delay', until: stage().github.whenIdle() });
    await stage().settle();
    expect((await proposalStates(story)).toSorted()).toEqual(['cancelled', 'failed']);
    expect(countAppCommits(story)).toBe(1);
    expect(bot.answer()).toContain('the next task');
    expect(model.requests()).toHaveLength(1);
  });

  it('a failed undo after the run is reported on its own, and the other undos are cancelled (B20)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 12: 120 });
    const { ana, bot } = story;
    await ana.says('/approve all');
    for (const { proposalId } of bot.proposals()) await ana.says(`/undo ${proposalId}`);
    otherBytes();
    await ana.says(`/approve ${bot.proposal(3).proposalId}`);
    expect(bot.answer()).toContain('is not exactly what was approved');
    expect(await proposalStates(story)).toEqual(['completed', 'completed', 'failed', 'cancelled']);
  });

  it('a commit as approved is accepted, and one that cannot be read yet is found again (B20, S73)', async () => {
    const story = await proposeScript();
    const { ana, bot, pr } = story;
    const head = pr.head();
    const unreadable = { kind: 'fail-before-apply', status: 404, body: { message: 'Not Found' } } as const;
    stage().github.faults.add({ route: READ_TREE, times: 1, ...unreadable });
    await ana.replies(bot.proposal(1), '/approve');
    await stage().later(5);
    expect(stage().github.faults.pending()).toEqual([]);
    expect(stage().logged.join('\n')).toContain('commit could not be verified, will retry');
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(pr.commits().map(({ parent }) => parent)).toEqual([head]);
  });

  describe('a commit that a force push removes before it can be read', () => {
    /** GitHub makes the commit, but does not show it before Ben force-pushes the branch back. */
    async function pushedAway(story: Story): Promise<string> {
      const { ana, ben, bot, pr } = story;
      const before = pr.head();
      const unreadable = { kind: 'fail-before-apply', status: 404, body: { message: 'Not Found' } } as const;
      stage().github.faults.add({ route: READ_TREE, times: 100, ...unreadable });
      await ana.replies(bot.proposal(1), '/approve');
      const made = pr.head();
      expect(await proposalStates(story)).toEqual(['executing']);
      const ref = { repositoryId: pr.repositoryId, ref: 'refs/heads/topic', sha: before, force: true };
      stage().github.apply(OPERATIONS.updateGitRef, { actor: { accountId: ben.id, viaAppId: null }, ...ref });
      stage().github.faults.clear();
      return made;
    }

    it('counts as made because the ledger has it, is not repeated, and the other pending changes continue (S73, S78)', async () => {
      const story = await proposeScript({ files: { 'run.sh': 'echo one\n', 'a.txt': 'a\n' } });
      const { ana, bot, model, pr, stored } = story;
      model.proposes(edit('a.txt', 'a', 'b'));
      const made = await pushedAway(story);
      await stage().later(60);
      expect((await stored()).proposals).toMatchObject([
        { state: 'completed', commitSha: made },
        { state: 'proposed' },
      ]);
      expect(bot.proposal(1).body).toContain(`**Completed:** applied in [\`${made.slice(0, 7)}\`]`);
      await ana.replies(bot.proposal(2), '/approve');
      expect(pr.commits()).toHaveLength(1);
      expect(pr.file('a.txt')).toContain('b\n');
    });

    it('is reported if its content differed from the approved changes (B20)', async () => {
      const story = await proposeScript();
      alterCall(TREE, 'mode', () => '100644');
      const made = await pushedAway(story);
      await stage().later(60);
      expect((await story.stored()).proposals).toMatchObject([{ state: 'failed', commitSha: made }]);
      expect(plain(story.bot.proposal(1))).toContain('is not exactly what was approved');
      expect(countAppCommits(story)).toBe(0);
    });
  });
});
