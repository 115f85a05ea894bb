import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postedComment } from './comment-samples.ts';
import { errorOf, type HttpMock, mockHttp } from './http-mock.ts';

let http: HttpMock;

beforeEach(() => {
  http = mockHttp();
});

afterEach(() => http.finish());

describe('threads', () => {
  type Threads = readonly { readonly id: string; readonly isResolved: boolean; readonly root: string }[];
  const answersThreads = (after: string | null, threads: Threads, endCursor: string | null = null) => {
    const nodes = threads.map(({ id, isResolved, root }) => ({ id, isResolved, comments: { nodes: [{ id: root }] } }));
    const reviewThreads = { nodes, pageInfo: { hasNextPage: endCursor !== null, endCursor } };
    http
      .as('ghs_read')
      .post('/graphql', (body: { variables: object }) => {
        expect(body.variables).toEqual({ owner: 'ana', repo: 'shop', number: 3, after });
        return true;
      })
      .reply(200, { data: { repository: { pullRequest: { reviewThreads } } } });
  };

  it('resolves the thread of a comment on any page', async () => {
    http.expectReadToken();
    answersThreads(null, [{ id: 'T1', isResolved: false, root: 'N1' }], 'cursor');
    answersThreads('cursor', [{ id: 'T2', isResolved: false, root: 'N2' }]);
    http.expectWriteToken();
    http
      .as('ghs_write')
      .post('/graphql', ({ query, variables }: { query: string; variables: object }) => {
        expect(variables).toEqual({ threadId: 'T2' });
        return query.includes('resolveReviewThread');
      })
      .reply(200, { data: { resolveReviewThread: { thread: { id: 'T2' } } } });
    await http.github.resolveThread(postedComment(2));
  });

  it.each([
    ['resolved', true, 'N2'],
    ['gone', false, 'N1'],
  ])('writes nothing if it is %s', async (_, isResolved, root) => {
    http.expectReadToken();
    answersThreads(null, [{ id: 'T', isResolved, root }]);
    await http.github.resolveThread(postedComment(2));
  });

  it('a comment is hidden if it is minimized or its thread is resolved (X18)', async () => {
    const thread = (at: number, isResolved: boolean, isMinimized: boolean) => ({
      ...{ id: `T${at}`, isResolved },
      comments: { nodes: [{ id: `N${at}`, isMinimized }] },
    });
    const nodes = [thread(1, true, false), thread(2, false, false), thread(3, false, true), thread(9, true, true)];
    const reviewThreads = { nodes, pageInfo: { hasNextPage: true, endCursor: 'more' } };
    http.expectReadToken();
    http
      .as('ghs_read')
      .post('/graphql', isAboutThreads)
      .reply(200, { data: { repository: { pullRequest: { reviewThreads } } } });
    const conversation = [{ id: 'N4', isMinimized: true }, null, { id: 'N5', isMinimized: false }];
    http
      .as('ghs_read')
      .post('/graphql', isAboutNodes)
      .reply(200, { data: { nodes: conversation } });
    const comments = [1, 2, 3].map((at) => postedComment(at));
    const inConversation = [4, 5].map((at) => postedComment(at, 'issue-comment'));
    const hidden = await http.github.listHiddenComments([...comments, ...inConversation]);
    expect(hidden.map(({ id }) => id)).toEqual([1, 3, 4]);
  });

  it('a deleted comment of the conversation is not hidden, and another error is one (X18)', async () => {
    http.expectReadToken();
    const refused = (type: string) => ({
      data: { nodes: [null] },
      errors: [{ type, path: ['nodes', 0], message: 'no' }],
    });
    http.as('ghs_read').post('/graphql', isAboutNodes).reply(200, refused('NOT_FOUND'));
    expect(await http.github.listHiddenComments([postedComment(4, 'issue-comment')])).toEqual([]);
    http.as('ghs_read').post('/graphql', isAboutNodes).reply(200, refused('INTERNAL'));
    await errorOf(http.github.listHiddenComments([postedComment(4, 'issue-comment')]));
  });

  it('a comment of the conversation has no thread', async () => {
    await http.github.resolveThread(postedComment(2, 'issue-comment'));
  });

  it('a response in another form is an error', async () => {
    http.expectReadToken();
    http
      .as('ghs_read')
      .post('/graphql')
      .reply(200, { data: { repository: null } });
    await errorOf(http.github.resolveThread(postedComment(2)));
  });
});

type GraphqlBody = { readonly query: string };

function isAboutThreads({ query }: GraphqlBody): boolean {
  return query.includes('reviewThreads');
}

function isAboutNodes({ query }: GraphqlBody): boolean {
  return query.includes('nodes(ids: $ids)');
}
