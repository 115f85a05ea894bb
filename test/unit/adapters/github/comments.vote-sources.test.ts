import { describe, expect, it } from 'vitest';
import { COMMENT_TIME, restComment } from './comment-samples.ts';
import { http, mockEachTest, NOW, outcomeLater, REPO } from './http-mock.ts';

mockEachTest((mock) => mock.expectReadToken());

const ON_PULL = { issue_url: 'https://api.github.com/repos/ana/shop/issues/3' };

const IN_PULL = { pull_request_url: 'https://api.github.com/repos/ana/shop/pulls/3' };

const ANA = { user: { id: 7, login: 'ana' } };

const answers = (path: string, status: number, body: object) =>
  http.as('ghs_read').get(`${REPO}${path}`).reply(status, body);

const source = (more: object) => ({
  authorId: 7,
  authorLogin: 'ana',
  body: '/approve',
  createdAt: COMMENT_TIME,
  viaApp: false,
  thread: null,
  reviewState: null,
  ...more,
});

describe('reading the comments of votes again (X5)', () => {
  it('one of each kind takes one request each', async () => {
    answers('/issues/comments/1', 200, { ...restComment(1, '/approve'), ...ON_PULL, ...ANA });
    answers('/pulls/comments/2', 200, {
      ...restComment(2, '/approve'),
      ...IN_PULL,
      ...ANA,
      in_reply_to_id: 9,
      pull_request_review_id: 8,
    });
    const review = { id: 3, body: '', state: 'DISMISSED', submitted_at: COMMENT_TIME, ...ANA };
    answers('/pulls/3/reviews/3', 200, review);
    const sources = await http.github.fetchVoteSources([
      { surface: 'conversation', commentId: 1 },
      { surface: 'thread', commentId: 2 },
      { surface: 'review', commentId: 3 },
    ]);
    expect(sources).toEqual({
      'conversation:1': source({}),
      'thread:2': source({ thread: { rootId: 9, reviewId: 8 } }),
      'review:3': source({ body: '', reviewState: 'dismissed' }),
    });
  });

  it('only a second 404 tells that one is missing (R2)', async () => {
    for (const _ of ['first', 'second']) {
      answers('/issues/comments/5', 200, { ...restComment(5, '/approve'), ...ON_PULL, user: null });
      answers('/issues/comments/6', 200, {
        ...restComment(6, 'later'),
        ...ON_PULL,
        ...ANA,
        performed_via_github_app: {},
      });
      answers('/issues/comments/7', 404, { message: 'Not Found' });
    }
    const locations = [5, 6, 7, 5].map((commentId) => ({ surface: 'conversation', commentId }) as const);
    expect(await outcomeLater(http, () => http.github.fetchVoteSources(locations))).toEqual({
      'conversation:5': source({ authorId: null, authorLogin: null }),
      'conversation:6': source({ body: 'later', viaApp: true }),
      'conversation:7': null,
    });
  });

  it('one that was written less than a minute ago is not missing yet (R2)', async () => {
    const location = { surface: 'thread', commentId: 7, writtenAt: new Date(NOW).toISOString() } as const;
    http.as('ghs_read').get(`${REPO}/pulls/comments/7`).times(3).reply(404, { message: 'Not Found' });
    for (const later of [0, 30_000]) {
      http.clock.now = NOW + later;
      await expect(http.github.fetchVoteSources([location])).rejects.toMatchObject({ meaning: 'try-again' });
    }
    http.clock.now = NOW + 60_000;
    expect(await http.github.fetchVoteSources([location])).toEqual({ 'thread:7': null });
  });

  it('a comment on another pull request of the repository counts as missing', async () => {
    const elsewhere = { issue_url: `${ON_PULL.issue_url}3`, pull_request_url: `${IN_PULL.pull_request_url}3` };
    answers('/issues/comments/1', 200, { ...restComment(1, '/approve'), ...elsewhere, ...ANA });
    answers('/pulls/comments/2', 200, { ...restComment(2, '/approve'), ...elsewhere, ...ANA });
    const locations = [
      { surface: 'conversation', commentId: 1 },
      { surface: 'thread', commentId: 2 },
    ] as const;
    expect(Object.values(await http.github.fetchVoteSources(locations))).toEqual([null, null]);
  });

  it('any other failure is no answer', async () => {
    answers('/issues/comments/1', 502, {});
    const location = { surface: 'conversation', commentId: 1 } as const;
    await expect(http.github.fetchVoteSources([location])).rejects.toMatchObject({ status: 502 });
  });
});

describe('the comments of a review that GitHub does not have (X5)', () => {
  const missing = () =>
    http
      .as('ghs_read')
      .get(`${REPO}/pulls/3/reviews/8/comments`)
      .query({ per_page: 100, page: 1 })
      .twice()
      .reply(404, { message: 'Not Found' });

  it('are null where the pull request can be read', async () => {
    missing();
    answers('/pulls/3', 200, {});
    expect(await outcomeLater(http, () => http.github.listReviewComments(8))).toBeNull();
  });

  it('are a failure where it cannot, because the App may have lost access', async () => {
    missing();
    answers('/pulls/3', 404, { message: 'Not Found' });
    await expect(outcomeLater(http, () => http.github.listReviewComments(8))).rejects.toMatchObject({ status: 404 });
  });
});
