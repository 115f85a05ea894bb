import { z } from 'zod';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import { GitHubError } from '../../core/step/ports.ts';
import { cacheKey, createPageGuard, type PullConnection, repositoryParams } from './requests/connection.ts';
import { GitHubRequestError } from './requests/errors.ts';

/** Resolves the thread that begins with this comment. A resolved or deleted thread is no error. */
export async function resolveThread(connection: PullConnection, comment: PostedComment): Promise<void> {
  if (comment.kind === 'issue-comment') return;
  const cached = connection.caches.threads.get(cacheKey(connection.ref, comment.nodeId));
  const threadId = cached ?? (await findUnresolvedThread(connection, comment.nodeId));
  if (threadId !== null) await connection.write((client) => client.graphql(RESOLVE_MUTATION, { threadId }));
}

/** Those of the comments that are minimized, or whose thread is resolved. A deleted comment is not hidden. */
export async function listHiddenComments(
  connection: PullConnection,
  comments: readonly PostedComment[],
): Promise<readonly PostedComment[]> {
  const [inThreads, inConversation] = await Promise.all([
    findHiddenThreads(connection, comments),
    findMinimizedComments(connection, comments),
  ]);
  const hidden = new Set([...inThreads, ...inConversation]);
  return comments.filter(({ nodeId }) => hidden.has(nodeId));
}

/** Stops listing once all wanted threads are found. */
async function findHiddenThreads(
  connection: PullConnection,
  comments: readonly PostedComment[],
): Promise<readonly string[]> {
  const wanted = new Set(comments.filter(({ kind }) => kind !== 'issue-comment').map(({ nodeId }) => nodeId));
  if (wanted.size === 0) return [];
  const hidden: string[] = [];
  await searchThreads(connection, ({ isResolved, comments: { nodes } }) => {
    const [root] = nodes;
    if (root !== undefined && wanted.delete(root.id) && (isResolved || root.isMinimized)) hidden.push(root.id);
    return wanted.size === 0;
  });
  return hidden;
}

/** GitHub accepts at most this many ids in one query. */
const MAX_NODES = 100;

async function findMinimizedComments(
  { read }: PullConnection,
  comments: readonly PostedComment[],
): Promise<readonly string[]> {
  const ids = comments.filter(({ kind }) => kind === 'issue-comment').map(({ nodeId }) => nodeId);
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += MAX_NODES) {
    const variables = { ids: ids.slice(at, at + MAX_NODES) };
    const response: unknown = await read((client) => client.graphql(COMMENTS_QUERY, variables)).catch(ifDeleted);
    const page = CommentsPage.safeParse(response);
    if (!page.success) throw new GitHubError('GitHub returned comments in an unknown form', null, null);
    found.push(...page.data.nodes.flatMap((node) => (node?.isMinimized === true ? [node.id] : [])));
  }
  return found;
}

/** The approval is refused for the deleted comment anyway, so no other one matters. */
function ifDeleted(error: unknown): unknown {
  if (error instanceof GitHubRequestError && error.graphqlCodes.includes('NOT_FOUND')) return { nodes: [] };
  throw error;
}

const COMMENTS_QUERY = `query comments($ids: [ID!]!) {
  nodes(ids: $ids) { id ... on IssueComment { isMinimized } }
}`;

const CommentsPage = z.object({
  nodes: z.array(z.object({ id: z.string(), isMinimized: z.boolean().default(false) }).nullable()),
});

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
        nodes { id isResolved comments(first: 1) { nodes { id isMinimized } } }
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
  comments: z.object({ nodes: z.array(z.object({ id: z.string(), isMinimized: z.boolean().default(false) })) }),
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
