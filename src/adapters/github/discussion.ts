import { z } from 'zod';
import type { AuthorKind, Discussion, ReviewThread, Statement } from '../../core/step/ports.ts';
import {
  askGraphql,
  PAGE_SIZE,
  type PullConnection,
  repositoryParams,
  visibleNodes,
  withOlderIds,
  withSmallerPages,
} from './requests/connection.ts';

/**
 * The newest comments, reviews and threads. Which comments an App wrote in a person's name is told only by REST, and
 * only of the conversation.
 */
export async function fetchDiscussion(connection: PullConnection): Promise<Discussion> {
  const { ref, read } = connection;
  const variables = { ...repositoryParams(ref), number: ref.number };
  const ask = (query: string) =>
    withSmallerPages(SIZES, (sizes) => askGraphql(read, query, { ...variables, ...sizes }, DiscussionPage));
  const { repository } = await withOlderIds(DISCUSSION_QUERY, ask);
  const { author, body, comments, reviews, reviewThreads } = repository.pullRequest;
  const byPeople = await listIdsByPeople(connection, comments.totalCount);
  return {
    author: toAuthor(author),
    description: body,
    comments: comments.nodes.map((comment) => withoutAppsAsPeople(toStatement(comment), byPeople)),
    reviews: reviews.nodes.map((review) => ({ ...toStatement(review), state: review.state })),
    threads: reviewThreads.nodes.flatMap(toThread),
    omitted: omittedFrom(comments) + omittedFrom(reviews) + omittedFrom(reviewThreads),
  };
}

/** A thread whose comments were all deleted is none. */
function toThread({ first, comments, diffSide: side, ...thread }: z.infer<typeof Thread>): readonly ReviewThread[] {
  const [root] = first.nodes;
  if (root === undefined) return [];
  const { id: nodeId, fullDatabaseId, author, diffHunk } = root;
  const { path, line, startLine, isResolved, isOutdated } = thread;
  return [
    {
      ...{ path, line, startLine, side, isResolved, isOutdated },
      root: { id: toId(fullDatabaseId), nodeId, author: toAuthor(author), diffHunk },
      comments: comments.nodes.map(toStatement),
      omitted: omittedFrom(comments),
    },
  ];
}

/** The newest comments of the conversation that no App wrote; `count` is the number of all. REST lists oldest first. */
async function listIdsByPeople({ ref, read }: PullConnection, count: number): Promise<ReadonlySet<number>> {
  const last = Math.ceil(count / PAGE_SIZE);
  const ids = new Set<number>();
  for (const page of [last - 1, last].filter((one) => one > 0)) {
    const listed = { ...repositoryParams(ref), issue_number: ref.number, per_page: PAGE_SIZE, page };
    const { data } = await read.rest.issues.listComments(listed);
    for (const { id, user, performed_via_github_app: app = null } of data)
      if (user?.type === 'User' && app === null) ids.add(id);
  }
  return ids;
}

function omittedFrom({ totalCount, nodes }: { totalCount: number; nodes: readonly unknown[] }): number {
  return Math.max(0, totalCount - nodes.length);
}

function toAuthor(author: z.infer<typeof Actor>): Discussion['author'] {
  if (author === null) return null;
  return { id: author.databaseId, login: author.login, kind: KINDS[author.__typename] ?? 'other' };
}

/** Such as a `Mannequin`, which has the login of a person and nobody's access. */
const KINDS: Readonly<Record<string, AuthorKind>> = { User: 'person', Bot: 'bot' };

/** A comment that REST does not name as a person's counts as an App's. */
function withoutAppsAsPeople(statement: Statement, byPeople: ReadonlySet<number>): Statement {
  const { id, author } = statement;
  if (author?.kind !== 'person' || (id !== null && byPeople.has(id))) return statement;
  return { ...statement, author: { ...author, kind: 'app-as-person' } };
}

function toStatement({ fullDatabaseId, author, body, createdAt, ...more }: z.infer<typeof Comment>): Statement {
  const { updatedAt, isMinimized: isHidden, pullRequestReview } = more;
  const ids = { id: toId(fullDatabaseId), reviewId: toId(pullRequestReview?.fullDatabaseId ?? null) };
  return { ...ids, author: toAuthor(author), body, at: createdAt, updatedAt, isHidden };
}

function toId(id: string | number | null): number | null {
  return id === null ? null : Number(id);
}

type PageSizes = { readonly most: number; readonly inThread: number };

/** The newest ones of each list, and of each thread: about 3,000 nodes, or less where that is too much for GitHub. */
const SIZES: readonly [PageSizes, ...PageSizes[]] = [
  { most: 100, inThread: 30 },
  { most: 30, inThread: 20 },
  { most: 10, inThread: 5 },
];

const DISCUSSION_QUERY = `query discussion($owner: String!, $repo: String!, $number: Int!, $most: Int!, $inThread: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      body
      author { ...account }
      comments(last: $most) { totalCount nodes { fullDatabaseId body createdAt updatedAt isMinimized author { ...account } } }
      reviews(last: $most) { totalCount nodes { state body createdAt updatedAt author { ...account } } }
      reviewThreads(last: $most) {
        totalCount
        nodes {
          path line startLine diffSide isResolved isOutdated
          first: comments(first: 1) { nodes { id fullDatabaseId diffHunk author { ...account } } }
          comments(last: $inThread) {
            totalCount
            nodes { fullDatabaseId pullRequestReview { fullDatabaseId } body createdAt updatedAt isMinimized author { ...account } }
          }
        }
      }
    }
  }
}
fragment account on Actor { __typename login ... on User { databaseId } }`;

/** Null for a deleted account. A person without an id could not be told from the approvers. */
const Actor = z
  .object({ __typename: z.string(), login: z.string(), databaseId: z.number().nullable().default(null) })
  .refine(({ __typename, databaseId }) => __typename !== 'User' || databaseId !== null)
  .nullable();

const Id = z.union([z.string(), z.number()]).nullable().default(null);

const Comment = z.object({
  fullDatabaseId: Id,
  pullRequestReview: z.object({ fullDatabaseId: Id }).nullable().default(null),
  body: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  isMinimized: z.boolean().default(false),
  author: Actor,
});

const listOf = <Item extends z.ZodType>(item: Item) => z.object({ totalCount: z.number(), nodes: visibleNodes(item) });

const Thread = z.object({
  path: z.string(),
  line: z.number().nullable(),
  startLine: z.number().nullable(),
  diffSide: z.enum(['LEFT', 'RIGHT']),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  first: z.object({
    nodes: visibleNodes(z.object({ id: z.string(), fullDatabaseId: Id, author: Actor, diffHunk: z.string() })),
  }),
  comments: listOf(Comment),
});

const DiscussionPage = z.object({
  repository: z.object({
    pullRequest: z.object({
      body: z.string(),
      author: Actor,
      comments: listOf(Comment),
      reviews: listOf(Comment.extend({ state: z.string() })),
      reviewThreads: listOf(Thread),
    }),
  }),
});
