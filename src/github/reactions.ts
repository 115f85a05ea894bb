import type { Place } from '../command/intent.ts';
import { type Connection, repositoryOf } from './connection.ts';

type Content = 'eyes' | '+1';

/** REST has no reactions to reviews; GraphQL has, under other names. */
const GRAPHQL_CONTENT = { eyes: 'EYES', '+1': 'THUMBS_UP' } as const satisfies Record<Content, string>;

const ADD_REACTION = `mutation react($subjectId: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $subjectId, content: $content }) { reaction { content } }
}`;

/** Reacts to what somebody said; repeating it changes nothing. */
export async function react(connection: Connection, place: Place, content: Content): Promise<void> {
  if (place.at === 'review') return reactToReview(connection, place.reviewId, content);
  const target = { ...repositoryOf(connection.ref), comment_id: place.commentId, content };
  await connection.write((client) =>
    place.at === 'conversation'
      ? client.request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', target)
      : client.request('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', target),
  );
}

async function reactToReview({ ref, read, write }: Connection, reviewId: number, content: Content): Promise<void> {
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', {
      ...repositoryOf(ref),
      pull_number: ref.number,
      review_id: reviewId,
    }),
  );
  await write((client) => client.graphql(ADD_REACTION, { subjectId: data.node_id, content: GRAPHQL_CONTENT[content] }));
}
