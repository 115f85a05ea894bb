import type { Sha } from '../git/object-store.ts';
import type { Actor } from './access.ts';
import { type AnchorProblem, type FoundAnchor, findAnchor } from './anchor.ts';
import type { PlaceInput } from './inputs.ts';
import { pullFile } from './pull-diff.ts';
import type { PullRequest, World } from './state.ts';
import type { ReviewComment, Thread } from './talk.ts';
import { timestamp } from './timestamp.ts';
import { trackThread } from './track-threads.ts';
import { nodeId, takeId, withEntry } from './update.ts';

/** A place that was checked: lines of the diff, or a whole file. */
export type CheckedPlace = { readonly path: string; readonly commitSha: Sha; readonly found: FoundAnchor | 'file' };

/** Finds a place in the difference that the pull request had at a commit. */
export function checkPlace(
  world: World,
  pull: PullRequest,
  commitSha: Sha,
  input: PlaceInput & { readonly subjectType?: 'line' | 'file' },
): CheckedPlace | AnchorProblem {
  const { path } = input;
  const file = pullFile(world.store, { base: pull.base, head: { ...pull.head, sha: commitSha } }, path);
  if (file === undefined) return 'path';
  if (input.subjectType === 'file') return { path, commitSha, found: 'file' };
  const found = findAnchor(world.store, file, input);
  return typeof found === 'string' ? found : { path, commitSha, found };
}

/** What somebody says in a review. */
export type Saying = { readonly actor: Actor; readonly reviewId: number; readonly body: string };

/** Adds a thread with its first comment; a place at an older commit may be out of date from birth. */
export function openThread(world: World, pull: PullRequest, place: CheckedPlace, saying: Saying, now: number) {
  const [id, counted] = takeId(world);
  const comment = newComment(saying, { id, threadId: id, inReplyToId: null }, now);
  const { path, commitSha, found } = place;
  const thread: Thread = {
    id,
    nodeId: nodeId('PRRT', id),
    path,
    place: found === 'file' ? { kind: 'file' } : { kind: 'lines', original: found.anchor, current: found.anchor },
    originalCommitSha: commitSha,
    commitSha,
    diffHunk: found === 'file' ? '' : found.diffHunk,
    resolvedById: null,
  };
  const placed = commitSha === pull.head.sha ? thread : trackThread(world.store, pull, thread);
  const threads = withEntry(pull.threads, id, placed);
  return { world: counted, comment, pull: { ...withComment(pull, comment), threads } };
}

/** Adds a comment to a thread that is there. */
export function continueThread(world: World, pull: PullRequest, threadId: number, saying: Saying, now: number) {
  const [id, counted] = takeId(world);
  const comment = newComment(saying, { id, threadId, inReplyToId: threadId }, now);
  return { world: counted, comment, pull: withComment(pull, comment) };
}

function withComment(pull: PullRequest, comment: ReviewComment): PullRequest {
  return { ...pull, reviewComments: withEntry(pull.reviewComments, comment.id, comment) };
}

type CommentPlace = Pick<ReviewComment, 'id' | 'threadId' | 'inReplyToId'>;

function newComment({ actor, reviewId, body }: Saying, place: CommentPlace, now: number): ReviewComment {
  return {
    ...place,
    nodeId: nodeId('PRRC', place.id),
    reviewId,
    authorId: actor.accountId,
    body,
    createdAt: timestamp(now),
    updatedAt: timestamp(now),
    reactions: [],
  };
}
