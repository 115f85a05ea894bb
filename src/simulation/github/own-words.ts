import type { Place } from '../../command/intent.ts';
import { firstLine, hashOf, plainBody, postedComment } from '../../github/posted-comment.ts';
import type { PostedComment } from '../../run/proposal.ts';
import type { FoundComment, GitHub, StandingReview } from '../../worker/ports.ts';
import { SITE } from '../scene.ts';
import type { Own, Standing } from './reading.ts';

/** A comment of the App's own, wherever it stands. */
type OwnComment = {
  readonly kind: PostedComment['kind'];
  readonly id: number;
  readonly nodeId: string;
  readonly body: string;
  readonly createdAt: string;
};

/** As the App keeps a comment that it posted. */
export function postedAs(
  kind: PostedComment['kind'],
  { id, nodeId, createdAt }: Pick<OwnComment, 'id' | 'nodeId' | 'createdAt'>,
  body: string,
): PostedComment {
  const url = `${SITE}/acme/shop/pull/1#${kind}-${id}`;
  return postedComment(kind, { id, node_id: nodeId, created_at: createdAt, html_url: url }, body);
}

/** All of them, those in threads first. */
export function ownComments({ pull }: Standing, { botId }: Pick<Own, 'botId'>): readonly OwnComment[] {
  const inThreads = [...pull.reviewComments.values()].map((comment) => {
    const place = pull.threads.get(comment.threadId)?.place.kind;
    return { ...comment, kind: place === 'file' ? ('file-comment' as const) : ('review-comment' as const) };
  });
  const others = [...pull.comments.values()].map((comment) => ({ ...comment, kind: 'issue-comment' as const }));
  return [...inThreads, ...others].filter(({ authorId }) => authorId === botId);
}

export function findByMarker(
  standing: Standing,
  own: Own,
  markers: readonly string[],
  since: string | null,
): ReadonlyMap<string, FoundComment> {
  const found = new Map<string, FoundComment>();
  for (const comment of ownComments(standing, own)) {
    const marker = firstLine(comment.body);
    if (!markers.includes(marker) || found.has(marker)) continue;
    if (since !== null && Date.parse(comment.createdAt) < Date.parse(since)) continue;
    found.set(marker, { ...postedAs(comment.kind, comment, comment.body), body: comment.body });
  }
  return found;
}

export function wrote(standing: Standing, own: Own, body: string, since: string): boolean {
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
  return ownComments(standing, own).some(
    (comment) => comment.createdAt >= from && plainBody(comment.body) === plainBody(body),
  );
}

export function bodyHashes(
  { pull }: Standing,
  comments: readonly PostedComment[],
): Awaited<ReturnType<GitHub['bodyHashes']>> {
  const bodyOf = ({ kind, id }: PostedComment): string | undefined =>
    (kind === 'issue-comment' ? pull.comments.get(id) : pull.reviewComments.get(id))?.body;
  return Object.fromEntries(
    comments.map((comment) => {
      const body = bodyOf(comment);
      return [comment.id, body === undefined ? null : hashOf(body)];
    }),
  );
}

/** What somebody wrote at a place; null where it is gone. */
export function wordsAt({ pull }: Standing, place: Place): string | null {
  switch (place.at) {
    case 'conversation':
      return pull.comments.get(place.commentId)?.body ?? null;
    case 'thread':
      return pull.reviewComments.get(place.commentId)?.body ?? null;
    case 'review':
      return pull.reviews.get(place.reviewId)?.body ?? null;
  }
}

export function findReviews({ pull }: Standing, { botId }: Own, marker: string): readonly StandingReview[] {
  return [...pull.reviews.values()]
    .filter(({ authorId, body }) => authorId === botId && firstLine(body) === marker)
    .map(({ id, state }) => standingReview(id, state));
}

export function standingReview(id: number, state: string): StandingReview {
  const stands = state === 'CHANGES_REQUESTED' ? 'blocks' : state === 'DISMISSED' ? 'dismissed' : 'comments';
  return { id, url: `${SITE}/acme/shop/pull/1#review-${id}`, stands };
}
