import { describe, expect, it } from 'vitest';
import { COMMENT_TIME, postedComment, restComment } from './comment-samples.ts';
import { http, mockEachTest, outcomeLater, REPO } from './http-mock.ts';

mockEachTest();

describe('finding the App’s own comments', () => {
  const lists = (review: readonly object[], issue: readonly object[], query: object | true) => {
    http.introduces();
    http.expectReadToken();
    http.as('ghs_read').get(`${REPO}/pulls/3/comments`).query(query).reply(200, review);
    const inConversation = issue.map((comment) => ({ ...comment, path: undefined }));
    http.as('ghs_read').get(`${REPO}/issues/3/comments`).query(query).reply(200, inConversation);
  };

  it('finds only the App’s comments, by the marker in their first line, in both places (G4, S74)', async () => {
    const review = [
      { ...restComment(1, '<!-- one -->\nforged'), user: { id: 99 } },
      { ...restComment(2, '<!-- one -->\r\nours'), subject_type: 'file' },
      restComment(3, '<!-- one -->\ntwice'),
      restComment(4, 'quoting\n<!-- two -->'),
    ];
    lists(review, [{ ...restComment(5, '<!-- three -->'), user: null }, restComment(6, '<!-- two -->\nrun')], {
      per_page: 100,
      page: 1,
    });
    const found = await http.github.findCommentsByMarker(['<!-- one -->', '<!-- two -->', '<!-- three -->'], null);
    expect([...found].map(([marker, { id, kind, body }]) => [marker, id, kind, body])).toEqual([
      ['<!-- one -->', 2, 'file-comment', '<!-- one -->\r\nours'],
      ['<!-- two -->', 6, 'issue-comment', '<!-- two -->\nrun'],
    ]);
  });

  it('lists only comments changed since the time, with a margin for GitHub’s clocks', async () => {
    lists([], [restComment(1, '<!-- one -->')], { per_page: 100, page: 1, since: '2026-11-21T11:59:00.000Z' });
    expect([...(await http.github.findCommentsByMarker(['<!-- one -->'], COMMENT_TIME)).keys()]).toEqual([
      '<!-- one -->',
    ]);
  });

  it('stops reading once all are found', async () => {
    http.introduces();
    http.expectReadToken();
    const link = { link: '<https://api.github.com/x>; rel="next"' };
    http
      .as('ghs_read')
      .get(`${REPO}/pulls/3/comments`)
      .query({ per_page: 100, page: 1 })
      .reply(200, [restComment(1, '<!-- one -->')], link);
    expect((await http.github.findCommentsByMarker(['<!-- one -->'], null)).size).toBe(1);
  });

  it('recognizes only a body that it wrote in this second (G3)', async () => {
    const query = { per_page: 100, page: 1, since: COMMENT_TIME };
    const issue = [
      { ...restComment(1, 'Done.'), user: { id: 99 } },
      { ...restComment(2, 'Done.'), created_at: '2026-11-21T11:59:59Z' },
      restComment(3, 'Done, nearly.'),
    ];
    lists([], issue, query);
    expect(await http.github.hasPosted('Done.', '2026-11-21T12:00:00.700Z')).toBe(false);
    http.as('ghs_read').get(`${REPO}/pulls/3/comments`).query(query).reply(200, []);
    http
      .as('ghs_read')
      .get(`${REPO}/issues/3/comments`)
      .query(query)
      .reply(200, [restComment(4, 'Done.\r\nAll.')]);
    expect(await http.github.hasPosted('Done.\nAll.\n', '2026-11-21T12:00:00.700Z')).toBe(true);
  });

  /** Expects one request for the texts of these comments. */
  const answersTexts = (ids: readonly number[], answer: object) =>
    http
      .as('ghs_read')
      .post(
        '/graphql',
        ({ variables }: { variables?: { ids: unknown } }) =>
          JSON.stringify(variables?.ids) === JSON.stringify(ids.map((id) => `N${id}`)),
      )
      .reply(200, answer);
  const notFound = { data: null, errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }] };
  const repository = { defaultBranchRef: null };

  it('reads the texts of several comments at once, and alone where GraphQL lacks one (X5, R2)', async () => {
    http.expectReadToken();
    const nodes = [{ id: 'N2', body: 'in the thread' }, null];
    answersTexts([2, 3], { data: { repository, nodes } });
    http.as('ghs_read').get(`${REPO}/issues/comments/3`).reply(200, restComment(3, 'newer'));
    const texts = await http.github.fetchCommentTexts([postedComment(2), postedComment(3, 'issue-comment')]);
    expect(texts).toMatchObject({ 'thread:2': { body: 'in the thread' }, 'conversation:3': { body: 'newer' } });
  });

  it('R2: several that were deleted need one wait, and stay deleted while they are asked for', async () => {
    http.expectReadToken();
    for (const _ of ['now', 'later', 'after 9 minutes', 'after 18 minutes']) answersTexts([2, 3, 4], notFound);
    for (const id of [2, 3, 4])
      http.as('ghs_read').get(`${REPO}/pulls/comments/${id}`).times(4).reply(404, { message: 'Not Found' });
    const ask = () => http.github.fetchCommentTexts([2, 3, 4].map((id) => postedComment(id)));
    const deleted = { 'thread:2': null, 'thread:3': null, 'thread:4': null };
    expect(await outcomeLater(http, ask)).toEqual(deleted);
    for (const _ of ['after 9 minutes', 'after 18 minutes']) {
      http.clock.now += 9 * 60_000;
      expect(await ask()).toEqual(deleted);
    }
  });
});
