import { hashOf } from '../../github/posted-comment.ts';
import type { PostedComment } from '../../run/proposal.ts';
import { OPERATIONS } from '../../simulator/world/operations.ts';
import type { ApiError, Operation } from '../../simulator/world/outcome.ts';
import { type CreatedReview, type GitHub, GitHubFault, type NewReview } from '../../worker/ports.ts';
import type { Hub } from '../hub.ts';
import type { Scene } from '../scene.ts';
import type { Trace } from '../trace.ts';
import { commit } from './commit.ts';
import { refuseUnlessActing } from './installation.ts';
import { bodyHashes, findByMarker, findReviews, postedAs, standingReview, wrote } from './own-words.ts';
import {
  approvalsOf,
  archiveAt,
  blobAt,
  commitsOf,
  filesOf,
  othersOn,
  permissionOf,
  pullFacts,
  reviewComments,
  rulesOf,
  type Standing,
  settingsFile,
  treeAt,
} from './reading.ts';
import { saidSince } from './said-since.ts';

/**
 * The worker's GitHub right on the simulated world, without requests: what the adapter makes of many answers is one look
 * here. The adapter itself is tested against the same world over HTTP.
 */
export function directGitHub(hub: Hub, scene: Scene, trace: Trace): GitHub {
  const now = (): Standing => {
    refuseUnlessActing(hub, scene.ref);
    return standingOf(hub, scene);
  };
  const page: Page = { hub, scene, trace, now };
  return { ...readingIn(page), ...ownWordsIn(page), ...writingIn(page), ...threadsIn(page) };
}

/** Where the App acts: one pull request, as it stands at each moment; throws where GitHub lets the App see nothing. */
type Page = { readonly hub: Hub; readonly scene: Scene; readonly trace: Trace; readonly now: () => Standing };

type Reading = 'pull' | 'permission' | 'settingsFile' | 'tree' | 'blob' | 'archive' | 'files' | 'rules' | 'othersOn';

function readingIn({ now }: Page): Pick<GitHub, Reading | 'approvals' | 'commits' | 'reviewComments'> {
  return {
    pull: async () => pullFacts(now()),
    permission: async (login) => permissionOf(now(), login),
    settingsFile: async () => settingsFile(now()),
    tree: async (sha) => treeAt(now().world.store, sha),
    blob: async (sha) => blobAt(now(), sha),
    archive: async (sha) => archiveAt(now(), sha),
    files: async () => filesOf(now()),
    rules: async (branch) => rulesOf(now(), branch),
    othersOn: async (branch) => othersOn(now(), branch),
    approvals: async () => approvalsOf(now()),
    commits: async (base, head) => commitsOf(now(), base, head),
    reviewComments: async (reviewId) => reviewComments(now(), reviewId),
  };
}

function ownWordsIn({
  scene,
  now,
}: Page): Pick<GitHub, 'findReviews' | 'findByMarker' | 'bodyHashes' | 'wrote' | 'saidSince'> {
  return {
    findReviews: async (marker) => findReviews(now(), scene, marker),
    findByMarker: async (markers, since) => findByMarker(now(), scene, markers, since),
    bodyHashes: async (comments) => bodyHashes(now(), comments),
    wrote: async (body, since) => wrote(now(), scene, body, since),
    saidSince: async (since) => saidSince(now(), since),
  };
}

/** The App's bot in front of that pull request, and a write in its name: a refusal is a fault. */
function actingIn({ hub, scene: { botId, appId, repositoryId, ref }, now }: Page) {
  const actor = { accountId: botId, viaAppId: appId };
  const write = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value => {
    now();
    const outcome = hub.apply(operation, input);
    if (!outcome.ok) throw faultOf(outcome.error);
    return outcome.value;
  };
  return { actor, repositoryId, here: { actor, repositoryId, number: ref.number }, write };
}

type Writing =
  | 'createReview'
  | 'createFileComment'
  | 'createComment'
  | 'reply'
  | 'updateReview'
  | 'updateComment'
  | 'commit';

function writingIn(page: Page): Pick<GitHub, Writing> {
  const { actor, repositoryId, here, write } = actingIn(page);
  return {
    createReview: async (head, review) => {
      const input = { ...here, commitSha: head, event: review.event, body: review.body, comments: placesOf(review) };
      const created = write(OPERATIONS.createReview, input);
      return createdReview(page.now(), review, created);
    },
    createFileComment: async (head, path, body) => {
      const input = { ...here, commitSha: head, path, body, subjectType: 'file' } as const;
      return postedAs('file-comment', write(OPERATIONS.createReviewComment, input), body);
    },
    createComment: async (body) => postedAs('issue-comment', write(OPERATIONS.createComment, { ...here, body }), body),
    reply: async (inReplyTo, body) =>
      postedAs('review-comment', write(OPERATIONS.replyToReviewComment, { ...here, inReplyTo, body }), body),
    updateReview: async (reviewId, body) => void write(OPERATIONS.editReview, { ...here, reviewId, body }),
    updateComment: async ({ kind, id: commentId }, body) => {
      const input = { actor, repositoryId, commentId, body };
      const isConversation = kind === 'issue-comment';
      const { updatedAt } = isConversation
        ? write(OPERATIONS.editComment, input)
        : write(OPERATIONS.editReviewComment, input);
      return { bodyHash: hashOf(body), at: updatedAt };
    },
    commit: async (plan) => {
      page.now();
      const outcome = commit(page.hub, here, plan);
      page.trace.add({ kind: 'committed', number: here.number, plan, outcome });
      return outcome;
    },
  };
}

function threadsIn(
  page: Page,
): Pick<GitHub, 'resolveThread' | 'isResolved' | 'outdatedThreads' | 'dismissReview' | 'react'> {
  const { actor, repositoryId, here, write } = actingIn(page);
  return {
    resolveThread: async (comment) => {
      const thread = threadOf(page.now(), comment);
      if (thread?.resolvedById === null) write(OPERATIONS.resolveThread, { actor, threadNodeId: thread.nodeId });
    },
    isResolved: async (comment) => (threadOf(page.now(), comment)?.resolvedById ?? null) !== null,
    outdatedThreads: async () => outdatedThreads(page.now()),
    dismissReview: async (reviewId, message) => {
      page.now();
      page.hub.apply(OPERATIONS.dismissReview, { ...here, reviewId, message });
      return page.now().pull.reviews.get(reviewId)?.state !== 'CHANGES_REQUESTED';
    },
    react: async (place, content) => {
      if (place.at === 'review') return;
      const input = { actor, repositoryId, commentId: place.commentId, content };
      if (place.at === 'conversation') write(OPERATIONS.reactToComment, input);
      else write(OPERATIONS.reactToReviewComment, input);
    },
  };
}

/** The pull request as it stands now. */
export function standingOf(hub: Hub, { repositoryId, ref }: Pick<Scene, 'repositoryId' | 'ref'>): Standing {
  const repository = hub.world.repositories.get(repositoryId);
  const pull = repository?.pulls.get(ref.number);
  if (repository === undefined || pull === undefined) throw new GitHubFault('no such pull request', 404, null);
  return { world: hub.world, repository, pull };
}

/** The numbers of all pull requests of the repository. */
export function pullsOf(hub: Hub, { repositoryId }: Pick<Scene, 'repositoryId'>): readonly number[] {
  return [...(hub.world.repositories.get(repositoryId)?.pulls.keys() ?? [])];
}

/** The same scene, seen from another pull request. */
export function onPull(scene: Scene, number: number): Scene {
  return { ...scene, ref: { ...scene.ref, number } };
}

/** All pull requests of the repository as they stand now. */
export function standingsOf(hub: Hub, scene: Scene): readonly Standing[] {
  return pullsOf(hub, scene).map((number) => standingOf(hub, onPull(scene, number)));
}

function faultOf({ status, message }: ApiError): GitHubFault {
  return new GitHubFault(message, status, null);
}

function placesOf({ drafts }: NewReview) {
  return drafts.map(({ path, startLine, line, body }) => ({
    ...{ path, line, body, side: 'RIGHT' as const },
    ...(startLine === null || startLine === line ? {} : { startLine, startSide: 'RIGHT' as const }),
  }));
}

function createdReview(
  { pull }: Standing,
  { drafts }: NewReview,
  { id, state }: { readonly id: number; readonly state: string },
): CreatedReview {
  const written = [...pull.reviewComments.values()].filter(({ reviewId }) => reviewId === id);
  const comments = drafts.flatMap(({ body }) => {
    const comment = written.find((one) => one.body === body);
    return comment === undefined ? [] : [postedAs('review-comment', comment, body)];
  });
  return { review: standingReview(id, state), comments };
}

function outdatedThreads({ pull }: Standing): readonly string[] {
  const outdated = [...pull.threads.values()].filter(({ place }) => place.kind === 'lines' && place.current === null);
  return outdated.flatMap(({ id }) => pull.reviewComments.get(id)?.nodeId ?? []);
}

function threadOf({ pull }: Standing, comment: PostedComment) {
  return comment.kind === 'issue-comment' ? undefined : pull.threads.get(comment.id);
}
