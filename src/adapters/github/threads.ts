import { z } from 'zod';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import { GitHubError } from '../../core/step/ports.ts';
import { cacheKey, createPageGuard, type PullConnection, repositoryParams } from './requests/connection.ts';

/** Resolves the thread that begins with this comment. A resolved or deleted thread is no error. */
export async function resolveThread(connection: PullConnection, comment: PostedComment): Promise<void> {
  if (comment.kind === 'issue-comment') return;
  const cached = connection.caches.threads.get(cacheKey(connection.ref, comment.nodeId));
  const threadId = cached ?? (await findUnresolvedThread(connection, comment.nodeId));
  if (threadId !== null) await connection.write((client) => client.graphql(RESOLVE_MUTATION, { threadId }));
}

/**
 * The thread that begins with this comment, unless it is resolved. Caches the ids of all listed threads, because
 * several are often resolved in a row.
 */
async function findUnresolvedThread(connection: PullConnection, rootNodeId: string): Promise<string | null> {
  const { ref, read, caches } = connection;
  const enterPage = createPageGuard();
  for (let after: string | null = null; ; ) {
    enterPage(after);
    const response: unknown = await read((client) =>
      client.graphql(THREADS_QUERY, { ...repositoryParams(ref), number: ref.number, after }),
    );
    const page = ThreadsPage.safeParse(response);
    if (!page.success) throw new GitHubError('GitHub returned review threads in an unknown form', null, null);
    const { nodes, pageInfo } = page.data;
    for (const { id, isResolved, comments } of nodes) {
      const root = comments.nodes[0]?.id;
      if (root !== undefined && !isResolved) caches.threads.set(cacheKey(ref, root), id);
    }
    const found = nodes.find(({ comments }) => comments.nodes[0]?.id === rootNodeId);
    if (found !== undefined) return found.isResolved ? null : found.id;
    if (!pageInfo.hasNextPage) return null;
    after = pageInfo.endCursor;
  }
}

/** Threads are identified by the node id of their first comment, because numeric ids exceed GraphQL's integers. */
const THREADS_QUERY = `query threads($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved comments(first: 1) { nodes { id } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

const RESOLVE_MUTATION = `mutation resolve($threadId: ID!) {
  resolveReviewThread(input: { threadId: $threadId }) { thread { id } }
}`;

const Thread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  comments: z.object({ nodes: z.array(z.object({ id: z.string() })) }),
});

const ThreadsPage = z
  .object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          nodes: z.array(Thread),
          pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        }),
      }),
    }),
  })
  .transform(({ repository }) => repository.pullRequest.reviewThreads);
