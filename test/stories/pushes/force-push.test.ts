import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import { edit, move } from '../support/story.ts';

const stage = stageForAll();

describe('a head that is forced away and back', () => {
  it('lets the approved change land once, on the head that it was shown for (B13)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    const shown = pr.head();
    const actor = { accountId: ben.id, viaAppId: null };
    const force = (sha: string): void => {
      const ref = { repositoryId: pr.repositoryId, ref: 'refs/heads/topic', sha, force: true };
      stage().github.apply(OPERATIONS.updateGitRef, { actor, ...ref });
    };
    await ben.pushes({ 'README.md': '# Elsewhere\n' });
    force(shown);
    await stage().settle();
    expect(pr.head()).toBe(shown);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect(pr.commits()[0]?.parent).toBe(shown);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});

describe('a commit that a forced push drops while the App makes one of git objects', () => {
  it.each([
    ['an executable file', edit('run.sh', 'one', 'two'), 'POST /repos/{owner}/{repo}/git/commits'],
    ['an executable file', edit('run.sh', 'one', 'two'), 'graphql updateRefs'],
    ['a moved file', move('run.sh', 'start.sh'), 'graphql updateRefs'],
  ])('stays dropped beside the change of %s, and the change lands once (B1, B13, S95)', async (_, call, moment) => {
    const files = { 'run.sh': 'echo one\n', 'README.md': '# Shop\n' };
    const { pr, ana, ben, bot, model } = await stage().tell({ files, executable: ['run.sh'] });
    const older = pr.head();
    await ben.pushes({ 'token.txt': 'pushed by mistake\n' });
    model.proposes(call);
    await ana.says('/countersign change it');
    let isDropped = false;
    const drop = (name: string): void => {
      if (name !== moment || isDropped) return;
      isDropped = true;
      const ref = { repositoryId: pr.repositoryId, ref: 'refs/heads/topic', sha: older, force: true };
      stage().github.apply(OPERATIONS.updateGitRef, { actor: { accountId: ben.id, viaAppId: null }, ...ref });
    };
    await beforeCalls(stage(), drop, () => ana.replies(bot.proposal(1), '/approve'));
    expect(isDropped).toBe(true);
    expect(pr.bytes('token.txt')).toBeNull();
    expect(pr.commits().map(({ parent }) => parent)).toEqual([older]);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });
});

describe('a merged pull request', () => {
  it('changes proposed before the merge can no longer be approved in any way (G17)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot, model } = story;
    await ben.does((person) => person.merges());
    const merged = pr.refs();
    expect(await proposalStates(story)).toEqual(['cancelled']);
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain('was already cancelled');
    expect(pr.refs()).toEqual(merged);
    expect(model.requests()).toHaveLength(1);
  });
});
