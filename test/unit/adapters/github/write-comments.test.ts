import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postedComment, restComment } from './comment-samples.ts';
import { errorOf, HEAD, type HttpMock, mockHttp, REPO } from './http-mock.ts';

let http: HttpMock;

beforeEach(() => {
  http = mockHttp();
});

afterEach(() => http.finish());

describe('single comments', () => {
  it('a file comment names head and file', async () => {
    http.expectWriteToken();
    const body = { commit_id: HEAD, path: 'a.png', body: 'Hi', subject_type: 'file' };
    http
      .as('ghs_write')
      .post(`${REPO}/pulls/3/comments`, body)
      .reply(201, restComment(5, 'Hi', 'a.png'));
    expect(await http.github.createFileComment(HEAD, 'a.png', 'Hi')).toMatchObject({ kind: 'file-comment', id: 5 });
  });

  it('a file outside the diff is refused (C15)', async () => {
    http.expectWriteToken();
    const errors = [
      { resource: 'PullRequestReviewComment', code: 'custom', field: 'path', message: 'path is no part' },
    ];
    http.as('ghs_write').post(`${REPO}/pulls/3/comments`).reply(422, { message: 'Validation Failed', errors });
    const fault = await errorOf(http.github.createFileComment(HEAD, 'x', 'Hi'));
    expect(fault.status).toBe(422);
    expect(fault.message).toContain('path is no part');
  });

  it('a reply in a thread of the App needs no lookup', async () => {
    http.expectWriteToken();
    http
      .as('ghs_write')
      .post(`${REPO}/pulls/3/comments`)
      .reply(201, restComment(5, 'Hi', 'a.png'));
    await http.github.createFileComment(HEAD, 'a.png', 'Hi');
    const body = { in_reply_to: 5, commit_id: HEAD, path: 'a.png', body: 'Yes' };
    http.as('ghs_write').post(`${REPO}/pulls/3/comments`, body).reply(201, restComment(6, 'Yes'));
    expect(await http.github.createReply(5, 'Yes')).toMatchObject({ kind: 'review-comment', id: 6 });
  });

  it('a reply in another thread fetches its position once', async () => {
    http.expectWriteToken();
    http.expectReadToken();
    http
      .as('ghs_read')
      .get(`${REPO}/pulls/comments/7`)
      .reply(200, restComment(7, 'root', 'c.ts'));
    const body = { in_reply_to: 7, commit_id: HEAD, path: 'c.ts', body: 'Yes' };
    http.as('ghs_write').post(`${REPO}/pulls/3/comments`, body).twice().reply(201, restComment(8, 'Yes'));
    await http.github.createReply(7, 'Yes');
    await http.github.createReply(7, 'Yes');
  });

  it.each([
    ['issue-comment', 'issues'],
    ['review-comment', 'pulls'],
    ['file-comment', 'pulls'],
  ] as const)('a %s is updated among the %s', async (kind, place) => {
    http.expectWriteToken();
    http.as('ghs_write').patch(`${REPO}/${place}/comments/5`, { body: 'New' }).reply(200, restComment(5, 'New'));
    await http.github.updateComment(postedComment(5, kind), 'New');
  });
});

describe('reactions', () => {
  const place = { path: 'a', line: 1, startLine: null, side: null, diffHunk: '' } as const;
  const thread = { at: 'thread', commentId: 6, rootId: 5, reviewId: 4, ...place } as const;
  it.each([
    [{ at: 'conversation', commentId: 5 } as const, 'issues/comments/5'],
    [thread, 'pulls/comments/6'],
  ])('go to the comment itself: %o', async (place, path) => {
    http.expectWriteToken();
    http.as('ghs_write').post(`${REPO}/${path}/reactions`, { content: '+1' }).reply(201, { id: 1, content: '+1' });
    await http.github.react(place, '+1');
  });

  it('go to a review through GraphQL', async () => {
    http.expectReadToken();
    http.as('ghs_read').get(`${REPO}/pulls/3/reviews/8`).reply(200, { node_id: 'PRR_8' });
    http.expectWriteToken();
    http
      .as('ghs_write')
      .post('/graphql', ({ variables }: { variables: object }) => {
        expect(variables).toEqual({ subjectId: 'PRR_8', content: 'EYES' });
        return true;
      })
      .reply(200, { data: { addReaction: { reaction: { content: 'EYES' } } } });
    await http.github.react({ at: 'review', reviewId: 8 }, 'eyes');
  });
});
