import { z } from 'zod';
import type { PostedComment } from '../run/proposal.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, cacheKey, repositoryOf } from './connection.ts';

/** Threads are known by the node id of their first comment: the numeric one no longer fits GraphQL's integers. */
const THREADS = `query threads($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved isOutdated comments(first: 1) { nodes { id } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

const RESOLVE = `mutation resolve($threadId: ID!) {
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

/** Resolves the thread whose first comment this is; nothing happens where it is resolved or gone. */
export async function resolveThread(connection: Connection, comment: PostedComment): Promise<void> {
  if (comment.kind === 'issue-comment') return;
  const known = connection.caches.threads.get(cacheKey(connection.ref, comment.nodeId));
  const threadId = known ?? (await findUnresolved(connection, comment.nodeId));
  if (threadId !== null) await connection.write((client) => client.graphql(RESOLVE, { threadId }));
}

/** Whether the thread whose first comment this is is resolved now; false where there is none. */
export async function isResolved(connection: Connection, comment: PostedComment): Promise<boolean> {
  if (comment.kind === 'issue-comment') return false;
  return (await findThread(connection, comment.nodeId))?.isResolved ?? false;
}

async function findUnresolved(connection: Connection, rootNodeId: string): Promise<string | null> {
  const thread = await findThread(connection, rootNodeId);
  return thread === null || thread.isResolved ? null : thread.id;
}

/** The first comments' node ids of all threads that are out of date. */
export async function outdatedThreads(connection: Connection): Promise<readonly string[]> {
  const outdated: string[] = [];
  await walkThreads(connection, ({ isOutdated, comments }) => {
    const root = comments.nodes[0]?.id;
    if (isOutdated && root !== undefined) outdated.push(root);
    return false;
  });
  return outdated;
}

/** Looks the thread up, and remembers those of its neighbours, which are often resolved next. */
function findThread(connection: Connection, rootNodeId: string): Promise<Thread | null> {
  return walkThreads(connection, ({ comments }) => comments.nodes[0]?.id === rootNodeId);
}

/** Goes through the threads, page by page, up to the one that is meant; null where none is. */
async function walkThreads(connection: Connection, isMeant: (thread: Thread) => boolean): Promise<Thread | null> {
  const { ref, read, caches } = connection;
  for (let after: string | null = null; ; ) {
    const answer: unknown = await read((client) =>
      client.graphql(THREADS, { ...repositoryOf(ref), number: ref.number, after }),
    );
    const page = ThreadsPage.safeParse(answer);
    if (!page.success) throw new GitHubFault('GitHub listed review threads in an unknown form', null, null);
    const { nodes, pageInfo } = page.data;
    for (const { id, isResolved: resolved, comments } of nodes) {
      const root = comments.nodes[0]?.id;
      if (root !== undefined && !resolved) caches.threads.set(cacheKey(ref, root), id);
    }
    const found = nodes.find(isMeant);
    if (found !== undefined) return found;
    if (!pageInfo.hasNextPage) return null;
    after = pageInfo.endCursor;
  }
}
