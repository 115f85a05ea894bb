import { describe, expect, it } from 'vitest';
import { postedComment } from './comment-samples.ts';
import { http, mockEachTest } from './http-mock.ts';

mockEachTest();

describe('threads', () => {
  type Threads = readonly { readonly id: string; readonly isResolved: boolean; readonly root: string }[];
  const answersThreads = (after: string | null, threads: Threads, endCursor: string | null = null) => {
    const nodes = threads.map(({ id, isResolved, root }) => ({ id, isResolved, comments: { nodes: [{ id: root }] } }));
    const reviewThreads = { nodes, pageInfo: { hasNextPage: endCursor !== null, endCursor } };
    http
      .as('ghs_read')
      .post('/graphql', (body: { variables: object }) => {
        expect(body.variables).toEqual({ owner: 'ana', repo: 'shop', number: 3, size: 100, after });
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

  it('closing one says so if GitHub refuses a part, which can be either one', async () => {
    http.expectReadToken();
    answersThreads(null, [{ id: 'T2', isResolved: false, root: 'N2' }]);
    http.expectWriteToken();
    const variables = { commentId: 'N2', body: 'Done.', threadId: 'T2' };
    const isAsked = (sent: { variables: object }): boolean =>
      JSON.stringify(sent.variables) === JSON.stringify(variables);
    const errors = [{ type: 'UNPROCESSABLE', message: 'no', path: ['resolveReviewThread'] }];
    const data = { updatePullRequestReviewComment: {}, resolveReviewThread: null };
    http.as('ghs_write').post('/graphql', isAsked).reply(200, { data, errors });
    expect(await http.github.closeThread(postedComment(2), 'Done.')).toBe('refused');
  });

  it.each([
    ['resolved', true, 'N2'],
    ['gone', false, 'N1'],
  ])('writes nothing if it is %s', async (_, isResolved, root) => {
    http.expectReadToken();
    answersThreads(null, [{ id: 'T', isResolved, root }]);
    await http.github.resolveThread(postedComment(2));
  });

  it('a comment of the conversation has no thread', async () => {
    await http.github.resolveThread(postedComment(2, 'issue-comment'));
  });
});
