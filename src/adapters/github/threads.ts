import { z } from 'zod';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import { type GitHub, GitHubError } from '../../core/step/ports.ts';
import {
  askGraphql,
  cacheKey,
  PAGE_SIZES,
  type PullConnection,
  repositoryParams,
  visibleNodes,
  withSmallerPages,
} from './requests/connection.ts';
import { nullIfGone } from './requests/errors.ts';

/** Resolves the thread that begins with this comment. A resolved or deleted thread is no error. */
export async function resolveThread(
  connection: PullConnection,
  comment: Pick<PostedComment, 'kind' | 'nodeId'>,
): Promise<void> {
  const threadId = await findThread(connection, comment);
  if (threadId !== null) await nullIfGone(connection.write.graphql(RESOLVE_MUTATION, { threadId }));
}

/**
 * Replaces the text of the comment that a thread begins with, and resolves the thread, in one request. `refused` is one of
 * both: GitHub's answer does not tell whether the other one was done.
 */
export async function closeThread(
  connection: PullConnection,
  comment: Pick<PostedComment, 'kind' | 'nodeId'>,
  body: string,
): ReturnType<GitHub['closeThread']> {
  const threadId = await findThread(connection, comment);
  if (threadId === null) return 'no-open-thread';
  try {
    await connection.write.graphql(CLOSE_MUTATION, { commentId: comment.nodeId, body, threadId });
    return 'closed';
  } catch (error) {
    if (!(error instanceof GitHubError) || error.meaning === 'try-again') throw error;
    return 'refused';
  }
}

/** The id of the thread that begins with this comment; null if there is none, or if it is resolved. */
async function findThread(
  connection: PullConnection,
  comment: Pick<PostedComment, 'kind' | 'nodeId'>,
): Promise<string | null> {
  if (comment.kind === 'issue-comment') return null;
  const { caches, ref } = connection;
  const key = cacheKey(ref, comment.nodeId);
  if (caches.threads.get(key) === undefined) await cacheThreads(connection);
  return caches.threads.get(key) ?? null;
}

/** Caches the ids of all open threads by their first comments, because several are often resolved in a row. */
async function cacheThreads(connection: PullConnection): Promise<void> {
  const { ref, read } = connection;
  for (let after: string | null = null; ; ) {
    const variables = { ...repositoryParams(ref), number: ref.number, after };
    const page: ThreadsPage = await withSmallerPages(PAGE_SIZES, (size) =>
      askGraphql(read, THREADS_QUERY, { ...variables, size }, ThreadsPage),
    );
    keepThreads(connection, page.nodes);
    if (!page.pageInfo.hasNextPage) return;
    after = page.pageInfo.endCursor;
  }
}

/** Keeps the ids of open threads. */
export function keepThreads({ ref, caches }: PullConnection, threads: readonly z.infer<typeof Thread>[]): void {
  for (const { id, isResolved, rootId } of threads)
    if (rootId !== undefined && !isResolved) caches.threads.set(cacheKey(ref, rootId), id);
}

/** Threads are identified by the node id of their first comment, because numeric ids exceed GraphQL's integers. */
export const THREAD = `fragment thread on PullRequestReviewThread {
  id isResolved comments(first: 1) { nodes { id } }
}`;

const THREADS_QUERY = `query threads($owner: String!, $repo: String!, $number: Int!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: $size, after: $after) {
        nodes { ...thread }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
${THREAD}`;

const RESOLVE_MUTATION = `mutation resolve($threadId: ID!) {
  resolveReviewThread(input: { threadId: $threadId }) { thread { id } }
}`;

const CLOSE_MUTATION = `mutation close($commentId: ID!, $body: String!, $threadId: ID!) {
  updatePullRequestReviewComment(input: { pullRequestReviewCommentId: $commentId, body: $body }) { clientMutationId }
  resolveReviewThread(input: { threadId: $threadId }) { clientMutationId }
}`;

export const Thread = z
  .object({
    id: z.string(),
    isResolved: z.boolean(),
    comments: z.object({ nodes: visibleNodes(z.object({ id: z.string() })) }),
  })
  .transform(({ id, isResolved, comments: { nodes } }) => ({ id, isResolved, rootId: nodes[0]?.id }));

const Threads = z.object({
  nodes: visibleNodes(Thread),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
});

const ThreadsPage = z
  .object({ repository: z.object({ pullRequest: z.object({ reviewThreads: Threads }) }) })
  .transform(({ repository }) => repository.pullRequest.reviewThreads);

type ThreadsPage = z.infer<typeof ThreadsPage>;
