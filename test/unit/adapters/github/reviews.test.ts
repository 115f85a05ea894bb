import { describe, expect, it } from 'vitest';
import type { NewReview, ReviewCommentDraft } from '../../../../src/core/step/ports.ts';
import { BOT_ID, errorOf, HEAD, http, mockEachTest, NOW, outcomeLater, pullAnswer, REPO } from './http-mock.ts';

mockEachTest();

const REVIEWS = `${REPO}/pulls/3/reviews`;

const url = 'https://github.com/review-80';

function review(state: string, body = 'x', botId = BOT_ID) {
  return { id: 80, state, html_url: url, body, user: { id: botId } };
}

const DRAFTS: readonly ReviewCommentDraft[] = [
  { path: 'a.ts', startLine: 4, line: 6, body: '<!-- one -->\nfirst' },
  { path: 'a.ts', startLine: null, line: 9, body: '<!-- two -->\nsecond' },
  { path: 'b.ts', startLine: 2, line: 2, body: '<!-- three -->\nthird' },
];

const REVIEW_80 = { id: 80, node_id: 'PRR_80', state: 'COMMENTED', html_url: 'https://github.com/review-80' };

function reviewOf(body: string): NewReview {
  return { body, event: 'COMMENT', comments: DRAFTS };
}

describe('new reviews', () => {
  const node = { comments: { nodes: [] } };

  it.each([
    ['without its comments', 200, { data: { repository: pullAnswer({ reviewThreads: { nodes: [] } }), node } }],
    ['that the App may not read', 403, {}],
    ['that GitHub does not find', 200, { errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }] }],
    ['that an outage hides', 503, {}],
  ])('a posted review %s is never reported as refused', async (_, status, answer) => {
    http.expectWriteToken();
    http.as('ghs_write').post(REVIEWS).reply(200, REVIEW_80);
    http.expectReadToken();
    http.as('ghs_read').post('/graphql').reply(status, answer);
    const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
    expect([fault.status, fault.message]).toEqual([
      null,
      expect.stringMatching(/^A (?:posted review|review was posted)/),
    ]);
  });

  it.each([
    ['Pull request review thread line must be part of the diff', 'Unprocessable Entity'],
    ['Line could not be resolved, Line could not be resolved, and Path could not be resolved', 'Unprocessable Entity'],
    ['The commitOID is not part of the pull request', 'Unprocessable Entity'],
    ['pull_request_review_thread.line must be part of the diff', 'Validation Failed'],
  ])(
    '“%s” is reported in GitHub’s own words and requested once, also as one string (C15, R9)',
    async (words, message) => {
      http.expectWriteToken();
      for (const errors of [
        [words],
        words,
        [{ resource: 'PullRequestReviewComment', code: 'custom', message: words }],
      ]) {
        http.as('ghs_write').post(REVIEWS).reply(422, { message, errors });
        const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
        expect([fault.meaning, fault.detail]).toEqual(['our-mistake', words]);
      }
    },
  );

  it('“submitted too quickly” is a transient error, not a refusal', async () => {
    http.expectWriteToken();
    http
      .as('ghs_write')
      .post(REVIEWS)
      .reply(422, { message: 'Validation Failed', errors: ['was submitted too quickly'] });
    const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
    expect([fault.status, fault.retryAt]).toEqual([422, NOW + 60_000]);
  });

  it('a conflicting pending review is deleted, and the error is transient', async () => {
    http.introduces();
    http.expectWriteToken();
    http.expectReadToken();
    const errors = ['User can only have one pending review per pull request'];
    http.as('ghs_write').post(REVIEWS).reply(422, { message: 'Unprocessable Entity', errors });
    const reviews = [
      { id: 1, state: 'COMMENTED', user: { id: BOT_ID } },
      { id: 2, state: 'PENDING', user: { id: 99 } },
      { id: 3, state: 'PENDING', user: { id: BOT_ID } },
    ];
    http.as('ghs_read').get(REVIEWS).query({ per_page: 100, page: 1 }).reply(200, reviews);
    http.as('ghs_write').delete(`${REVIEWS}/3`).reply(200, {});
    const fault = await errorOf(http.github.createReview(HEAD, reviewOf('x')));
    expect([fault.status, fault.retryAt]).toEqual([409, NOW]);
  });
});

const dismissal = () => http.as('ghs_write').put(`${REVIEWS}/80/dismissals`, { message: 'Done.' });

const fetchesReview = () => http.as('ghs_read').get(`${REVIEWS}/80`);

describe('dismissing the App’s own review (S72a)', () => {
  it('is done once GitHub shows it dismissed', async () => {
    http.expectWriteToken();
    dismissal().reply(200, review('DISMISSED'));
    expect(await http.github.dismissReview(80, 'Done.')).toBe(true);
  });

  it.each([
    [200, 'CHANGES_REQUESTED', false],
    [200, 'DISMISSED', true],
    [422, 'CHANGES_REQUESTED', false],
    [422, 'DISMISSED', true],
    [422, 'COMMENTED', true],
  ])('GitHub answers %i and shows it %s: %s', async (status, state, done) => {
    http.expectWriteToken();
    dismissal().reply(status, review('CHANGES_REQUESTED'));
    http.expectReadToken();
    fetchesReview().reply(200, review(state));
    expect(await http.github.dismissReview(80, 'Done.')).toBe(done);
  });

  it('a refusal of a new token is asked again (R1)', async () => {
    http.expectWriteToken();
    for (const _ of ['first', 'second']) dismissal().reply(403, {});
    http.expectReadToken();
    fetchesReview().reply(200, review('CHANGES_REQUESTED'));
    expect(await outcomeLater(http, () => http.github.dismissReview(80, 'Done.'))).toBe(false);
  });

  it('an outage is not a refusal', async () => {
    http.expectWriteToken();
    dismissal().reply(502, {});
    expect((await errorOf(http.github.dismissReview(80, 'Done.'))).status).toBe(502);
  });
});

describe('existing reviews', () => {
  it('finds only the App’s own submitted reviews by their marker (G3)', async () => {
    const marker = '<!-- countersign:turn:r:1 -->';
    http
      .as('ghs_read')
      .get(REVIEWS)
      .query(true)
      .reply(200, [
        review('CHANGES_REQUESTED', `${marker}\r\nTwo changes`),
        review('PENDING', marker),
        review('COMMENTED', `words\n${marker}`),
        review('COMMENTED', marker, BOT_ID + 1),
      ]);
    http.introduces();
    http.expectReadToken();
    expect(await http.github.findReviews(marker)).toEqual([{ id: 80, url, status: 'changes-requested' }]);
  });

  it('a review’s comments are read by their thread (S55)', async () => {
    http.expectReadToken();
    const at = {
      node_id: 'N',
      html_url: url,
      created_at: 'a',
      updated_at: 'b',
      commit_id: 'c',
      path: 'a.ts',
      user: null,
    };
    http
      .as('ghs_read')
      .get(`${REVIEWS}/80/comments`)
      .query(true)
      .reply(200, [
        { ...at, id: 5, body: 'first' },
        { ...at, id: 6, body: '/deny', in_reply_to_id: 4 },
      ]);
    expect(await http.github.listReviewComments(80)).toMatchObject([
      { rootId: 5, body: 'first', updatedAt: 'b' },
      { rootId: 4, body: '/deny', updatedAt: 'b' },
    ]);
  });
});
