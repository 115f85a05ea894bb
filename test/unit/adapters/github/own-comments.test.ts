import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostedComment } from '../../../../src/core/state/proposal.ts';
import {
  BOT_ID,
  errorOf,
  HEAD,
  type HttpMock,
  mockHttp,
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

describe('our own comments found again', () => {
  const lists = (review: readonly object[], issue: readonly object[], query: object | true) => {
    http.introduces();
    reads();
    http.as('ghs_read').get(`${REPO}/pulls/3/comments`).query(query).reply(200, review);
    http.as('ghs_read').get(`${REPO}/issues/3/comments`).query(query).reply(200, issue);
  };

  it('by the marker in their first line, by the App alone, in both places (G4, S74)', async () => {
    const review = [
      { ...comment(1, '<!-- one -->\nforged'), user: { id: 99 } },
      { ...comment(2, '<!-- one -->\r\nours'), subject_type: 'file' },
      comment(3, '<!-- one -->\ntwice'),
      comment(4, 'quoting\n<!-- two -->'),
    ];
    lists(review, [{ ...comment(5, '<!-- three -->'), user: null }, comment(6, '<!-- two -->\nrun')], {
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
    lists([], [comment(1, '<!-- one -->')], { per_page: 100, page: 1, since: '2026-11-21T11:59:00.000Z' });
    expect([...(await http.github.findCommentsByMarker(['<!-- one -->'], AT)).keys()]).toEqual(['<!-- one -->']);
  });

  it('stops asking when all are found', async () => {
    http.introduces();
    reads();
    const link = { link: '<https://api.github.com/x>; rel="next"' };
    http
      .as('ghs_read')
      .get(`${REPO}/pulls/3/comments`)
      .query({ per_page: 100, page: 1 })
      .reply(200, [comment(1, '<!-- one -->')], link);
    expect((await http.github.findCommentsByMarker(['<!-- one -->'], null)).size).toBe(1);
  });

  it('knows a body that it wrote in this second, and no other (G3)', async () => {
    const query = { per_page: 100, page: 1, since: AT };
    const issue = [
      { ...comment(1, 'Done.'), user: { id: 99 } },
      { ...comment(2, 'Done.'), created_at: '2026-11-21T11:59:59Z' },
      comment(3, 'Done, nearly.'),
    ];
    lists([], issue, query);
    expect(await http.github.hasPosted('Done.', '2026-11-21T12:00:00.700Z')).toBe(false);
    http.as('ghs_read').get(`${REPO}/pulls/3/comments`).query(query).reply(200, []);
    http
      .as('ghs_read')
      .get(`${REPO}/issues/3/comments`)
      .query(query)
      .reply(200, [comment(4, 'Done.\r\nAll.')]);
    expect(await http.github.hasPosted('Done.\nAll.\n', '2026-11-21T12:00:00.700Z')).toBe(true);
  });
});

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
    reads();
    answersThreads(null, [{ id: 'T1', isResolved: false, root: 'N1' }], 'cursor');
    answersThreads('cursor', [{ id: 'T2', isResolved: false, root: 'N2' }]);
    writes();
    http
      .as('ghs_write')
      .post('/graphql', ({ query, variables }: { query: string; variables: object }) => {
        expect(variables).toEqual({ threadId: 'T2' });
        return query.includes('resolveReviewThread');
      })
      .reply(200, { data: { resolveReviewThread: { thread: { id: 'T2' } } } });
    await http.github.resolveThread(posted(2));
  });

  it.each([
    ['resolved', true, 'N2'],
    ['gone', false, 'N1'],
  ])('writes nothing if it is %s', async (_, isResolved, root) => {
    reads();
    answersThreads(null, [{ id: 'T', isResolved, root }]);
    await http.github.resolveThread(posted(2));
  });

  it('a comment of the conversation has no thread', async () => {
    await http.github.resolveThread(posted(2, 'issue-comment'));
  });

  it('a response in another form is an error', async () => {
    reads();
    http
      .as('ghs_read')
      .post('/graphql')
      .reply(200, { data: { repository: null } });
    await errorOf(http.github.resolveThread(posted(2)));
  });
});

describe('reactions', () => {
  const thread = { at: 'thread', commentId: 6, rootId: 5, reviewId: 4, path: 'a', line: 1, diffHunk: '' } as const;
  it.each([
    [{ at: 'conversation', commentId: 5 } as const, 'issues/comments/5'],
    [thread, 'pulls/comments/6'],
  ])('go to the comment itself: %o', async (place, path) => {
    writes();
    http.as('ghs_write').post(`${REPO}/${path}/reactions`, { content: '+1' }).reply(201, { id: 1, content: '+1' });
    await http.github.react(place, '+1');
  });

  it('go to a review through GraphQL', async () => {
    reads();
    http.as('ghs_read').get(`${REPO}/pulls/3/reviews/8`).reply(200, { node_id: 'PRR_8' });
    writes();
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
