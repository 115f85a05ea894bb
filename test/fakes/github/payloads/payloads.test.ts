import { describe, expect, it } from 'vitest';
import { createIssueComment, reactToIssueComment } from '../../../../fakes/github/operations/comments.ts';
import { replyToReviewComment } from '../../../../fakes/github/operations/review-comments.ts';
import { createPullRequestReview } from '../../../../fakes/github/operations/reviews.ts';
import {
  appPayload,
  installationPayload,
  permissionPayload,
  publicUserPayload,
  simpleUserPayload,
} from '../../../../fakes/github/payloads/accounts.ts';
import { commitPayload, filePayload, gitCommitPayload } from '../../../../fakes/github/payloads/commits.ts';
import { issueCommentPayload, reactionPayload } from '../../../../fakes/github/payloads/issues.ts';
import {
  fullPullRequestPayload,
  reviewCommentPayload,
  reviewPayload,
} from '../../../../fakes/github/payloads/pull-requests.ts';
import { repositoryPayload } from '../../../../fakes/github/payloads/repositories.ts';
import { listPullFileDiffs } from '../../../../fakes/github/state/commits.ts';
import type { GitHubState } from '../../../../fakes/github/state/github-state.ts';
import { collaboratorRoleOf } from '../../../../fakes/github/state/lookup.ts';
import { openApiValidator } from '../../../support/openapi-validator.ts';
import { createFixture, requireDefined } from '../fixture.ts';

const repo = '/repos/{owner}/{repo}';

const path = 'src/a.txt';

/** Creates one payload for each endpoint. */
function createPayloads() {
  const fixture = createFixture();
  const target = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId, number: fixture.number };
  const comment = fixture.apply(createIssueComment, { ...target, body: 'x' });
  const reaction = fixture.apply(reactToIssueComment, { ...target, commentId: comment.id, content: 'rocket' });
  const comments = [
    { path, startLine: 14, line: 15, body: 'range' },
    { path: 'src/gone.txt', line: 1, side: 'LEFT' as const, body: 'old' },
  ];
  const review = fixture.apply(createPullRequestReview, { ...target, event: 'COMMENT', body: 'x', comments });
  const root = requireDefined([...fixture.pull().reviewComments.keys()][0]);
  fixture.apply(replyToReviewComment, { ...target, actor: fixture.actors.ben, inReplyTo: root, body: 'reply' });
  const head = fixture.push({ [path]: 'outdated now' });
  const github: GitHubState = fixture.state();
  const repository = fixture.repository();
  const pull = fixture.pull();
  const eve = requireDefined(github.accounts.get(fixture.actors.eve.accountId));
  // GitHub's description is wrong for a comment on removed lines: it requires a number where GitHub returns null.
  const inThreads = [...pull.reviewComments.values()].map((one) => reviewCommentPayload(github, repository, pull, one));
  return {
    'GET /app': appPayload(github, fixture.app),
    'GET /app/installations': [...github.installations.values()].map((one) => installationPayload(github, one)),
    'GET /users/{username}': publicUserPayload(github, eve),
    [`GET ${repo}`]: repositoryPayload(github, repository),
    [`GET ${repo}/pulls/{pull_number}`]: fullPullRequestPayload(github, repository, pull),
    [`GET ${repo}/pulls/{pull_number}/files`]: listPullFileDiffs(github.store, pull).map((file) =>
      filePayload(github, repository, head, file),
    ),
    [`GET ${repo}/pulls/{pull_number}/reviews`]: [reviewPayload(github, repository, pull, review)],
    [`GET ${repo}/pulls/{pull_number}/comments`]: inThreads.filter(({ line }) => line !== null),
    [`GET ${repo}/pulls/comments/{comment_id}`]: inThreads[1],
    [`GET ${repo}/issues/comments/{comment_id}`]: issueCommentPayload(github, repository, pull, comment),
    [`GET ${repo}/issues/comments/{comment_id}/reactions`]: [reactionPayload(github, reaction)],
    [`GET ${repo}/collaborators/{username}/permission`]: permissionPayload(
      github,
      eve,
      collaboratorRoleOf(repository, eve.id),
    ),
    [`GET ${repo}/commits/{ref}`]: commitPayload(github, repository, head),
    [`GET ${repo}/git/commits/{commit_sha}`]: gitCommitPayload(github, repository, head),
  };
}

describe('payloads (J13)', () => {
  const payloads = createPayloads();

  it.each(Object.entries(payloads))('%s matches GitHub’s description', (route, body) => {
    expect(openApiValidator.checkResponse(route, 200, body)).toEqual([]);
  });

  it('an invalid payload is detected', () => {
    const route = `GET ${repo}/pulls/{pull_number}`;
    expect(
      openApiValidator.checkResponse(route, 200, { ...requireDefined(payloads[route]), number: 'one' }),
    ).toHaveLength(1);
  });

  it('a deleted account is null (A8)', () => {
    const fixture = createFixture();
    expect(simpleUserPayload(fixture.state(), null)).toBeNull();
    expect(simpleUserPayload(fixture.state(), 12)).toBeNull();
  });

  it('files have their patches and counts', () => {
    const fixture = createFixture();
    const files = listPullFileDiffs(fixture.state().store, fixture.pull()).map((file) =>
      filePayload(fixture.state(), fixture.repository(), 'head', file),
    );
    expect(files).toMatchObject([
      { filename: path, status: 'modified', additions: 2, deletions: 1, changes: 3 },
      { filename: 'src/gone.txt', status: 'removed', patch: '@@ -1 +0,0 @@\n-gone' },
      { filename: 'src/new.txt', status: 'added', patch: '@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file' },
    ]);
    expect(fullPullRequestPayload(fixture.state(), fixture.repository(), fixture.pull())).toMatchObject({
      additions: 4,
      deletions: 2,
      changed_files: 3,
      commits: 1,
    });
  });
});
