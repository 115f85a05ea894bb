import { describe, expect, it } from 'vitest';
import { uninstallApp } from '../../src/simulator/world/accounts.ts';
import { createComment, deleteComment, editComment } from '../../src/simulator/world/comments.ts';
import { roleOf } from '../../src/simulator/world/lookup.ts';
import { mergePull } from '../../src/simulator/world/merge-pull.ts';
import { closePull, editPull, lockPull, openPull, reopenPull, setDraft } from '../../src/simulator/world/pulls.ts';
import { pushFiles } from '../../src/simulator/world/push-files.ts';
import { reactToComment } from '../../src/simulator/world/reactions.ts';
import { forkRepository, openIssue, setPermission } from '../../src/simulator/world/repositories.ts';
import { createReview } from '../../src/simulator/world/reviews.ts';
import { found, scene } from './scene.ts';

describe('conversations of the simulated GitHub', () => {
  it('B7, B9: tells of comments, of edits with the old text and the editor, and of deletions', () => {
    const stage = scene('Organization');
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    stage.forget();
    const comment = stage.apply(createComment, { ...here, body: 'Run' });
    expect(comment.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    stage.apply(editComment, { ...here, actor: stage.actors.ben, commentId: comment.id, body: '/approve' });
    expect(stage.events[1]?.payload).toMatchObject({
      changes: { body: { from: 'Run' } },
      sender: { login: 'ben' },
      comment: {
        body: '/approve',
        user: { login: 'countersign[bot]' },
        performed_via_github_app: { slug: 'countersign' },
      },
      issue: { pull_request: { merged_at: null } },
      organization: { login: 'ana' },
    });
    expect(
      stage.refusal(editComment, { ...here, actor: stage.actors.eve, commentId: comment.id, body: 'x' }).status,
    ).toBe(403);
    stage.apply(deleteComment, { ...here, commentId: comment.id });
    expect(stage.eventNames()).toEqual(['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted']);
    expect(stage.pull().comments.size).toBe(0);
    expect(stage.problems).toEqual([]);
  });

  it('refuses blank and too long bodies, and all but collaborators in a locked conversation', () => {
    const stage = scene();
    const here = { repositoryId: stage.repositoryId, number: stage.number };
    const eve = { ...here, actor: stage.actors.eve };
    expect(stage.refusal(createComment, { ...eve, body: ' ' }).status).toBe(422);
    expect(stage.refusal(createComment, { ...eve, body: 'x'.repeat(65_537) }).status).toBe(422);
    expect(stage.refusal(lockPull, { ...eve, locked: true }).status).toBe(403);
    stage.apply(lockPull, { ...here, actor: stage.actors.ana, locked: true });
    expect(stage.refusal(createComment, { ...eve, body: 'x' }).status).toBe(403);
    expect(stage.refusal(createReview, { ...eve, body: 'x', event: 'COMMENT' })).toMatchObject({ status: 422 });
    stage.apply(createComment, { ...here, actor: stage.actors.ben, body: 'x' });
    expect(stage.refusal(createComment, { ...eve, number: 99, body: 'x' }).status).toBe(404);
  });

  it('has plain issues, whose comments name no pull request, and one reaction per person and kind', () => {
    const stage = scene();
    const here = { actor: stage.actors.eve, repositoryId: stage.repositoryId };
    const issue = stage.apply(openIssue, { ...here, title: 'Help' });
    expect(issue.number).toBe(stage.number + 1);
    stage.forget();
    const comment = stage.apply(createComment, { ...here, number: issue.number, body: '/countersign' });
    expect(stage.events[0]?.payload['issue']).not.toHaveProperty('pull_request');
    const one = stage.apply(reactToComment, { ...here, commentId: comment.id, content: 'eyes' });
    const two = stage.apply(reactToComment, { ...here, commentId: comment.id, content: 'eyes' });
    expect(two.id).toBe(one.id);
    expect(stage.events.length).toBe(1);
    expect(stage.problems).toEqual([]);
  });

  it('A1, A12: gives everybody reading on a public repository, and roles their permission', () => {
    const stage = scene();
    const accountId = stage.actors.eve.accountId;
    expect(roleOf(stage.repository(), accountId)).toEqual({ permission: 'read', roleName: 'read' });
    const { repositoryId } = stage;
    stage.apply(setPermission, { repositoryId, accountId, permission: 'write', roleName: 'maintain' });
    expect(roleOf(stage.repository(), accountId)).toEqual({ permission: 'write', roleName: 'maintain' });
    expect(roleOf({ ...stage.repository(), private: true, collaborators: new Map() }, accountId).permission).toBe(
      'none',
    );
    expect(roleOf(stage.repository(), stage.actors.ana.accountId).permission).toBe('admin');
  });
});

describe('installations of the simulated GitHub', () => {
  it('I15: tell when an App is removed, once', () => {
    const stage = scene();
    const installationId = found([...stage.world().installations.keys()][0]);
    stage.forget();
    stage.apply(uninstallApp, { installationId });
    expect(stage.events).toMatchObject([
      { name: 'installation', action: 'deleted', payload: { installation: { id: installationId } } },
    ]);
    expect(stage.refusal(uninstallApp, { installationId }).status).toBe(404);
    expect(stage.problems).toEqual([]);
  });
});

describe('pull requests of the simulated GitHub', () => {
  it('B11: tells of every turn of a life, with what changed', () => {
    const stage = scene();
    const here = { actor: stage.actors.ben, repositoryId: stage.repositoryId, number: stage.number };
    stage.apply(pushFiles, { ...here, branch: 'release', files: new Map([['z', 'z']]) });
    stage.forget();
    stage.apply(editPull, { ...here, title: 'New', base: 'release' });
    expect(stage.events[0]?.payload['changes']).toMatchObject({
      title: { from: 'Topic' },
      base: { ref: { from: 'main' } },
    });
    stage.apply(setDraft, { ...here, draft: true });
    stage.apply(setDraft, { ...here, draft: false });
    stage.apply(closePull, here);
    expect(stage.refusal(closePull, here).status).toBe(422);
    const closedHead = stage.pull().head.sha;
    stage.push({ late: 'push' });
    expect(stage.pull().head.sha).toBe(closedHead);
    stage.apply(reopenPull, here);
    expect(stage.pull().head.sha).not.toBe(closedHead);
    expect(stage.refusal(mergePull, { ...here, sha: closedHead }).status).toBe(409);
    stage.apply(mergePull, here);
    expect(stage.eventNames()).toEqual([
      'pull_request.edited',
      'pull_request.converted_to_draft',
      'pull_request.ready_for_review',
      'pull_request.closed',
      'push',
      'pull_request.reopened',
      'pull_request.closed',
      'push',
    ]);
    expect(stage.events[6]?.payload['pull_request']).toMatchObject({
      merged: true,
      state: 'closed',
      merged_by: { login: 'ben' },
    });
    expect(stage.refusal(reopenPull, here).status).toBe(422);
    expect(stage.problems).toEqual([]);
  });

  it('B12, F15: moves two pull requests of one branch, and one whose head is a fork', () => {
    const stage = scene();
    const { repositoryId, actors } = stage;
    stage.apply(pushFiles, { actor: actors.ben, repositoryId, branch: 'release', files: new Map([['z', 'z']]) });
    const second = stage.apply(openPull, {
      actor: actors.ben,
      repositoryId,
      title: 'Two',
      head: 'topic',
      base: 'release',
    });
    stage.forget();
    const sha = stage.push({ both: 'x' });
    expect(stage.eventNames()).toEqual(['push', 'pull_request.synchronize', 'pull_request.synchronize']);
    expect(stage.repository().pulls.get(second.number)?.head.sha).toBe(sha);

    const fork = stage.apply(forkRepository, { repositoryId, ownerId: actors.eve.accountId });
    const fromFork = { actor: actors.eve, repositoryId: fork.id, branch: 'idea', files: new Map([['idea', '1']]) };
    stage.apply(pushFiles, fromFork);
    const head = { repositoryId: fork.id, branch: 'idea' };
    const pull = stage.apply(openPull, { actor: actors.eve, repositoryId, title: 'Idea', head });
    stage.forget();
    stage.apply(pushFiles, { ...fromFork, files: new Map([['idea', '2']]) });
    expect(stage.events.map(({ name, repositoryId: at }) => [name, at])).toEqual([
      ['push', fork.id],
      ['pull_request', repositoryId],
    ]);
    expect(found(stage.events[1]).payload).toMatchObject({
      number: pull.number,
      pull_request: { head: { label: 'eve:idea', repo: { fork: true } } },
    });
    const same = { actor: actors.eve, repositoryId, title: 'None', head: 'main' };
    expect(stage.refusal(openPull, same).status).toBe(422);
    expect(stage.problems).toEqual([]);
  });
});
