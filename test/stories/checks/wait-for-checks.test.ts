import { beforeEach, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { parseJson } from '../../../src/lib/trust.ts';
import { type Ci, ciOf } from '../support/ci.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll({ showsWaiting: true, waitsForChecks: true });

const LINE = '    total += price;';

let story: Story;

let ci: Ci;

beforeEach(async () => {
  story = await stage().tell();
  ci = ciOf(stage(), story);
});

/** The run has made its one commit and has nothing more to say. */
async function commitsOnce(number = 'Number(price)'): Promise<void> {
  story.model.proposes(edit('src/total.ts', LINE, `    total += ${number};`));
  await story.ana.says('/countersign count numbers');
  await story.ana.says('/approve');
}

const phase = async () => (await story.stored()).run?.phase.kind;

/** What the model was told last. */
const lastTold = () => story.model.lastMessages().findLast(({ role }) => role === 'user')?.content ?? '';

it('(CK3, CK4, CK24) waits until all checks have passed, its one closing comment says so, and it asks GitHub six times', async () => {
  await commitsOnce();
  const before = stage().github.requests.length;
  expect(await phase()).toBe('awaiting-checks');
  expect(story.bot.run().body).toContain(`Applied in ${story.pr.head().slice(0, 7)}. Waiting for its checks.`);
  const asked = story.model.requests().length;
  for (const name of ['build', 'lint']) await ci.begins(name);
  await ci.reports('ci/old', 'pending');
  await ci.opensEmptySuite();
  await stage().later(61);
  expect(story.bot.run().body).toContain('Waiting for 3 checks.');
  await ci.ends('lint', 'skipped');
  await ci.ends('build', 'success');
  expect(await phase()).toBe('awaiting-checks');
  const answers = story.bot.answers().length;
  await ci.reports('ci/old', 'success');
  expect(await phase()).toBe('ended');
  expect(story.bot.answers()).toHaveLength(answers + 1);
  expect(story.bot.answer()).toContain(`1 change applied in ${story.pr.head().slice(0, 7)}; all 3 checks passed.`);
  expect(story.model.requests()).toHaveLength(asked);
  expect(requestsSince(stage(), story, before).length).toBeLessThanOrEqual(6);
});

it('(CK5) gives a failure to the model once nothing runs any more, and not only after a minute', async () => {
  await commitsOnce();
  await ci.begins('slow');
  await ci.ends('build', 'failure');
  expect(await phase()).toBe('awaiting-checks');
  story.model.proposes(edit('src/total.ts', 'Number(price)', 'parseFloat(price)'));
  await ci.reports('ci/old', 'failure');
  await stage().later(10);
  expect(await phase()).toBe('awaiting-checks');
  await ci.ends('slow', 'failure');
  expect(lastTold()).toContain('build');
  expect(lastTold()).toContain('ci/old');
  expect(await phase()).toBe('awaiting-decisions');
});

it('(CK5) waits for slower checks too where a quick one fails before they begin', async () => {
  await commitsOnce();
  await ci.reports('sign-off', 'failure');
  await ci.begins('build');
  await stage().later(10);
  expect(await phase()).toBe('awaiting-checks');
  await ci.ends('build', 'failure');
  expect(lastTold()).toContain('2 of 2 failed');
});

it('(CK24) asks GitHub no more for each of many failures, before its first look and after it', async () => {
  await commitsOnce();
  await ci.begins('slow');
  const before = stage().github.requests.length;
  const fail = async (): Promise<void> => {
    for (let number = 1; number <= 8; number += 1) await ci.reports(`ci/${number}`, 'failure');
  };
  await fail();
  await stage().later(10);
  await fail();
  await stage().later(61);
  await fail();
  await ci.ends('slow', 'failure');
  expect(lastTold()).toContain('9 of 9 failed');
  const looks = namesOf(requestsSince(stage(), story, before)).filter((name) => name === 'graphql pullChecks');
  expect(looks).toHaveLength(3);
});

it('(CK9) a server of GitHub that is behind the branch right after the commit ends no wait', async () => {
  await commitsOnce();
  const [commit] = story.pr.commits();
  const alter = (body: unknown) => parseJson(JSON.stringify(body).replaceAll(story.pr.head(), commit?.parent ?? ''));
  stage().github.faults.add({ route: 'graphql pullChecks', kind: 'alter-response', alter });
  await ci.reports('quick', 'failure');
  await stage().later(10);
  expect(await phase()).toBe('awaiting-checks');
  await stage().later(51);
  expect(lastTold()).toContain('quick');
});

it('(CK9) what is reported while GitHub is asked is asked about again a minute later', async () => {
  await commitsOnce();
  await ci.begins('build');
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const before = stage().github.requests.length;
  stage().github.faults.add({ route: 'graphql pullChecks', kind: 'delay', until });
  const looking = stage().later(61);
  await vi.waitFor(() => expect(stage().github.requests.length).toBeGreaterThan(before));
  const ending = ci.ends('build', 'success');
  await stage().github.whenIdle();
  release();
  await Promise.all([looking, ending]);
  expect(await phase()).toBe('awaiting-checks');
  await stage().later(61);
  expect(await phase()).toBe('ended');
});

it('(CK4) ends as before where no check begins within a minute, also beside suites that stay empty', async () => {
  await commitsOnce();
  await ci.opensEmptySuite();
  await stage().later(61);
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain(`1 change applied in ${story.pr.head().slice(0, 7)}.`);
});

it('(CK5) gives failed checks to the model, which proposes a fix that people approve, and then all pass', async () => {
  await commitsOnce();
  const log =
    '2026-01-05T09:00:00.1234567Z \u001B[31mexpected 3, got 4\u001B[0m\r\n2026-01-05T09:00:01Z Error: exit 1\n';
  const place = { path: 'src/total.ts', startLine: 4, endLine: 4, level: 'failure', title: null } as const;
  story.model.proposes(edit('src/total.ts', '    total += Number(price);', '    total += +price;'));
  await ci.ends('lint', 'success');
  await ci.ends('build', 'failure', { log, annotations: [{ ...place, message: 'total is wrong' }] });
  await stage().later(61);
  expect(lastTold()).toContain('1 of 2 failed');
  expect(lastTold()).toContain('{"path":"src/total.ts","line":4,"message":"total is wrong"}');
  expect(lastTold()).toContain('| expected 3, got 4\n| Error: exit 1');
  expect(await phase()).toBe('awaiting-decisions');
  await story.ana.says('/approve');
  expect(await phase()).toBe('awaiting-checks');
  for (const name of ['build', 'lint']) await ci.ends(name, 'success');
  await stage().later(61);
  expect(story.bot.answer()).toContain('2 changes applied');
  expect(story.bot.answer()).toContain('all 2 checks passed');
});

it('(CK5, CK24) asks GitHub six times until a failure is told, which is told once, and twice more to close the run', async () => {
  await commitsOnce();
  const before = stage().github.requests.length;
  for (const name of ['build', 'lint']) await ci.begins(name);
  await stage().later(61);
  story.model.says({ content: 'The runner was too slow; nothing to fix here.' });
  await ci.ends('lint', 'success');
  await ci.ends('build', 'timed_out', { log: 'Error: exit 1\n' });
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain('nothing to fix here');
  const names = namesOf(requestsSince(stage(), story, before));
  const [look, runComment] = ['graphql pullChecks', 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}'];
  const told = ['graphql checkDetails', 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', expect.any(String)];
  expect(names.slice(0, 6)).toEqual([look, runComment, look, ...told]);
  // The closing comment and the run comment come after the model's round.
  expect(names.slice(6).toSorted()).toEqual([runComment, 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments']);
});

it('(CK5) tells the model three times in a row; then the run ends and says so', async () => {
  await commitsOnce('1');
  for (const round of [1, 2, 3, 4]) {
    if (round < 4) story.model.proposes(edit('src/total.ts', `    total += ${round};`, `    total += ${round + 1};`));
    await ci.ends('build', 'failure');
    await stage().later(61);
    if (round < 4) await story.ana.says('/approve');
  }
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain('1 check failed, after 3 rounds without a person’s word (build)');
  expect(story.pr.commits()).toHaveLength(4);
});

it('(CK5) a person’s instruction renews the three rounds', async () => {
  await commitsOnce('1');
  for (const round of [1, 2]) {
    story.model.proposes(edit('src/total.ts', `    total += ${round};`, `    total += ${round + 1};`));
    await ci.ends('build', 'failure');
    await stage().later(61);
    await story.ana.says('/approve');
  }
  story.model.proposes(edit('src/total.ts', '    total += 3;', '    total += 4;'));
  await story.ana.says('@countersign try four');
  await story.ana.says('/approve');
  expect((await story.stored()).run?.branch.checks?.rounds).toBe(0);
});

it('(CK6) a check that failed before the run starts no round', async () => {
  await ci.ends('legacy', 'failure');
  await commitsOnce();
  await ci.ends('legacy', 'failure');
  await ci.ends('build', 'success');
  const asked = story.model.requests().length;
  await stage().later(61);
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain('1 check passed, legacy failed before this run too');
  expect(story.model.requests()).toHaveLength(asked);
});

it('(CK6) beside a new failure an old one is marked', async () => {
  await ci.ends('legacy', 'failure');
  await commitsOnce();
  await ci.ends('legacy', 'failure');
  await ci.ends('build', 'failure');
  await stage().later(61);
  expect(lastTold()).toMatch(/"name":"legacy","state":"failed","conclusion":"failure","failed_before":true/);
  expect(lastTold()).toMatch(/"name":"build","state":"failed","conclusion":"failure","url"/);
});

it('(CK9) a red job that a person runs again before the others have ended counts as it ends', async () => {
  await commitsOnce();
  await ci.begins('slow');
  await ci.ends('flaky', 'failure');
  await stage().later(61);
  await ci.ends('flaky', 'success');
  await ci.ends('slow', 'success');
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain('all 2 checks passed');
});

it('(CK9) without any event the last look ends the wait, also for a check that never ends', async () => {
  await commitsOnce();
  stage().github.deliveries.intercept(() => 'drop');
  await ci.begins('build');
  await stage().later(61);
  await ci.ends('build', 'success');
  expect(await phase()).toBe('awaiting-checks');
  await ci.begins('endless');
  await stage().later(30 * 60);
  stage().github.deliveries.intercept(undefined);
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain('1 check had not completed in time (endless)');
});

it('(CK9, O3) looks once where only the delivery log tells that its checks have completed', async () => {
  await commitsOnce();
  for (const name of ['build', 'lint']) await ci.begins(name);
  await stage().later(61);
  stage().github.deliveries.intercept(() => 'drop');
  for (const name of ['build', 'lint']) await ci.ends(name, 'success');
  const before = stage().github.requests.length;
  await stage().later(5 * 60);
  stage().github.deliveries.intercept(undefined);
  expect(await phase()).toBe('ended');
  const looks = namesOf(requestsSince(stage(), story, before)).filter((name) => name === 'graphql pullChecks');
  expect(looks).toHaveLength(1);
});

it('(CK9) an event that comes twice or for another commit asks nobody', async () => {
  await commitsOnce();
  const [first] = story.pr.commits();
  await ci.reports('a', 'pending');
  await ci.reports('b', 'pending');
  await stage().later(61);
  const before = stage().github.requests.length;
  stage().github.deliveries.intercept(() => 'duplicate');
  await ci.reports('a', 'success');
  await ci.reports('c', 'success', first?.parent);
  stage().github.deliveries.intercept(undefined);
  expect(requestsSince(stage(), story, before)).toEqual([]);
  await ci.reports('b', 'success');
  expect(await phase()).toBe('ended');
});

it('(CK8) a job that waits for somebody’s approval is named and not waited for', async () => {
  await commitsOnce();
  await ci.ends('deploy', 'action_required');
  await ci.ends('build', 'success');
  await stage().later(61);
  expect(story.bot.answer()).toContain('1 check passed, deploy waits for approval');
});

it('(CK7) after a push by somebody else it waits for the new head', async () => {
  await commitsOnce();
  await story.ben.pushes({ 'docs.md': 'More.\n' });
  await ci.ends('build', 'success');
  await stage().later(61);
  expect(await phase()).toBe('ended');
  expect(story.bot.answer()).toContain('its check passed');
});

it('(CK7) where a push removed its commit, the wait ends with a line', async () => {
  await commitsOnce();
  const [first] = story.pr.commits();
  const sha = story.pr.head();
  await story.ben.does(({ actor }) => {
    const ref = { actor, repositoryId: story.pr.repositoryId, ref: 'refs/heads/topic' };
    stage().github.apply(OPERATIONS.updateGitRef, { ...ref, sha: first?.parent ?? '', force: true });
  });
  await stage().later(61);
  expect(story.bot.answer()).toContain(
    `the branch no longer has \`${sha.slice(0, 7)}\`, so its checks are not waited for`,
  );
});

it.each([
  ['/stop', 'was stopped by'],
  ['/continue', 'the run finished'],
])('(CK7) %s ends the wait', async (command, text) => {
  await commitsOnce();
  await story.ana.says(command);
  expect(await phase()).toBe('ended');
  expect(story.bot.answers().join('\n')).toContain(text);
});

it('(CK3) a new task ends the wait and starts at once', async () => {
  await commitsOnce();
  await story.ben.says('/countersign explain it');
  const { run, queue } = await story.stored();
  expect([run?.task.text, run?.phase.kind, queue]).toEqual(['explain it', 'ended', []]);
});

it('(CK3) a person’s word ends the wait, and the model reads it at once', async () => {
  await commitsOnce();
  story.model.says({ content: 'Because prices are strings.' });
  await story.ana.says('@countersign why Number?');
  expect(lastTold()).toContain('why Number?');
});

it('(CK3) with `wait_for_checks: off` a run ends as before', async () => {
  await story.configures('wait_for_checks: off\n');
  await commitsOnce();
  expect(await phase()).toBe('ended');
});
