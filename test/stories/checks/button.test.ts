import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { createPerson } from '../../../fakes/people/person.ts';
import { buttonIdentifier } from '../../../src/core/policy/waiting.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { buttonsOf, checkRun, checkRuns, press } from '../support/check-runs.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { edit, write } from '../support/story.ts';

const stage = stageForAll({ showsWaiting: true });

describe('CK21: the check run of the pending changes', () => {
  it('shows every pending change whole and in the order of its page, and has both buttons (CK12, CK13, CK19)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { bot, pr, ana } = story;
    const run = checkRun(stage(), story);
    expect(run).toMatchObject({ name: 'Countersign', headSha: pr.head(), status: 'completed', conclusion: 'neutral' });
    expect(run.output.title).toBe('2 changes wait for a decision');
    expect(buttonsOf(run)).toEqual(['Approve all', 'Deny all']);
    const text = run.output.text ?? '';
    expect(text).toContain('-  let total = 0;\n+  let total = 0n;');
    expect(text).toContain('+Sells things, exactly.');
    const [first, second] = [bot.proposal(1), bot.proposal(2)];
    expect(text.indexOf('1 of 2 · ')).toBeLessThan(text.indexOf('2 of 2 · '));
    expect(text.indexOf(first.proposalId)).toBeLessThan(text.indexOf(second.proposalId));
    await ana.says('/status');
    expect(bot.answer()).toMatch(new RegExp(`1 of 2.*${first.proposalId}[^]*2 of 2.*${second.proposalId}`));
  });

  it('approves exactly its list and commits once (CK14)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { pr, ben } = story;
    const run = checkRun(stage(), story);
    await press(stage(), story, ben, 'Approve all');
    expect(await proposalStates(story)).toEqual(['completed', 'completed']);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.commits()[0]?.message).toContain(`Approved-by: ${ben.login}`);
    const { votes } = (await story.stored()).proposals[0] ?? { votes: [] };
    expect(votes).toMatchObject([{ surface: 'check', commentId: run.id, list: run.externalId.split(':')[1] }]);
    expect(checkRuns(stage(), story)).toHaveLength(1);
    expect(checkRun(stage(), story)).toMatchObject({ id: run.id, conclusion: 'neutral', actions: [] });
  });

  it('denies its list, and then says that nothing waits (CK12)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    await press(stage(), story, story.ana, 'Deny all');
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected']);
    expect(story.pr.commits()).toEqual([]);
    expect(checkRun(stage(), story)).toMatchObject({ conclusion: 'success', actions: [] });
  });

  it('counts a second press as nothing', async () => {
    const story = await propose(stage(), BIGINT);
    const run = checkRun(stage(), story);
    await press(stage(), story, story.ana, 'Approve all');
    await press(stage(), story, story.ana, 'Approve all', run);
    await press(stage(), story, story.ana, 'Deny all', run);
    expect(await proposalStates(story)).toEqual(['completed']);
    expect(story.pr.commits()).toHaveLength(1);
    expect(story.bot.answer()).toContain('your button decided nothing');
  });

  it('decides nothing for a stranger and a reader; the author may deny', async () => {
    const story = await propose(stage(), BIGINT);
    const { stranger, carl, bot } = story;
    await press(stage(), story, stranger, 'Approve all');
    await press(stage(), story, stranger, 'Deny all');
    expect(bot.answer()).toContain('needs write access to this repository');
    await press(stage(), story, carl, 'Approve all');
    expect(await proposalStates(story)).toEqual(['proposed']);
    await press(stage(), story, carl, 'Deny all');
    expect(await proposalStates(story)).toEqual(['rejected']);
  });

  it('decides nothing for a bot, also one with write access, and does not answer it', async () => {
    const story = await propose(stage(), BIGINT);
    const { pr, bot } = story;
    const { ownerId } = pr.repository();
    const helper = { slug: 'helper', ownerId, permissions: { checks: 'write' }, events: [] } as const;
    const { botId: accountId } = stage().github.apply(OPERATIONS.addApp, helper);
    const place = { accountId, repositoryId: pr.repositoryId, number: pr.number };
    stage().github.apply(OPERATIONS.setPermission, { ...place, permission: 'admin' });
    const answers = bot.answers().length;
    const run = checkRun(stage(), story);
    for (const { identifier } of run.actions)
      createPerson(stage().github.apply, { ...place, branch: 'topic' }).presses(run.id, identifier);
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(bot.answers()).toHaveLength(answers);
  });

  it('has none for a fork, where the identifier that one would have decides nothing', async () => {
    const story = await stage().tell({ fork: true });
    story.model.proposes(BIGINT);
    await story.ana.says('/countersign use bigint');
    const run = checkRun(stage(), story);
    expect(buttonsOf(run)).toEqual([]);
    const identifier = buttonIdentifier('approve', run.externalId.split(':')[1] ?? '');
    await story.ana.does((person) => person.presses(run.id, identifier));
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(story.bot.answer()).toContain('your button decided nothing');
  });

  it('denies what another person has approved with the same list, until the attempt to commit has begun', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ben, pr } = story;
    const run = checkRun(stage(), story);
    const [, denial] = run.actions;
    let isDenied = false;
    await beforeCalls(
      stage(),
      (call) => {
        if (isDenied || !call.endsWith('/permission')) return;
        isDenied = true;
        ben.person.presses(run.id, denial?.identifier ?? '');
      },
      () => press(stage(), story, story.ana, 'Approve all'),
    );
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected']);
    expect(pr.commits()).toEqual([]);
  });

  it('approves nothing once the settings say that there are no buttons, and is taken away', async () => {
    const story = await propose(stage(), BIGINT);
    await story.configures('check_run: off\n');
    await press(stage(), story, story.ana, 'Approve all');
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(story.bot.answer()).toContain('`check_run: off`');
    expect(checkRuns(stage(), story)).toMatchObject([{ actions: [] }]);
  });

  it('names the pull request: another one with the same commit shows it too', async () => {
    const story = await propose(stage(), BIGINT);
    const other = await story.alsoTo('release');
    other.model.proposes(EXACTLY);
    await other.ana.says('/countersign say exactly');
    const runs = checkRuns(stage(), story);
    expect(new Set(runs.map(({ headSha }) => headSha)).size).toBe(1);
    expect(runs.map(({ output }) => /\[#\d+\]/.exec(output.summary ?? '')?.[0])).toEqual(['[#1]', '[#2]']);
    const [first] = runs;
    if (first !== undefined) await press(stage(), other, other.ana, 'Approve all', first);
    expect(await proposalStates(other)).toEqual(['proposed']);
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('decides nothing once the list has changed, and shows the new one (CK13, CK14)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot } = story;
    const old = checkRun(stage(), story);
    await ben.says(`/deny ${bot.proposal(2).proposalId}`);
    expect(checkRuns(stage(), story)).toMatchObject([
      { id: old.id, actions: [], conclusion: 'neutral' },
      { output: { title: '1 change waits for a decision' } },
    ]);
    await press(stage(), story, ana, 'Approve all', old);
    expect(await proposalStates(story)).toEqual(['proposed', 'rejected']);
    expect(bot.answer()).toContain(`\`${ana.login}\`: your button decided nothing`);
    await press(stage(), story, ana, 'Approve all');
    expect(await proposalStates(story)).toEqual(['completed', 'rejected']);
  });

  it('takes no identifier of the current list on an older run, and none of another pull request', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const other = await propose(stage(), BIGINT);
    const { ana, ben, bot } = story;
    const old = checkRun(stage(), story);
    await ben.says(`/deny ${bot.proposal(2).proposalId}`);
    const [button] = checkRun(stage(), story).actions;
    await ana.does((person) => person.presses(old.id, button?.identifier ?? ''));
    await other.ana.does((person) => person.presses(checkRun(stage(), other).id, button?.identifier ?? ''));
    expect(await proposalStates(story)).toEqual(['proposed', 'rejected']);
    expect(await proposalStates(other)).toEqual(['proposed']);
  });

  it('moves to a new head, where the old buttons decide nothing (CK12)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, pr } = story;
    const old = checkRun(stage(), story);
    await ben.pushes({ 'docs/new.md': 'new\n' });
    expect(checkRun(stage(), story)).toMatchObject({ headSha: pr.head(), actions: [{}, {}] });
    expect(checkRuns(stage(), story)[0]).toMatchObject({ conclusion: 'neutral', actions: [] });
    await press(stage(), story, ana, 'Approve all', old);
    expect(await proposalStates(story)).toEqual(['proposed']);
    await press(stage(), story, ana, 'Approve all');
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('counts two people at once as one approval of each, and commits once', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, pr } = story;
    const run = checkRun(stage(), story);
    const [button] = run.actions;
    stage().pass(60);
    ben.person.presses(run.id, button?.identifier ?? '');
    await ana.does((person) => person.presses(run.id, button?.identifier ?? ''));
    expect(await proposalStates(story)).toEqual(['completed', 'completed']);
    expect(pr.commits()).toHaveLength(1);
  });

  it('does not cover what took the place of another change right before (R73)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, model, pr } = story;
    stage().pass(60);
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0x0;\n'));
    await ben.replies(bot.proposal(1), 'say zero in hexadecimal');
    const run = checkRun(stage(), story);
    await ana.does((person) => person.presses(run.id, run.actions[0]?.identifier ?? ''));
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('Your button doesn’t cover these changes');
    await press(stage(), story, ana, 'Approve all');
    expect(pr.file('src/total.ts')).toContain('0x0');
  });

  it('judges the person again at the commit (CK15)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot, pr } = story;
    let isAsked = false;
    await beforeCalls(
      stage(),
      (call) => {
        // The first look at the permission belongs to the press, the second one to the commit.
        if (call === 'graphql pull' && isAsked) story.grants(ana, 'read');
        if (call.endsWith('/permission')) isAsked = true;
      },
      () => press(stage(), story, ana, 'Approve all'),
    );
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(ana.login);
  });

  it.each([
    ['several approvals', 'required_approvals: 2\n'],
    ['another person', 'require_non_requester: true\n'],
  ])('has no button where the rules ask for %s', async (_what, settings) => {
    const story = await stage().tell({ files: { 'src/total.ts': '  let total = 0;\n', 'README.md': '# Shop\n' } });
    await story.configures(settings);
    story.model.proposes(BIGINT);
    await story.ana.says('/countersign use bigint');
    expect(buttonsOf(checkRun(stage(), story))).toEqual([]);
    expect(checkRun(stage(), story).output.summary).toContain('There are no buttons here');
  });

  it('has no button where the text cannot hold every diff, and stays below GitHub’s limit (CK14)', async () => {
    const long = (name: string) => write(name, `${'a line of text\n'.repeat(2_000)}`);
    const story = await propose(stage(), long('one.txt'), long('two.txt'), long('three.txt'));
    const run = checkRun(stage(), story);
    expect(buttonsOf(run)).toEqual([]);
    expect(run.output.text?.length).toBeLessThanOrEqual(65_535);
    expect(run.output.text).toContain('Only on their own pages:');
  });
});

describe('check_run', () => {
  it('required: asks for action while something waits, and gives every head a run (CK12)', async () => {
    const story = await stage().tell({});
    const { ana, ben, model, pr } = story;
    await story.configures('check_run: required\n');
    await ben.pushes({ 'docs/new.md': 'new\n' });
    expect(checkRun(stage(), story)).toMatchObject({ headSha: pr.head(), conclusion: 'success', actions: [] });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(checkRun(stage(), story)).toMatchObject({ headSha: pr.head(), conclusion: 'action_required' });
    await press(stage(), story, ana, 'Approve all');
    expect(checkRun(stage(), story)).toMatchObject({ headSha: pr.head(), conclusion: 'success' });
  });

  it('required: answers a merge queue (CK16)', async () => {
    const story = await stage().tell({});
    const { ana, ben, model } = story;
    await story.configures('check_run: required\n');
    const sha = await ben.does((person) => person.queues());
    expect(checkRun(stage(), story)).toMatchObject({ headSha: sha, conclusion: 'success' });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    const later = await ben.does((person) => person.queues());
    expect(checkRun(stage(), story)).toMatchObject({ headSha: later, conclusion: 'action_required', actions: [] });
  });

  it('required: gives an opened pull request a run', async () => {
    const story = await stage().tell({});
    await story.configures('check_run: required\n');
    await story.ben.does((person) => person.closes());
    await story.ben.does((person) => person.reopens());
    expect(checkRun(stage(), story)).toMatchObject({ headSha: story.pr.head(), conclusion: 'success' });
  });

  it('required: holds up a commit until nothing waits on any of its pull requests (CK12)', async () => {
    const story = await stage().tell({});
    await story.configures('check_run: required\n');
    story.model.proposes(BIGINT);
    await story.ana.says('/countersign use bigint');
    const second = await story.alsoTo('release');
    expect(checkRun(stage(), story).conclusion).toBe('action_required');
    second.model.proposes(EXACTLY);
    await second.ana.says('/countersign be exact');
    await second.ana.says('/deny all');
    expect(checkRun(stage(), story)).toMatchObject({ conclusion: 'action_required', actions: [] });
    await story.ana.says('/deny all');
    expect(checkRun(stage(), story).conclusion).toBe('success');
  });

  it('off: makes none', async () => {
    const story = await stage().tell({});
    await story.configures('check_run: off\n');
    story.model.proposes(BIGINT);
    await story.ana.says('/countersign use bigint');
    expect(checkRuns(stage(), story)).toEqual([]);
  });
});
