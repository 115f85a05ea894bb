import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HttpMock, mockHttp, READ_PERMISSIONS, REPO } from './http-mock.ts';

let http: HttpMock;

beforeEach(() => {
  http = mockHttp();
});

afterEach(() => http.finish());

const SINCE = '2026-11-21T12:00:00Z';

const ana = { id: 7, login: 'ana', type: 'User' };

function said(id: number, minute: number) {
  const at = `2026-11-21T12:${String(minute).padStart(2, '0')}:00Z`;
  return { id, user: ana, body: `words ${id}`, created_at: at, updated_at: at };
}

it('lists all comments created since a time, on all pages, oldest first, without older edited ones (F8)', async () => {
  http.mints(READ_PERMISSIONS, 'ghs_read');
  const get = (path: string, page: number) =>
    http.as('ghs_read').get(`${REPO}${path}`).query({ per_page: 100, page, since: SINCE });
  const second = `${REPO}/issues/3/comments?${new URLSearchParams({ per_page: '100', since: SINCE, page: '2' })}`;
  const next = { link: `<https://api.github.com${second}>; rel="next"` };
  const old = { ...said(1, 5), created_at: '2026-11-20T12:00:00Z' };
  get('/issues/3/comments', 1).reply(200, [old, said(2, 9)], next);
  get('/issues/3/comments', 2).reply(200, [said(4, 30)]);
  get('/pulls/3/comments', 1).reply(200, [said(3, 20)]);
  const listed = await http.github.listCommentsSince('2026-11-21T12:00:00.400Z');
  expect(listed.map(({ event, comment }) => [event, comment.id])).toEqual([
    ['issue_comment', 2],
    ['pull_request_review_comment', 3],
    ['issue_comment', 4],
  ]);
});
