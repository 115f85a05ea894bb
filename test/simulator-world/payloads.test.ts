import { describe, expect, it } from 'vitest';
import { permissionPayload, publicUser, simpleUser } from '../../src/simulator/payloads/account-payload.ts';
import { appPayload, installationPayload } from '../../src/simulator/payloads/app-payload.ts';
import { commitPayload, gitCommitPayload } from '../../src/simulator/payloads/commit-payload.ts';
import { filePayload } from '../../src/simulator/payloads/file-payload.ts';
import { issueCommentPayload } from '../../src/simulator/payloads/issue-payload.ts';
import { fullPull } from '../../src/simulator/payloads/pull-payload.ts';
import { reactionPayload } from '../../src/simulator/payloads/reaction-payload.ts';
import { repositoryPayload } from '../../src/simulator/payloads/repository-payload.ts';
import { reviewCommentPayload, reviewPayload } from '../../src/simulator/payloads/review-payload.ts';
import { createComment } from '../../src/simulator/world/comments.ts';
import { roleOf } from '../../src/simulator/world/lookup.ts';
import { pullFiles } from '../../src/simulator/world/pull-diff.ts';
import { reactToComment } from '../../src/simulator/world/reactions.ts';
import { replyToReviewComment } from '../../src/simulator/world/review-comments.ts';
import { createReview } from '../../src/simulator/world/reviews.ts';
import type { World } from '../../src/simulator/world/state.ts';
import { referee } from '../referee.ts';
import { found, scene } from './scene.ts';

const repo = '/repos/{owner}/{repo}';
const path = 'src/a.txt';

/** What every endpoint would answer about one busy pull request. */
function answers() {
  const stage = scene();
  const here = { actor: stage.actors.bot, repositoryId: stage.repositoryId, number: stage.number };
  const comment = stage.apply(createComment, { ...here, body: 'x' });
  const reaction = stage.apply(reactToComment, { ...here, commentId: comment.id, content: 'rocket' });
  const comments = [
    { path, startLine: 14, line: 15, body: 'range' },
    { path: 'src/gone.txt', line: 1, side: 'LEFT' as const, body: 'old' },
  ];
  const review = stage.apply(createReview, { ...here, event: 'COMMENT', body: 'x', comments });
  const root = found([...stage.pull().reviewComments.keys()][0]);
  stage.apply(replyToReviewComment, { ...here, actor: stage.actors.ben, inReplyTo: root, body: 'reply' });
  const head = stage.push({ [path]: 'outdated now' });
  const world: World = stage.world();
  const repository = stage.repository();
  const pull = stage.pull();
  const eve = found(world.accounts.get(stage.actors.eve.accountId));
  // Of a comment whose lines are gone the description says nothing true: GitHub answers null where it asks for a number.
  const inThreads = [...pull.reviewComments.values()].map((one) => reviewCommentPayload(world, repository, pull, one));
  return {
    'GET /app': appPayload(world, stage.app),
    'GET /app/installations': [...world.installations.values()].map((one) => installationPayload(world, one)),
    'GET /users/{username}': publicUser(world, eve),
    [`GET ${repo}`]: repositoryPayload(world, repository),
    [`GET ${repo}/pulls/{pull_number}`]: fullPull(world, repository, pull),
    [`GET ${repo}/pulls/{pull_number}/files`]: pullFiles(world.store, pull).map((file) =>
      filePayload(world, repository, head, file),
    ),
    [`GET ${repo}/pulls/{pull_number}/reviews`]: [reviewPayload(world, repository, pull, review)],
    [`GET ${repo}/pulls/{pull_number}/comments`]: inThreads.filter(({ line }) => line !== null),
    [`GET ${repo}/pulls/comments/{comment_id}`]: inThreads[1],
    [`GET ${repo}/issues/comments/{comment_id}`]: issueCommentPayload(world, repository, pull, comment),
    [`GET ${repo}/issues/comments/{comment_id}/reactions`]: [reactionPayload(world, reaction)],
    [`GET ${repo}/collaborators/{username}/permission`]: permissionPayload(world, eve, roleOf(repository, eve.id)),
    [`GET ${repo}/commits/{ref}`]: commitPayload(world, repository, head),
    [`GET ${repo}/git/commits/{commit_sha}`]: gitCommitPayload(world, repository, head),
  };
}

describe('J13: what the simulated GitHub shows', () => {
  const shown = answers();

  it.each(Object.entries(shown))('%s is as GitHub describes it', (route, body) => {
    expect(referee.response(route, 200, body)).toEqual([]);
  });

  it('would be caught if it were not', () => {
    const route = `GET ${repo}/pulls/{pull_number}`;
    expect(referee.response(route, 200, { ...found(shown[route]), number: 'one' })).toHaveLength(1);
  });

  it('A8: a deleted account shows as nobody', () => {
    const stage = scene();
    expect(simpleUser(stage.world(), null)).toBeNull();
    expect(simpleUser(stage.world(), 12)).toBeNull();
  });

  it('gives files their patches, and counts them', () => {
    const stage = scene();
    const files = pullFiles(stage.world().store, stage.pull()).map((file) =>
      filePayload(stage.world(), stage.repository(), 'head', file),
    );
    expect(files).toMatchObject([
      { filename: path, status: 'modified', additions: 2, deletions: 1, changes: 3 },
      { filename: 'src/gone.txt', status: 'removed', patch: '@@ -1 +0,0 @@\n-gone' },
      { filename: 'src/new.txt', status: 'added', patch: '@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file' },
    ]);
    expect(fullPull(stage.world(), stage.repository(), stage.pull())).toMatchObject({
      additions: 4,
      deletions: 2,
      changed_files: 3,
      commits: 1,
    });
  });
});
