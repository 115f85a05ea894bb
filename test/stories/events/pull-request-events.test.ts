import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** The installation with access to the story's repository. */
function installationOf({ pr }: Story): number {
  const { ownerId } = pr.repository();
  const found = [...stage().github.state().installations.values()].find(({ accountId }) => accountId === ownerId);
  return found?.id ?? 0;
}

/** The requests that an action causes. */
async function requestsOf(story: Pick<Story, 'pr'>, action: () => unknown): Promise<readonly string[]> {
  const before = stage().github.requests.length;
  action();
  await stage().settle();
  return namesOf(requestsSince(stage(), story, before));
}

/** The stored end of the run, because the App could not comment on GitHub. */
async function endOfRun(story: Story): Promise<unknown> {
  return (await story.stored()).run?.phase;
}

/** Whether the store has an active run of the pull request. */
async function hasActiveRun({ pr }: Story, installationId: number): Promise<boolean> {
  const key = `${installationId}/${pr.repositoryId}/${pr.number}`;
  const { run } = await stage().store().load(key, { ids: [], commentId: null });
  return run !== null && run.phase.kind !== 'ended';
}

describe('the base branch changes', () => {
  it('pending changes are withdrawn with the new base’s name, the model learns of it, and the run continues (B11, S90b)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot, model, pr } = story;
    stage().github.apply(OPERATIONS.createGitRef, {
      actor: ben.person.actor,
      repositoryId: pr.repositoryId,
      ref: 'refs/heads/release',
      sha: pr.refs()['refs/heads/main'] ?? '',
    });
    await ben.does((person) => person.retargets('release'));
    expect(await proposalStates(story)).toEqual(['superseded', 'superseded']);
    expect(bot.proposal(1).body).toContain('The pull request now targets release.');
    expect(model.toolMessages()[0]).toMatch(/^Withdrawn: the pull request now targets release, not main/);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('was already withdrawn');
  });

  it('an approval commits nothing for another base, even if the webhook of the change was lost (B11, S90b)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot, model, pr } = story;
    const main = pr.refs()['refs/heads/main'] ?? '';
    const release = { actor: ben.person.actor, repositoryId: pr.repositoryId, ref: 'refs/heads/release', sha: main };
    stage().github.apply(OPERATIONS.createGitRef, release);
    stage().github.deliveries.intercept(({ action }) => (action === 'edited' ? 'drop' : 'send'));
    await ben.does((person) => person.retargets('release'));
    stage().github.deliveries.intercept(undefined);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['superseded', 'superseded']);
    expect(bot.proposal(1).body).toContain('The pull request now targets release.');
    expect(model.toolMessages()[0]).toMatch(/^Withdrawn: the pull request now targets release, not main/);
  });

  it.each(['topic', 'main'])(
    'deleting the branch %s closes it, and pending changes are cancelled (S90b, S51)',
    async (branch) => {
      const story = await propose(stage(), BIGINT, EXACTLY);
      const { ben, bot } = story;
      await ben.does((person) => person.deletesBranch(branch));
      expect(await proposalStates(story)).toEqual(['cancelled', 'cancelled']);
      expect(bot.answer()).toContain('because the pull request was closed');
    },
  );
});

describe('the App loses access', () => {
  it('an uninstall ends the run at once without GitHub requests, and a new installation resumes nothing (S90b, F16)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot, model, pr } = story;
    const installationId = installationOf(story);
    const { accountId } = stage().github.state().installations.get(installationId) ?? { accountId: 0 };
    await ana.says('/countersign and then something else');
    const asked = await requestsOf(story, () => stage().github.apply(OPERATIONS.uninstallApp, { installationId }));
    expect(asked).toEqual([]);
    const before = model.requests().length;
    stage().github.apply(OPERATIONS.installApp, { appId: stage().github.app.id, accountId });
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain('this installation of Countersign does not know this change');
    expect(pr.commits()).toEqual([]);
    expect(model.requests()).toHaveLength(before);
    model.proposes(EXACTLY);
    await ana.says('/countersign be exact');
    expect(model.requests().length).toBe(before + 1);
  });

  it('insufficient permissions end the run; additional ones change nothing (F16)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const installationId = installationOf(story);
    const permissions = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
    const accept = (more: object) =>
      stage().github.apply(OPERATIONS.acceptPermissions, { installationId, permissions: { ...permissions, ...more } });
    await requestsOf(story, () => accept({ issues: 'write' }));
    expect(await endOfRun(story)).toMatchObject({ kind: 'awaiting-decisions' });
    expect(await requestsOf(story, () => accept({ contents: 'read' }))).toEqual([]);
    expect(await endOfRun(story)).toMatchObject({ kind: 'ended', reason: 'access-lost', note: 'permissions' });
  });

  it('the response of a model request in progress changes nothing and causes no further request (F16)', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    model.says({ calls: [BIGINT], sendAfter });
    stage().pass(2);
    const { id: task } = ana.person.says('/countersign use bigint');
    await expect.poll(() => model.requests().length, { interval: 5 }).toBe(1);
    await expect.poll(() => bot.comments().length, { interval: 5 }).toBe(1);
    await expect.poll(() => bot.reactionsOn(task), { interval: 5 }).toEqual(['eyes']);
    const installationId = installationOf(story);
    const before = stage().github.requests.length;
    stage().github.apply(OPERATIONS.uninstallApp, { installationId });
    await expect.poll(() => hasActiveRun(story, installationId), { interval: 5 }).toBe(false);
    answers();
    await stage().settle();
    expect(namesOf(requestsSince(stage(), story, before))).toEqual([]);
    expect(model.requests()).toHaveLength(1);
    expect(bot.proposals()).toEqual([]);
  });
});
