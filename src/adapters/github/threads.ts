import { z } from 'zod';
import { GitHubError } from '../../core/state/ports.ts';
import type { PostedComment } from '../../core/state/proposal.ts';
import { cacheKey } from './caches.ts';
import { type PullConnection, repositoryParams } from './connection.ts';

/** Resolves the thread that begins with this comment. A resolved or deleted thread is no error. */
export async function resolveThread(connection: PullConnection, comment: PostedComment): Promise<void> {
  if (comment.kind === 'issue-comment') return;
  const cached = connection.caches.threads.get(cacheKey(connection.ref, comment.nodeId));
  const threadId = cached ?? (await findUnresolvedThread(connection, comment.nodeId));
  if (threadId !== null) await connection.write((client) => client.graphql(RESOLVE_MUTATION, { threadId }));
}

/** Whether the thread that begins with this comment is resolved; false if there is none. */
export async function isThreadResolved(connection: PullConnection, comment: PostedComment): Promise<boolean> {
  if (comment.kind === 'issue-comment') return false;
  return (await findThread(connection, comment.nodeId))?.isResolved ?? false;
}

/** Node ids of the first comments of all outdated threads. */
export async function listOutdatedThreads(connection: PullConnection): Promise<readonly string[]> {
  const outdated: string[] = [];
  await searchThreads(connection, ({ isOutdated, comments }) => {
    const root = comments.nodes[0]?.id;
    if (isOutdated && root !== undefined) outdated.push(root);
    return false;
  });
  return outdated;
}

async function findUnresolvedThread(connection: PullConnection, rootNodeId: string): Promise<string | null> {
  const thread = await findThread(connection, rootNodeId);
  return thread === null || thread.isResolved ? null : thread.id;
}

function findThread(connection: PullConnection, rootNodeId: string): Promise<Thread | null> {
  return searchThreads(connection, ({ comments }) => comments.nodes[0]?.id === rootNodeId);
}

/**
 * The first matching thread, or null. Caches the ids of all listed threads, because several are often resolved in a
 * row.
 */
async function searchThreads(connection: PullConnection, matches: (thread: Thread) => boolean): Promise<Thread | null> {
  const { ref, read, caches } = connection;
  for (let after: string | null = null; ; ) {
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
    const found = nodes.find(matches);
    if (found !== undefined) return found;
    if (!pageInfo.hasNextPage) return null;
    after = pageInfo.endCursor;
  }
}

/** Threads are identified by the node id of their first comment, because numeric ids exceed GraphQL's integers. */
const THREADS_QUERY = `query threads($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved isOutdated comments(first: 1) { nodes { id } } }
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
  isOutdated: z.boolean().default(false),
  comments: z.object({ nodes: z.array(z.object({ id: z.string() })) }),
});

type Thread = z.infer<typeof Thread>;

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
