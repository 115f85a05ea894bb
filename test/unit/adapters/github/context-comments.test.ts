import type nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMENT_TIME } from './comment-samples.ts';
import { type HttpMock, mockHttp, READ_PERMISSIONS, REPO } from './http-mock.ts';

let http: HttpMock;

let reader: nock.Scope;

beforeEach(() => {
  http = mockHttp();
  http.mints(READ_PERMISSIONS, 'ghs_read');
  reader = http.as('ghs_read');
});

afterEach(() => http.finish());

const times = { created_at: COMMENT_TIME, updated_at: COMMENT_TIME };

function comment(id: number, more: object = {}) {
  return { id, body: `text ${id}`, user: { id: 7, login: 'ana', type: 'User' }, ...times, ...more };
}

function inThread(id: number, rootId: number, more: object = {}) {
  const root = id === rootId ? {} : { in_reply_to_id: rootId };
  return comment(id, { path: 'a.ts', line: 4, start_line: 2, side: 'LEFT', diff_hunk: '@@', ...root, ...more });
}

describe('the comments of a thread', () => {
  const path = `${REPO}/pulls/3/comments`;

  it('are the newest of that thread, oldest first, up to its first comment', async () => {
    const listed = [inThread(9, 5), inThread(8, 4), inThread(7, 5), inThread(5, 5), inThread(4, 4)];
    reader.get(path).query({ sort: 'created', direction: 'desc', per_page: 100, page: 1 }).reply(200, listed);
    const found = await http.github.listThreadComments(5);
    expect(found.map(({ id }) => id)).toEqual([5, 7, 9]);
    expect(found[0]).toEqual({
      id: 5,
      author: { id: 7, login: 'ana' },
      isAutomated: false,
      body: 'text 5',
      createdAt: COMMENT_TIME,
      updatedAt: COMMENT_TIME,
      lines: { path: 'a.ts', line: 4, startLine: 2, side: 'LEFT', hunk: '@@' },
    });
  });

  it('of a long thread are a hundred, and its first one is fetched alone (S138)', async () => {
    const newest = Array.from({ length: 100 }, (_, index) => inThread(1_000 - index, 5));
    const more = { link: `<https://api.github.com${path}?page=2>; rel="next"` };
    reader.get(path).query(true).reply(200, newest, more);
    reader.get(`${REPO}/pulls/comments/5`).reply(200, inThread(5, 5, { subject_type: 'file' }));
    const found = await http.github.listThreadComments(5);
    expect(found).toHaveLength(101);
    expect(found[0]).toMatchObject({ id: 5, lines: { line: null, startLine: null } });
  });

  it('lack a first comment that was deleted', async () => {
    reader
      .get(path)
      .query(true)
      .reply(200, [inThread(9, 5)]);
    reader.get(`${REPO}/pulls/comments/5`).reply(404, {});
    expect((await http.github.listThreadComments(5)).map(({ id }) => id)).toEqual([9]);
  });
});

describe('the newest comments of the conversation', () => {
  const path = `${REPO}/issues/3/comments`;

  it('are read from the last page on, until there are a hundred (S138)', async () => {
    reader
      .get(path)
      .query({ per_page: 100, page: 3 })
      .reply(200, [comment(201), comment(202)]);
    const page2 = Array.from({ length: 100 }, (_, index) => comment(101 + index));
    reader.get(path).query({ per_page: 100, page: 2 }).reply(200, page2);
    const found = await http.github.listNewestComments(202);
    expect([found.length, found[0]?.id, found.at(-1)?.id]).toEqual([102, 101, 202]);
  });

  it('say which ones a person did not write (S139)', async () => {
    const bot = { user: { id: 8, login: 'lint[bot]', type: 'Bot' } };
    const listed = [
      comment(1),
      comment(2, bot),
      comment(3, { performed_via_github_app: {} }),
      comment(4, { user: null }),
    ];
    reader.get(path).query({ per_page: 100, page: 1 }).reply(200, listed);
    const found = await http.github.listNewestComments(0);
    expect(found.map(({ isAutomated }) => isAutomated)).toEqual([false, true, true, true]);
    expect(found[3]?.author).toBeNull();
  });
});

it('a review that is gone has no comments', async () => {
  reader.get(`${REPO}/pulls/3/reviews/6/comments`).query(true).reply(404, {});
  expect(await http.github.listInlineComments(6)).toEqual([]);
});

describe('a push', () => {
  const path = (before: string, after: string) => `${REPO}/compare/${before}...${after}`;

  it('has its files, and says whether it removed commits (S140)', async () => {
    const files = [{ filename: 'a', status: 'added', additions: 1, deletions: 0, patch: '@@' }];
    reader.get(path('b1', 'a1')).query({ per_page: 1, page: 1 }).reply(200, { files, behind_by: 2 });
    expect(await http.github.comparePush('b1', 'a1')).toMatchObject({ files: [{ path: 'a' }], rewritten: true });
  });

  it('that GitHub no longer has is null (S140)', async () => {
    reader.get(path('b1', 'a1')).query(true).reply(404, {});
    expect(await http.github.comparePush('b1', 'a1')).toBeNull();
  });
});

describe('the tree of a branch', () => {
  const entry = { path: 'AGENTS.md', mode: '100644', type: 'blob', sha: 'c'.repeat(40), size: 4 };

  it('is asked for each time, and an unchanged one costs no quota (S137)', async () => {
    const path = `${REPO}/git/trees/release%2F1`;
    reader
      .get(path)
      .query({ recursive: '1' })
      .reply(200, { tree: [entry], truncated: false }, { etag: 'W/"1"' });
    const first = await http.github.fetchBranchTree('release/1');
    expect([...first]).toEqual([['AGENTS.md', { mode: '100644', sha: 'c'.repeat(40), size: 4 }]]);
    http.as('ghs_read').get(path).query({ recursive: '1' }).matchHeader('if-none-match', 'W/"1"').reply(304);
    expect(await http.github.fetchBranchTree('release/1')).toBe(first);
  });

  it('is read directory by directory if GitHub cuts the list', async () => {
    const tree = 'e'.repeat(40);
    const path = `${REPO}/git/trees/${tree}`;
    const cut = { sha: tree, tree: [entry], truncated: true };
    const directory = { path: 'src', mode: '040000', type: 'tree', sha: 'd'.repeat(40) };
    reader.get(`${REPO}/git/trees/main`).query({ recursive: '1' }).reply(200, cut);
    reader.get(path).query({ recursive: '1' }).reply(200, cut);
    reader.get(path).reply(200, { tree: [entry, directory], truncated: false });
    const below = { tree: [{ ...entry, path: 'a.ts' }], truncated: false };
    reader
      .get(`${REPO}/git/trees/${'d'.repeat(40)}`)
      .query({ recursive: '1' })
      .reply(200, below);
    expect([...(await http.github.fetchBranchTree('main')).keys()]).toEqual(['AGENTS.md', 'src', 'src/a.ts']);
  });
});
