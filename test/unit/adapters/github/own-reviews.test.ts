import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOT_ID, errorOf, mockHttp, READ_PERMISSIONS, REPO, WRITE_PERMISSIONS } from './http-mock.ts';

let http: ReturnType<typeof mockHttp>;

beforeEach(() => {
  http = mockHttp();
});

afterEach(() => http.finish());

const REVIEWS = `${REPO}/pulls/3/reviews`;

const url = 'https://github.com/review-80';

function review(state: string, body = 'x', botId = BOT_ID) {
  return { id: 80, state, html_url: url, body, user: { id: botId } };
}

const reads = () => http.mints(READ_PERMISSIONS, 'ghs_read');

const writes = () => http.mints(WRITE_PERMISSIONS, 'ghs_write');

const dismissal = () => http.as('ghs_write').put(`${REVIEWS}/80/dismissals`, { message: 'Done.' });

const looks = () => http.as('ghs_read').get(`${REVIEWS}/80`);

describe('dismissing our own review (S72a)', () => {
  it('is done once GitHub shows it dismissed', async () => {
    writes();
    dismissal().reply(200, review('DISMISSED'));
    expect(await http.github.dismissReview(80, 'Done.')).toBe(true);
  });

  it.each([
    [200, 'CHANGES_REQUESTED', false],
    [200, 'DISMISSED', true],
    [403, 'CHANGES_REQUESTED', false],
    [422, 'DISMISSED', true],
    [422, 'COMMENTED', true],
  ])('GitHub answers %i and shows it %s: %s', async (status, state, done) => {
    writes();
    dismissal().reply(status, review('CHANGES_REQUESTED'));
    reads();
    looks().reply(200, review(state));
    expect(await http.github.dismissReview(80, 'Done.')).toBe(done);
  });

  it('an outage is no refusal', async () => {
    writes();
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
    reads();
    expect(await http.github.findReviews(marker)).toEqual([{ id: 80, url, status: 'changes-requested' }]);
  });

  it('are updated by their number (S60)', async () => {
    writes();
    http.as('ghs_write').put(`${REVIEWS}/80`, { body: 'As it was.' }).reply(200, { id: 80, body: 'As it was.' });
    await http.github.updateReview(80, 'As it was.');
  });

  it('a review’s comments are read by their thread (S55)', async () => {
    reads();
    const at = { node_id: 'N', html_url: url, created_at: 'a', updated_at: 'b', commit_id: 'c', path: 'a.ts' };
    http
      .as('ghs_read')
      .get(`${REVIEWS}/80/comments`)
      .query(true)
      .reply(200, [
        { ...at, id: 5, body: 'first' },
        { ...at, id: 6, body: '/deny', in_reply_to_id: 4 },
      ]);
    expect(await http.github.listReviewComments(80)).toEqual([
      { rootId: 5, body: 'first', updatedAt: 'b' },
      { rootId: 4, body: '/deny', updatedAt: 'b' },
    ]);
  });
});
