import { describe, expect, it } from 'vitest';
import {
  createIssueComment,
  deleteIssueComment,
  editIssueComment,
} from '../../../../fakes/github/operations/comments.ts';
import { pushFiles } from '../../../../fakes/github/operations/git-data.ts';
import {
  closePullRequest,
  createPullRequest,
  editPullRequest,
  mergePullRequest,
  reopenPullRequest,
  setPullRequestDraft,
} from '../../../../fakes/github/operations/pull-requests.ts';
import { forkRepository } from '../../../../fakes/github/operations/repositories.ts';
import { createFixture, requireDefined } from '../fixture.ts';

describe('conversations', () => {
  it('sends webhooks for comments, edits with the old text and the editor, and deletions (B7, B9)', () => {
    const fixture = createFixture('Organization');
    const target = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId, number: fixture.number };
    fixture.clearEvents();
    const comment = fixture.apply(createIssueComment, { ...target, body: 'Run' });
    expect(comment.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    fixture.apply(editIssueComment, { ...target, actor: fixture.actors.ben, commentId: comment.id, body: '/approve' });
    expect(fixture.events[1]?.payload).toMatchObject({
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
      fixture.refusal(editIssueComment, { ...target, actor: fixture.actors.eve, commentId: comment.id, body: 'x' })
        .status,
    ).toBe(403);
    fixture.apply(deleteIssueComment, { ...target, commentId: comment.id });
    expect(fixture.eventNames()).toEqual(['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted']);
    expect(fixture.pull().comments.size).toBe(0);
    expect(fixture.problems).toEqual([]);
  });
});

describe('pull requests', () => {
  it('send a webhook for every change, with the old values (B11)', () => {
    const fixture = createFixture();
    const target = { actor: fixture.actors.ben, repositoryId: fixture.repositoryId, number: fixture.number };
    fixture.apply(pushFiles, { ...target, branch: 'release', files: new Map([['z', 'z']]) });
    fixture.clearEvents();
    fixture.apply(editPullRequest, { ...target, title: 'New', base: 'release' });
    expect(fixture.events[0]?.payload['changes']).toMatchObject({
      title: { from: 'Topic' },
      base: { ref: { from: 'main' } },
    });
    fixture.apply(setPullRequestDraft, { ...target, draft: true });
    fixture.apply(setPullRequestDraft, { ...target, draft: false });
    fixture.apply(closePullRequest, target);
    expect(fixture.refusal(closePullRequest, target).status).toBe(422);
    const closedHead = fixture.pull().head.sha;
    fixture.push({ late: 'push' });
    expect(fixture.pull().head.sha).toBe(closedHead);
    fixture.apply(reopenPullRequest, target);
    expect(fixture.pull().head.sha).not.toBe(closedHead);
    expect(fixture.refusal(mergePullRequest, { ...target, sha: closedHead }).status).toBe(409);
    fixture.apply(mergePullRequest, target);
    expect(fixture.eventNames()).toEqual([
      'pull_request.edited',
      'pull_request.converted_to_draft',
      'pull_request.ready_for_review',
      'pull_request.closed',
      'push',
      'pull_request.reopened',
      'pull_request.closed',
      'push',
    ]);
    expect(fixture.events[6]?.payload['pull_request']).toMatchObject({
      merged: true,
      state: 'closed',
      merged_by: { login: 'ben' },
    });
    expect(fixture.refusal(reopenPullRequest, target).status).toBe(422);
    expect(fixture.problems).toEqual([]);
  });

  it('follow a branch with two pull requests, and a head in a fork (B12, F15)', () => {
    const fixture = createFixture();
    const { repositoryId, actors } = fixture;
    fixture.apply(pushFiles, { actor: actors.ben, repositoryId, branch: 'release', files: new Map([['z', 'z']]) });
    const second = fixture.apply(createPullRequest, {
      actor: actors.ben,
      repositoryId,
      title: 'Two',
      head: 'topic',
      base: 'release',
    });
    fixture.clearEvents();
    const sha = fixture.push({ both: 'x' });
    expect(fixture.eventNames()).toEqual(['push', 'pull_request.synchronize', 'pull_request.synchronize']);
    expect(fixture.repository().pulls.get(second.number)?.head.sha).toBe(sha);

    const fork = fixture.apply(forkRepository, { repositoryId, ownerId: actors.eve.accountId });
    const fromFork = { actor: actors.eve, repositoryId: fork.id, branch: 'idea', files: new Map([['idea', '1']]) };
    fixture.apply(pushFiles, fromFork);
    const head = { repositoryId: fork.id, branch: 'idea' };
    const pull = fixture.apply(createPullRequest, { actor: actors.eve, repositoryId, title: 'Idea', head });
    fixture.clearEvents();
    fixture.apply(pushFiles, { ...fromFork, files: new Map([['idea', '2']]) });
    expect(fixture.events.map(({ name, repositoryId: at }) => [name, at])).toEqual([
      ['push', fork.id],
      ['pull_request', repositoryId],
    ]);
    expect(requireDefined(fixture.events[1]).payload).toMatchObject({
      number: pull.number,
      pull_request: { head: { label: 'eve:idea', repo: { fork: true } } },
    });
    const same = { actor: actors.eve, repositoryId, title: 'None', head: 'main' };
    expect(fixture.refusal(createPullRequest, same).status).toBe(422);
    expect(fixture.problems).toEqual([]);
  });
});
