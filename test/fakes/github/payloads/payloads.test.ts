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
import { referee } from '../../../support/referee.ts';
import { found, scene } from '../scene.ts';

const repo = '/repos/{owner}/{repo}';

const path = 'src/a.txt';

/** The payload of every endpoint for one busy pull request. */
function answers() {
  const stage = scene();
  const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
  const comment = stage.apply(createIssueComment, { ...here, body: 'x' });
  const reaction = stage.apply(reactToIssueComment, { ...here, commentId: comment.id, content: 'rocket' });
  const comments = [
    { path, startLine: 14, line: 15, body: 'range' },
    { path: 'src/gone.txt', line: 1, side: 'LEFT' as const, body: 'old' },
  ];
  const review = stage.apply(createPullRequestReview, { ...here, event: 'COMMENT', body: 'x', comments });
  const root = found([...stage.pull().reviewComments.keys()][0]);
  stage.apply(replyToReviewComment, { ...here, actor: stage.actors.ben, inReplyTo: root, body: 'reply' });
  const head = stage.push({ [path]: 'outdated now' });
  const github: GitHubState = stage.state();
  const repository = stage.repository();
  const pull = stage.pull();
  const eve = found(github.accounts.get(stage.actors.eve.accountId));
  // GitHub's description is wrong for a comment on removed lines: it requires a number where GitHub returns null.
  const inThreads = [...pull.reviewComments.values()].map((one) => reviewCommentPayload(github, repository, pull, one));
  return {
    'GET /app': appPayload(github, stage.app),
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
  const shown = answers();

  it.each(Object.entries(shown))('%s matches GitHub’s description', (route, body) => {
    expect(referee.checkResponse(route, 200, body)).toEqual([]);
  });

  it('an invalid payload is detected', () => {
    const route = `GET ${repo}/pulls/{pull_number}`;
    expect(referee.checkResponse(route, 200, { ...found(shown[route]), number: 'one' })).toHaveLength(1);
  });

  it('a deleted account is null (A8)', () => {
    const stage = scene();
    expect(simpleUserPayload(stage.state(), null)).toBeNull();
    expect(simpleUserPayload(stage.state(), 12)).toBeNull();
  });

  it('files have their patches and counts', () => {
    const stage = scene();
    const files = listPullFileDiffs(stage.state().store, stage.pull()).map((file) =>
      filePayload(stage.state(), stage.repository(), 'head', file),
    );
    expect(files).toMatchObject([
      { filename: path, status: 'modified', additions: 2, deletions: 1, changes: 3 },
      { filename: 'src/gone.txt', status: 'removed', patch: '@@ -1 +0,0 @@\n-gone' },
      { filename: 'src/new.txt', status: 'added', patch: '@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file' },
    ]);
    expect(fullPullRequestPayload(stage.state(), stage.repository(), stage.pull())).toMatchObject({
      additions: 4,
      deletions: 2,
      changed_files: 3,
      commits: 1,
    });
  });
});
