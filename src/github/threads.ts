import { z } from 'zod';
import type { PostedComment } from '../run/proposal.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';

/** Threads are known by the node id of their first comment: the numeric one no longer fits GraphQL's integers. */
const THREADS = `query threads($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved comments(first: 1) { nodes { id } } }
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

/** Resolves the thread whose first comment this is; nothing happens where it is resolved or gone. */
export async function resolveThread(connection: Connection, comment: PostedComment): Promise<void> {
  if (comment.kind === 'issue-comment') return;
  const thread = await findThread(connection, comment.nodeId);
  if (thread === null || thread.isResolved) return;
  await connection.write((client) => client.graphql(RESOLVE, { threadId: thread.id }));
}

async function findThread({ ref, read }: Connection, rootNodeId: string): Promise<z.infer<typeof Thread> | null> {
  for (let after: string | null = null; ; ) {
    const answer: unknown = await read((client) =>
      client.graphql(THREADS, { ...repositoryOf(ref), number: ref.number, after }),
    );
    const page = ThreadsPage.safeParse(answer);
    if (!page.success) throw new GitHubFault('GitHub listed review threads in an unknown form', null, null);
    const { nodes, pageInfo } = page.data;
    const thread = nodes.find(({ comments }) => comments.nodes[0]?.id === rootNodeId);
    if (thread !== undefined) return thread;
    if (!pageInfo.hasNextPage) return null;
    after = pageInfo.endCursor;
  }
}
