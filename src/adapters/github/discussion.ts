import { z } from 'zod';
import type { AuthorKind, Discussion, Statement } from '../../core/step/discussion.ts';
import { GitHubError } from '../../core/step/ports.ts';
import { listNewestComments } from './context-comments.ts';
import { type PullConnection, repositoryParams } from './requests/connection.ts';

/**
 * The newest comments, reviews and threads. Which comments an App wrote in a person's name is told only by REST, and
 * only of the conversation.
 */
export async function fetchDiscussion(connection: PullConnection): Promise<Discussion> {
  const { ref, read } = connection;
  const response: unknown = await read((client) =>
    client.graphql(DISCUSSION_QUERY, { ...repositoryParams(ref), number: ref.number }),
  );
  const page = DiscussionPage.safeParse(response);
  if (!page.success) throw new GitHubError('GitHub returned a discussion in an unknown form', null, null);
  const { author, body, comments, reviews, reviewThreads } = page.data.repository.pullRequest;
  const written = comments.nodes.length === 0 ? [] : await listNewestComments(connection, comments.totalCount);
  const byPeople = new Set(written.flatMap(({ id, isAutomated }) => (isAutomated ? [] : [id])));
  return {
    author: toAuthor(author),
    description: body,
    comments: comments.nodes.map((comment) => withoutAppsAsPeople(toStatement(comment), byPeople)),
    reviews: reviews.nodes.map((review) => ({ ...toStatement(review), state: review.state })),
    threads: reviewThreads.nodes.map(({ path, line, isResolved, isOutdated, comments: inThread }) => ({
      ...{ path, line, isResolved, isOutdated },
      comments: inThread.nodes.map(toStatement),
      omitted: omittedFrom(inThread),
    })),
    omitted: omittedFrom(comments) + omittedFrom(reviews) + omittedFrom(reviewThreads),
  };
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
  const id = fullDatabaseId === null ? null : Number(fullDatabaseId);
  return { id, author: toAuthor(author), body, at: createdAt, updatedAt: more.updatedAt, isHidden: more.isMinimized };
}

/** About 2,000 nodes; GitHub allows 500,000. */
const DISCUSSION_QUERY = `query discussion($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      body
      author { ...account }
      comments(last: 100) { totalCount nodes { fullDatabaseId body createdAt updatedAt isMinimized author { ...account } } }
      reviews(last: 100) { totalCount nodes { state body createdAt updatedAt author { ...account } } }
      reviewThreads(last: 60) {
        totalCount
        nodes {
          path line isResolved isOutdated
          comments(last: 30) { totalCount nodes { fullDatabaseId body createdAt updatedAt isMinimized author { ...account } } }
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

const Comment = z.object({
  fullDatabaseId: z.union([z.string(), z.number()]).nullable().default(null),
  body: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  isMinimized: z.boolean().default(false),
  author: Actor,
});

const listOf = <Item extends z.ZodType>(item: Item) => z.object({ totalCount: z.number(), nodes: z.array(item) });

const DiscussionPage = z.object({
  repository: z.object({
    pullRequest: z.object({
      body: z.string(),
      author: Actor,
      comments: listOf(Comment),
      reviews: listOf(Comment.extend({ state: z.string() })),
      reviewThreads: listOf(
        z.object({
          path: z.string(),
          line: z.number().nullable(),
          isResolved: z.boolean(),
          isOutdated: z.boolean(),
          comments: listOf(Comment),
        }),
      ),
    }),
  }),
});
