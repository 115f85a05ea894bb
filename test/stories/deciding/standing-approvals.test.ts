import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, ROWS_PATH, row, rows } from '../support/rows.ts';
import type { Speaker } from '../support/speaker.ts';
import { edit, type Story, type StoryOptions } from '../support/story.ts';

const stage = stageForAll();

const SETTINGS_PATH = '.github/countersign.yml';

/** A pull request on which ana asked for a change of row 5, which is pending. */
async function proposeRow(options: StoryOptions & { readonly settings?: string } = {}, on = stage): Promise<Story> {
  const { settings, files, branch, ...others } = options;
  const story = await on().tell({
    ...others,
    files: {
      'README.md': 'Sells things.\n',
      ...files,
      ...(settings === undefined ? {} : { [SETTINGS_PATH]: settings }),
    },
    branch: { [ROWS_PATH]: rows(), ...branch },
  });
  story.model.proposes(editRow(5, 50));
  await story.ana.says('/countersign give the rows other values');
  return story;
}

/** The person grants with a reply to the first change; then the model proposes these. */
async function grant(story: Story, who: Speaker, command: string, ...next: readonly ScriptedCall[]): Promise<void> {
  if (next.length > 0) story.model.proposes(...next);
  await who.replies(story.bot.proposal(1), command);
}

function trailersOf(story: Story): readonly string[] {
  return story.pr.commits().map(({ message }) => /^Approved-by: .*$/m.exec(message)?.[0] ?? '');
}

describe('/approve always', () => {
  const withLedger = stageForAll({ needsSql: true });

  it('approves this change, says how far it stands, and approves the next one on the path (S43, S122)', async () => {
    const story = await proposeRow();
    const { ana, bot, pr } = story;
    await grant(story, ana, '/approve always', editRow(15, 150));
    const answer = bot.answers().find((one) => one.includes('Standing approval')) ?? '';
    expect(answer).toContain(
      `Standing approval **1** of \`${ana.login}\`: later \`edit_file\` changes of \`${ROWS_PATH}\``,
    );
    expect(answer).toContain('in runs that this person starts count as approved by them');
    expect(answer).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d UTC, a new base branch or the close/);
    expect(await proposalStates(story)).toEqual(['completed', 'completed']);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 15: 150 }));
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.proposal(2).body).toContain(`approved by \`${ana.login}\` (standing approval 1)`);
    expect(trailersOf(story)).toEqual([`Approved-by: ${ana.login}`, `Approved-by: ${ana.login}`]);
    expect(story.model.allToolMessages().join('\n')).not.toContain('standing');
  });

  it('counts as one vote with a source that names it, in the stored decision (S71, S90a)', async () => {
    const story = await proposeRow({}, withLedger);
    await grant(story, story.ana, '/approve always', editRow(15, 150));
    const [first, second] = (await story.stored()).proposals;
    const ref = { number: 1, tool: 'edit_file', path: ROWS_PATH, glob: null };
    expect(first?.votes).toMatchObject([{ action: 'approve-always', standingApproval: ref }]);
    expect(second?.votes).toMatchObject([
      {
        action: 'approve',
        standingApproval: ref,
        commentId: first?.votes[0]?.commentId,
        by: { login: story.ana.login },
      },
    ]);
    const stored = await withLedger()
      .db()
      .selectFrom('votes')
      .select(['action', 'standing_approval', 'login'])
      .execute();
    const ledger = stored.filter(({ login }) => login === story.ana.login);
    expect(ledger.map(({ action }) => action)).toEqual(['approve-always', 'approve']);
    for (const { standing_approval } of ledger) expect(standing_approval).toContain(`"path":"${ROWS_PATH}"`);
  });

  it('lists them on the run comment and by /approvals, also after a restart (S126)', async () => {
    const story = await proposeRow();
    const { ana, carl, bot } = story;
    await grant(story, ana, '/approve always src/*.ts');
    expect(bot.run().body).toContain('Standing approvals in force:');
    await stage().restart();
    await carl.says('/approvals');
    expect(bot.answer()).toContain(`by \`${ana.login}\``);
    expect(bot.answer()).toContain('`edit_file` changes of files that match `src/*.ts` from the repository’s root');
    story.model.proposes(editRow(15, 150));
    await ana.says('/countersign and row 15');
    expect(await proposalStates(story)).toEqual(['completed']);
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 15: 150 }));
  });

  it('R72: never covers a page with a warning, a file that runs code, a deletion or a move (S123)', async () => {
    const story = await proposeRow({ branch: { 'src/build.rs': 'fn main() {}\n', 'src/old.ts': 'old\n' } });
    await grant(
      story,
      story.ana,
      '/approve always src/*.ts',
      edit(ROWS_PATH, row(15), `${row(15)} // \u0435vil`),
      { name: 'delete_file', arguments: { path: 'src/old.ts' } },
      { name: 'move_file', arguments: { from: 'src/old.ts', to: 'src/new.ts' } },
    );
    expect((await proposalStates(story)).slice(0, 2)).toEqual(['completed', 'proposed']);
    expect(story.pr.commits()).toHaveLength(1);
  });

  it.each([
    ['a protected file', edit('package.json', '"a": 1', '"a": 2'), '/approve always', 'protected or executable file'],
    ['a deletion', { name: 'delete_file', arguments: { path: 'src/old.ts' } }, '/approve always', 'no plain edit'],
    [
      'an executable file',
      edit('bin/deploy', 'echo one', 'echo two'),
      '/approve always',
      'protected or executable file',
    ],
  ] as const)('approves only this one, and says why: %s', async (_what, call, command, why) => {
    const story = await proposeRow({
      files: { 'package.json': '{ "a": 1 }\n', 'bin/deploy': 'echo one\n' },
      branch: { 'src/old.ts': 'old\n' },
      executable: ['bin/deploy'],
    });
    const { ana, bot } = story;
    story.model.proposes(call as ScriptedCall);
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), command);
    expect(await proposalStates(story)).toEqual(['completed', 'completed']);
    expect(bot.answers().join('\n')).toContain('doesn’t stand for later changes');
    expect(bot.answers().join('\n')).toContain(why);
    expect((await story.stored()).standingApprovals).toEqual([]);
  });

  it.each([
    ['off', '/approve always'],
    ['path', '/approve always src/*.ts'],
  ])('the repository’s standing_approvals: %s is kept', async (value, command) => {
    const story = await proposeRow({ settings: `standing_approvals: ${value}\n` });
    await grant(story, story.ana, command, editRow(15, 150));
    expect(await proposalStates(story)).toEqual(['completed', 'proposed']);
    expect(story.bot.answers().join('\n')).toContain('`standing_approvals` of this repository doesn’t allow that');
  });
});

describe('what a standing approval rests on', () => {
  it.each(['required_approvals: 2', 'require_non_author: true', 'require: [{paths: [src/**], approvals: 2}]'])(
    'R72: counts for nothing where a rule asks for other eyes: %s (S125)',
    async (rule) => {
      const story = await proposeRow();
      const { ana, bot, model } = story;
      await grant(story, ana, '/approve always');
      await story.configures(`${rule}\n`);
      model.proposes(editRow(15, 150));
      await ana.says('/countersign and row 15');
      expect(await proposalStates(story)).toEqual(['proposed']);
      await ana.replies(bot.proposal(2), '/approve always');
      expect(bot.answers().join('\n')).toContain('ask for other people’s approval too');
    },
  );

  it('R72: stands in runs that its giver started, and nobody grants in another person’s run (S125)', async () => {
    const story = await proposeRow();
    const { ana, ben, bot, model } = story;
    await ben.replies(bot.proposal(1), '/approve always');
    expect(await proposalStates(story)).toEqual(['completed']);
    expect(bot.answers().join('\n')).toContain('another person started this run');
    model.proposes(editRow(7, 70));
    await ana.says('/countersign and row 7');
    model.proposes(editRow(15, 150));
    await ana.replies(bot.proposal(2), '/approve always');
    expect(await proposalStates(story)).toEqual(['completed', 'completed']);
    model.proposes(editRow(20, 200));
    await ben.says('/countersign and row 20');
    expect(await proposalStates(story)).toEqual(['proposed']);
  });

  it('R72: ends with a new base branch', async () => {
    const story = await proposeRow();
    const { ana, pr } = story;
    await grant(story, ana, '/approve always');
    const { repositoryId } = pr;
    const sha = pr.refs()['refs/heads/main'] ?? '';
    const ref = 'refs/heads/release';
    stage().github.apply(OPERATIONS.createGitRef, { actor: ana.person.actor, repositoryId, ref, sha });
    await ana.does((person) => person.retargets('release'));
    expect((await story.stored()).standingApprovals).toEqual([]);
  });

  it('R72: ends by its expiry and when the pull request is closed (S43)', async () => {
    const story = await proposeRow({ settings: 'expiry: 1h\n' });
    const { ana, bot, model } = story;
    await grant(story, ana, '/approve always');
    await stage().later(3_700);
    model.proposes(editRow(15, 150));
    await ana.says('/countersign and row 15');
    expect((await proposalStates(story)).at(-1)).toBe('proposed');
    await ana.replies(bot.proposal(2), '/approve always');
    expect((await story.stored()).standingApprovals.map(({ number }) => number)).toEqual([2]);
    await ana.does((person) => person.closes());
    await ana.does((person) => person.reopens());
    expect((await story.stored()).standingApprovals).toEqual([]);
  });
});

describe('/revoke', () => {
  it('takes one back, whoever gave it, and unknown numbers get the list (S126)', async () => {
    const story = await proposeRow();
    const { ana, ben, carl, bot, model } = story;
    await grant(story, ana, '/approve always src/*.ts');
    await ben.says('/revoke 7');
    expect(bot.answer()).toContain('no standing approval `7` is in force here');
    expect(bot.answer()).toContain(`by \`${ana.login}\``);
    await carl.says('/revoke 1');
    expect((await story.stored()).standingApprovals).toHaveLength(1);
    await ben.says('/revoke 1');
    expect(bot.answer()).toContain(`has ended: \`${ben.login}\` took it back`);
    expect(bot.run().body).not.toContain('Standing approvals in force');
    model.proposes(editRow(15, 150));
    await ana.says('/countersign and row 15');
    expect(await proposalStates(story)).toEqual(['proposed']);
    await ana.says('/revoke');
    expect(bot.answer()).toContain('in this form: `/revoke <n>`');
  });

  it('takes back what it approved and what is not committed yet', async () => {
    const story = await proposeRow();
    const { ana, ben, bot, model, pr } = story;
    await grant(story, ana, '/approve always');
    const { faults } = stage().github;
    faults.add({ kind: 'fail-before-apply', status: 502, route: 'graphql createCommitOnBranch' });
    model.proposes(editRow(15, 150));
    stage().pass(2);
    ana.person.says('/countersign and row 15');
    await expect.poll(() => faults.pending(), { timeout: 20_000 }).toEqual([]);
    ben.person.says('/revoke 1');
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.answers().join('\n')).toContain('took it back');
    await ana.replies(bot.proposal(2), '/approve');
    expect(await proposalStates(story)).toEqual(['completed']);
  });
});

describe('a standing approval and a model that never stops', () => {
  it('end after as many changes in a row as people allow without looking, and /resume goes on (S155, K23)', async () => {
    const files = { 'README.md': 'Sells things.\n', 'src/a.md': 'n0\n' };
    const { ana, bot, configures, model, pr } = await stage().tell({ files });
    await configures('limits: {turns: 3}\n');
    model.proposes(edit('src/a.md', 'n0', 'n1'));
    await ana.says('/countersign count');
    for (let count = 1; count <= 3; count += 1) model.proposes(edit('src/a.md', `n${count}`, `n${count + 1}`));
    await ana.says('/approve always src/*.md');
    expect(pr.commits()).toHaveLength(4);
    expect(bot.answer()).toContain('the run ended because it reached its limit of model responses');
    model.proposes(edit('src/a.md', 'n4', 'n5'));
    await ana.says('/resume');
    expect(pr.file('src/a.md')).toContain('n5');
  });
});
