import { describe, expect, it } from 'vitest';
import { uninstallApp } from '../../../../fakes/github/operations/accounts.ts';
import {
  createIssueComment,
  deleteIssueComment,
  editIssueComment,
  reactToIssueComment,
} from '../../../../fakes/github/operations/comments.ts';
import { pushFiles } from '../../../../fakes/github/operations/git-data.ts';
import {
  closePullRequest,
  createPullRequest,
  editPullRequest,
  lockPullRequest,
  mergePullRequest,
  reopenPullRequest,
  setPullRequestDraft,
} from '../../../../fakes/github/operations/pull-requests.ts';
import { forkRepository, openIssue, setPermission } from '../../../../fakes/github/operations/repositories.ts';
import { createPullRequestReview } from '../../../../fakes/github/operations/reviews.ts';
import { collaboratorRoleOf } from '../../../../fakes/github/state/lookup.ts';
import { found, scene } from '../scene.ts';

describe('conversations', () => {
  it('sends webhooks for comments, edits with the old text and the editor, and deletions (B7, B9)', () => {
    const stage = scene('Organization');
    const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
    stage.forget();
    const comment = stage.apply(createIssueComment, { ...here, body: 'Run' });
    expect(comment.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    stage.apply(editIssueComment, { ...here, actor: stage.actors.ben, commentId: comment.id, body: '/approve' });
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
      stage.refusal(editIssueComment, { ...here, actor: stage.actors.eve, commentId: comment.id, body: 'x' }).status,
    ).toBe(403);
    stage.apply(deleteIssueComment, { ...here, commentId: comment.id });
    expect(stage.eventNames()).toEqual(['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted']);
    expect(stage.pull().comments.size).toBe(0);
    expect(stage.problems).toEqual([]);
  });

  it('refuses blank and too long bodies, and lets only collaborators write in a locked conversation', () => {
    const stage = scene();
    const here = { repositoryId: stage.repositoryId, number: stage.number };
    const eve = { ...here, actor: stage.actors.eve };
    expect(stage.refusal(createIssueComment, { ...eve, body: ' ' }).status).toBe(422);
    expect(stage.refusal(createIssueComment, { ...eve, body: 'x'.repeat(65_537) }).status).toBe(422);
    expect(stage.refusal(lockPullRequest, { ...eve, locked: true }).status).toBe(403);
    stage.apply(lockPullRequest, { ...here, actor: stage.actors.ana, locked: true });
    expect(stage.refusal(createIssueComment, { ...eve, body: 'x' }).status).toBe(403);
    expect(stage.refusal(createPullRequestReview, { ...eve, body: 'x', event: 'COMMENT' })).toMatchObject({
      status: 422,
    });
    stage.apply(createIssueComment, { ...here, actor: stage.actors.ben, body: 'x' });
    expect(stage.refusal(createIssueComment, { ...eve, number: 99, body: 'x' }).status).toBe(404);
  });

  it('has issues without a pull request, and one reaction of each kind per person', () => {
    const stage = scene();
    const here = { actor: stage.actors.eve, repositoryId: stage.repositoryId };
    const issue = stage.apply(openIssue, { ...here, title: 'Help' });
    expect(issue.number).toBe(stage.number + 1);
    stage.forget();
    const comment = stage.apply(createIssueComment, { ...here, number: issue.number, body: '/countersign' });
    expect(stage.events[0]?.payload['issue']).not.toHaveProperty('pull_request');
    const one = stage.apply(reactToIssueComment, { ...here, commentId: comment.id, content: 'eyes' });
    const two = stage.apply(reactToIssueComment, { ...here, commentId: comment.id, content: 'eyes' });
    expect(two.id).toBe(one.id);
    expect(stage.events.length).toBe(1);
    expect(stage.problems).toEqual([]);
  });

  it('gives every account read access to a public repository, and roles their permission (A1, A12)', () => {
    const stage = scene();
    const accountId = stage.actors.eve.accountId;
    expect(collaboratorRoleOf(stage.repository(), accountId)).toEqual({ permission: 'read', roleName: 'read' });
    const { repositoryId } = stage;
    stage.apply(setPermission, { repositoryId, accountId, permission: 'write', roleName: 'maintain' });
    expect(collaboratorRoleOf(stage.repository(), accountId)).toEqual({ permission: 'write', roleName: 'maintain' });
    expect(
      collaboratorRoleOf({ ...stage.repository(), private: true, collaborators: new Map() }, accountId).permission,
    ).toBe('none');
    expect(collaboratorRoleOf(stage.repository(), stage.actors.ana.accountId).permission).toBe('admin');
  });
});

describe('installations', () => {
  it('send one webhook when an App is removed (I15)', () => {
    const stage = scene();
    const installationId = found([...stage.state().installations.keys()][0]);
    stage.forget();
    stage.apply(uninstallApp, { installationId });
    expect(stage.events).toMatchObject([
      { name: 'installation', action: 'deleted', payload: { installation: { id: installationId } } },
    ]);
    expect(stage.refusal(uninstallApp, { installationId }).status).toBe(404);
    expect(stage.problems).toEqual([]);
  });
});

describe('pull requests', () => {
  it('send a webhook for every change, with the old values (B11)', () => {
    const stage = scene();
    const here = { actor: stage.actors.ben, repositoryId: stage.repositoryId, number: stage.number };
    stage.apply(pushFiles, { ...here, branch: 'release', files: new Map([['z', 'z']]) });
    stage.forget();
    stage.apply(editPullRequest, { ...here, title: 'New', base: 'release' });
    expect(stage.events[0]?.payload['changes']).toMatchObject({
      title: { from: 'Topic' },
      base: { ref: { from: 'main' } },
    });
    stage.apply(setPullRequestDraft, { ...here, draft: true });
    stage.apply(setPullRequestDraft, { ...here, draft: false });
    stage.apply(closePullRequest, here);
    expect(stage.refusal(closePullRequest, here).status).toBe(422);
    const closedHead = stage.pull().head.sha;
    stage.push({ late: 'push' });
    expect(stage.pull().head.sha).toBe(closedHead);
    stage.apply(reopenPullRequest, here);
    expect(stage.pull().head.sha).not.toBe(closedHead);
    expect(stage.refusal(mergePullRequest, { ...here, sha: closedHead }).status).toBe(409);
    stage.apply(mergePullRequest, here);
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
    expect(stage.refusal(reopenPullRequest, here).status).toBe(422);
    expect(stage.problems).toEqual([]);
  });

  it('follow a branch with two pull requests, and a head in a fork (B12, F15)', () => {
    const stage = scene();
    const { repositoryId, actors } = stage;
    stage.apply(pushFiles, { actor: actors.ben, repositoryId, branch: 'release', files: new Map([['z', 'z']]) });
    const second = stage.apply(createPullRequest, {
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
    const pull = stage.apply(createPullRequest, { actor: actors.eve, repositoryId, title: 'Idea', head });
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
    expect(stage.refusal(createPullRequest, same).status).toBe(422);
    expect(stage.problems).toEqual([]);
  });
});
