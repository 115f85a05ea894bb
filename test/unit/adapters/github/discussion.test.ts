import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HttpMock, mockHttp } from './http-mock.ts';

let http: HttpMock;

beforeEach(() => {
  http = mockHttp();
});

afterEach(() => http.finish());

it('only accounts of people count as people: a mannequin has the login of a person and nobody’s access (S144)', async () => {
  const at = '2026-01-01T00:00:00Z';
  const authors = ['User', 'Bot', 'Mannequin', 'Organization'].map((__typename) => ({ __typename, login: 'ana' }));
  const nodes = [...authors, null].map((author) => ({
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
  const discussion = await http.github.fetchDiscussion();
  expect(discussion.reviews.map(({ author }) => author?.kind)).toEqual(['person', 'bot', 'other', 'other', undefined]);
});
