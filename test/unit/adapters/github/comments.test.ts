import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReviewRefusedError } from '../../../../src/adapters/github/errors.ts';
import type { NewReview, ReviewCommentDraft } from '../../../../src/core/state/ports.ts';
import type { PostedComment } from '../../../../src/core/state/proposal.ts';
import {
  BOT_ID,
  errorOf,
  HEAD,
  type HttpMock,
  mockHttp,
  NOW,
  READ_PERMISSIONS,
  REPO,
  WRITE_PERMISSIONS,
} from './http-mock.ts';

let http: HttpMock;

beforeEach(() => {
  http = mockHttp();
});

afterEach(() => http.finish());

const AT = '2026-11-21T12:00:00Z';

const bot = { id: BOT_ID };

function comment(id: number, body: string, path = 'a.ts') {
  const rest = { node_id: `N${id}`, created_at: AT, html_url: `https://x/${id}`, commit_id: HEAD };
  return { id, body, path, user: bot, subject_type: 'line', ...rest };
}

function posted(id: number, kind: PostedComment['kind'] = 'review-comment'): PostedComment {
  return { kind, id, nodeId: `N${id}`, createdAt: AT, bodyHash: 'x', url: '' };
}

const reads = () => http.mints(READ_PERMISSIONS, 'ghs_read');

const writes = () => http.mints(WRITE_PERMISSIONS, 'ghs_write');

const DRAFTS: readonly ReviewCommentDraft[] = [
  { path: 'a.ts', startLine: 4, line: 6, body: '<!-- one -->\nfirst' },
  { path: 'a.ts', startLine: null, line: 9, body: '<!-- two -->\nsecond' },
  { path: 'b.ts', startLine: 2, line: 2, body: '<!-- three -->\nthird' },
];

const REVIEW_80 = { id: 80, state: 'COMMENTED', html_url: 'https://github.com/review-80' };

function reviewOf(body: string): NewReview {
  return { body, event: 'COMMENT', comments: DRAFTS };
}

describe('reviews', () => {
  const path = `${REPO}/pulls/3/reviews`;

  it('posts one COMMENT review with all drafts, and names its comments in their order', async () => {
    writes();
    http
      .as('ghs_write')
      .post(path, {
        commit_id: HEAD,
        event: 'COMMENT',
        body: 'Three changes',
        comments: [
          { path: 'a.ts', start_line: 4, start_side: 'RIGHT', line: 6, side: 'RIGHT', body: '<!-- one -->\nfirst' },
          { path: 'a.ts', line: 9, side: 'RIGHT', body: '<!-- two -->\nsecond' },
          { path: 'b.ts', line: 2, side: 'RIGHT', body: '<!-- three -->\nthird' },
        ],
      })
      .reply(200, REVIEW_80);
    reads();
    const listed = [
      comment(3, '<!-- three -->\r\nthird', 'b.ts'),
      comment(2, '<!-- two -->\r\nsecond'),
      comment(1, '<!-- one -->\r\nfirst'),
    ];
    http.as('ghs_read').get(`${path}/80/comments`).query({ per_page: 100, page: 1 }).reply(200, listed);
    const created = await http.github.createReview(HEAD, reviewOf('Three changes'));
    const { comments } = created;
    expect(created.review).toEqual({ id: 80, url: 'https://github.com/review-80', status: 'commented' });
    expect(comments.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(comments[0]).toEqual({
      kind: 'review-comment',
      id: 1,
      nodeId: 'N1',
      createdAt: AT,
      bodyHash: createHash('sha256').update('<!-- one -->\nfirst').digest('hex'),
      url: 'https://x/1',
    });
  });

  it('a posted review with a missing comment is an error', async () => {
    writes();
    http.as('ghs_write').post(path).reply(200, REVIEW_80);
    reads();
    http.as('ghs_read').get(`${path}/80/comments`).query(true).reply(200, []);
    expect((await errorOf(http.github.createReview(HEAD, reviewOf('x')))).status).toBeNull();
  });

  it.each([403, 404, 502])('a posted review that cannot be read (%i) never looks refused', async (status) => {
    writes();
    http.as('ghs_write').post(path).reply(200, REVIEW_80);
    reads();
    http.as('ghs_read').get(`${path}/80/comments`).query(true).reply(status, {});
    expect((await errorOf(http.github.createReview(HEAD, reviewOf('x')))).status).toBeNull();
  });

  it('a refused position is reported with GitHub’s message and requested once (C15)', async () => {
    writes();
    const words = 'Pull request review thread line must be part of the diff';
    http
      .as('ghs_write')
      .post(path)
      .reply(422, { message: 'Unprocessable Entity', errors: [words] });
    const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
    expect(fault).toBeInstanceOf(ReviewRefusedError);
    expect([fault.status, fault.message]).toEqual([422, `Unprocessable Entity: ${words}`]);
  });

  it('“submitted too quickly” is a transient error and no refusal', async () => {
    writes();
    http
      .as('ghs_write')
      .post(path)
      .reply(422, { message: 'Validation Failed', errors: ['was submitted too quickly'] });
    const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
    expect(fault).not.toBeInstanceOf(ReviewRefusedError);
    expect([fault.status, fault.retryAt]).toEqual([429, NOW + 60_000]);
  });

  it('a conflicting pending review is deleted, and the error is transient', async () => {
    http.introduces();
    writes();
    reads();
    const errors = ['User can only have one pending review per pull request'];
    http.as('ghs_write').post(path).reply(422, { message: 'Unprocessable Entity', errors });
    const reviews = [
      { id: 1, state: 'COMMENTED', user: bot },
      { id: 2, state: 'PENDING', user: { id: 99 } },
      { id: 3, state: 'PENDING', user: bot },
    ];
    http.as('ghs_read').get(path).query({ per_page: 100, page: 1 }).reply(200, reviews);
    http.as('ghs_write').delete(`${path}/3`).reply(200, {});
    const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
    expect([fault.status, fault.retryAt]).toEqual([409, NOW]);
  });

  it('a 502 after the review was created is an error, and the request is sent once (G3, G4)', async () => {
    writes();
    http.as('ghs_write').post(path).reply(502, 'bad gateway');
    expect((await errorOf(http.github.createReview(HEAD, reviewOf('x')))).status).toBe(502);
  });
});

describe('single comments', () => {
  it('a file comment names head and file', async () => {
    writes();
    const body = { commit_id: HEAD, path: 'a.png', body: 'Hi', subject_type: 'file' };
    http
      .as('ghs_write')
      .post(`${REPO}/pulls/3/comments`, body)
      .reply(201, comment(5, 'Hi', 'a.png'));
    expect(await http.github.createFileComment(HEAD, 'a.png', 'Hi')).toMatchObject({ kind: 'file-comment', id: 5 });
  });

  it('a file outside of the diff is refused (C15)', async () => {
    writes();
    const errors = [
      { resource: 'PullRequestReviewComment', code: 'custom', field: 'path', message: 'path is no part' },
    ];
    http.as('ghs_write').post(`${REPO}/pulls/3/comments`).reply(422, { message: 'Validation Failed', errors });
    const fault = await errorOf(http.github.createFileComment(HEAD, 'x', 'Hi'));
    expect(fault).toBeInstanceOf(ReviewRefusedError);
    expect(fault.message).toContain('path is no part');
  });

  it('a reply in a thread we opened needs no question first', async () => {
    writes();
    http
      .as('ghs_write')
      .post(`${REPO}/pulls/3/comments`)
      .reply(201, comment(5, 'Hi', 'a.png'));
    await http.github.createFileComment(HEAD, 'a.png', 'Hi');
    const body = { in_reply_to: 5, commit_id: HEAD, path: 'a.png', body: 'Yes' };
    http.as('ghs_write').post(`${REPO}/pulls/3/comments`, body).reply(201, comment(6, 'Yes'));
    expect(await http.github.createReply(5, 'Yes')).toMatchObject({ kind: 'review-comment', id: 6 });
  });

  it('a reply in another thread fetches its position once', async () => {
    writes();
    reads();
    http
      .as('ghs_read')
      .get(`${REPO}/pulls/comments/7`)
      .reply(200, comment(7, 'root', 'c.ts'));
    const body = { in_reply_to: 7, commit_id: HEAD, path: 'c.ts', body: 'Yes' };
    http.as('ghs_write').post(`${REPO}/pulls/3/comments`, body).twice().reply(201, comment(8, 'Yes'));
    await http.github.createReply(7, 'Yes');
    await http.github.createReply(7, 'Yes');
  });

  it.each([
    ['issue-comment', 'issues'],
    ['review-comment', 'pulls'],
    ['file-comment', 'pulls'],
  ] as const)('a %s is updated among the %s', async (kind, place) => {
    writes();
    http.as('ghs_write').patch(`${REPO}/${place}/comments/5`, { body: 'New' }).reply(200, comment(5, 'New'));
    await http.github.updateComment(posted(5, kind), 'New');
  });
});
