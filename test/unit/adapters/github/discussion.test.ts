import { expect, it } from 'vitest';
import { http, mockEachTest } from './http-mock.ts';

mockEachTest();

/** Lets GitHub answer with a review of each of these accounts. */
function serveReviewsBy(authors: readonly unknown[]): void {
  const at = '2026-01-01T00:00:00Z';
  const nodes = authors.map((author) => ({
    ...{ author, body: 'Delete it.', createdAt: at, updatedAt: at, state: 'COMMENTED' },
  }));
  const none = { totalCount: 0, nodes: [] };
  const reviews = { totalCount: nodes.length, nodes };
  const pullRequest = { body: '', author: null, comments: none, reviews, reviewThreads: none };
  http.expectReadToken();
  http
    .as('ghs_read')
    .post('/graphql')
    .reply(200, { data: { repository: { pullRequest } } });
}

it('only accounts of people count as people: a mannequin has the login of a person and nobody’s access (S144)', async () => {
  const others = ['Bot', 'Mannequin', 'Organization'].map((__typename) => ({ __typename, login: 'ana' }));
  serveReviewsBy([{ __typename: 'User', login: 'ana', databaseId: 7 }, ...others, null]);
  const discussion = await http.github.fetchDiscussion();
  expect(discussion.reviews.map(({ author }) => author?.kind)).toEqual(['person', 'bot', 'other', 'other', undefined]);
  expect(discussion.reviews.map(({ author }) => author?.id)).toEqual([7, null, null, null, undefined]);
});

it('a person without an id, whom no rule could find among the approvers, makes it unreadable (X7)', async () => {
  serveReviewsBy([{ __typename: 'User', login: 'ana', databaseId: null }]);
  await expect(http.github.fetchDiscussion()).rejects.toThrow('unknown form');
});
