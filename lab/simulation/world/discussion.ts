import type { FakeReviewComment } from '../../../fakes/github/state/github-state.ts';
import { listPublishedComments } from '../../../fakes/github/state/lookup.ts';
import type { Discussion, Statement, ThreadRoot } from '../../../src/core/step/ports.ts';
import type { PullSnapshot } from './simulated-github.ts';

/** The words of people and bots on the simulated pull request. */
export function readDiscussion({ state, pull }: PullSnapshot): Discussion {
  const authorOf = (id: number | null): Statement['author'] => {
    const account = id === null ? undefined : state.accounts.get(id);
    if (account === undefined) return null;
    const { id: accountId, login, type } = account;
    return type === 'Bot'
      ? { id: null, login: login.replace(/\[bot\]$/, ''), kind: 'bot' }
      : { id: accountId, login, kind: 'person' };
  };
  const toStatement = ({
    id,
    reviewId = null,
    authorId,
    body,
    createdAt,
    updatedAt,
    minimized,
  }: Pick<FakeReviewComment, 'id' | 'authorId' | 'body' | 'createdAt' | 'updatedAt' | 'minimized'> & {
    readonly reviewId?: number | null;
  }): Statement => ({
    id,
    reviewId,
    author: authorOf(authorId),
    body,
    at: createdAt,
    updatedAt,
    isHidden: minimized === true,
  });
  const published = listPublishedComments(pull);
  const rootOf = (id: number, diffHunk: string): ThreadRoot => {
    const first = published.find(({ threadId }) => threadId === id);
    return { id: first?.id ?? null, nodeId: first?.nodeId ?? '', author: authorOf(first?.authorId ?? null), diffHunk };
  };
  return {
    author: authorOf(pull.authorId),
    description: pull.body ?? '',
    comments: [...pull.comments.values()].map(toStatement),
    reviews: [...pull.reviews.values()].flatMap((review) =>
      review.submittedAt === null
        ? []
        : [{ ...toStatement({ ...review, createdAt: review.submittedAt }), state: review.state }],
    ),
    threads: [...pull.threads.values()].map(({ id, path, location, resolvedById, diffHunk }) => ({
      root: rootOf(id, diffHunk),
      path,
      line: location.kind === 'lines' ? (location.current?.line ?? null) : null,
      startLine: location.kind === 'lines' ? (location.current?.startLine ?? null) : null,
      side: location.kind === 'lines' ? location.original.side : 'RIGHT',
      isResolved: resolvedById !== null,
      isOutdated: location.kind === 'lines' && location.current === null,
      comments: published.filter(({ threadId }) => threadId === id).map(toStatement),
      omitted: 0,
    })),
    omitted: 0,
  };
}
