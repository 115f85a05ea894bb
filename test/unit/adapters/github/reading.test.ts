import { createHash } from 'node:crypto';
import type nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, HEAD, type HttpMock, mockHttp, READ_PERMISSIONS, REPO } from './http-mock.ts';

let http: HttpMock;

let reader: nock.Scope;

beforeEach(() => {
  http = mockHttp();
  http.mints(READ_PERMISSIONS, 'ghs_read');
  reader = http.as('ghs_read');
});

afterEach(() => http.finish());

function next(path: string): Record<string, string> {
  return { link: `<https://api.github.com${path}>; rel="next", <https://api.github.com/x>; rel="last"` };
}

const PULL = {
  state: 'open',
  merged: false,
  draft: true,
  title: 'Totals',
  user: { id: 7, login: 'ana' },
  base: { ref: 'main', sha: 'b'.repeat(40), repo: { id: 22 } },
  head: { ref: 'totals', sha: HEAD, repo: { id: 22 } },
  changed_files: 4,
};

describe('the pull request', () => {
  it('has state, author, base and head', async () => {
    reader.get(`${REPO}/pulls/3`).reply(200, PULL);
    expect(await http.github.fetchPull()).toEqual({
      state: 'open',
      draft: true,
      title: 'Totals',
      author: { id: 7, login: 'ana' },
      baseRef: 'main',
      baseSha: 'b'.repeat(40),
      headRef: 'totals',
      headSha: HEAD,
      fork: false,
      changedFiles: 4,
    });
  });

  it.each([
    ['a merged one', { state: 'closed', merged: true }, { state: 'merged' }],
    ['a closed one', { state: 'closed' }, { state: 'closed' }],
    ['one of a deleted account', { user: null }, { author: null }],
    ['a fork', { head: { ...PULL.head, repo: { id: 23 } } }, { fork: true }],
    ['a deleted fork', { head: { ...PULL.head, repo: null } }, { fork: true }],
  ])('knows %s', async (_, given, expected) => {
    reader.get(`${REPO}/pulls/3`).reply(200, { ...PULL, ...given });
    expect(await http.github.fetchPull()).toMatchObject(expected);
  });
});

describe('permission', () => {
  it.each([
    ['admin', 'admin'],
    ['write', 'write'],
    ['read', 'read'],
    ['none', 'none'],
    ['something-new', 'none'],
  ])('%s is %s', async (word, permission) => {
    reader.get(`${REPO}/collaborators/bob/permission`).reply(200, { permission: word, user: { id: 9 } });
    expect(await http.github.fetchPermission('bob')).toEqual({ permission, userId: 9 });
  });

  it('an account that is no user has none', async () => {
    reader.get(`${REPO}/collaborators/Copilot/permission`).reply(404, { message: 'Copilot is not a user' });
    expect(await http.github.fetchPermission('Copilot')).toEqual({ permission: 'none', userId: null });
  });

  it('a permission without a user counts as none', async () => {
    reader.get(`${REPO}/collaborators/bob/permission`).reply(200, { permission: 'admin', user: null });
    expect(await http.github.fetchPermission('bob')).toEqual({ permission: 'none', userId: null });
  });

  it('a failure is an error and not a lack of permission', async () => {
    reader.get(`${REPO}/collaborators/bob/permission`).reply(500, {});
    expect((await errorOf(http.github.fetchPermission('bob'))).status).toBe(500);
  });
});

describe('trees', () => {
  const file = (path: string, sha: string) => ({ path, mode: '100644', type: 'blob', sha, size: 3 });
  const directory = (path: string, sha: string) => ({ path, mode: '040000', type: 'tree', sha });

  it('lists a commit whole, once', async () => {
    reader
      .get(`${REPO}/git/trees/${HEAD}?recursive=1`)
      .reply(200, { sha: 'x', truncated: false, tree: [directory('src', 't1'), file('src/a.ts', 'b1')] });
    const tree = await http.github.fetchTree(HEAD);
    expect([...tree]).toEqual([
      ['src', { mode: '040000', sha: 't1', size: null }],
      ['src/a.ts', { mode: '100644', sha: 'b1', size: 3 }],
    ]);
    expect(await http.github.fetchTree(HEAD)).toBe(tree);
  });

  it('walks the directories of a listing that GitHub cut', async () => {
    const answers: readonly (readonly [string, boolean, readonly object[]])[] = [
      [`${HEAD}?recursive=1`, true, [directory('src', 't1')]],
      [HEAD, false, [directory('src', 't1'), file('README.md', 'b0')]],
      ['t1?recursive=1', true, []],
      ['t1', false, [directory('deep', 't2'), file('a.ts', 'b1')]],
      ['t2?recursive=1', false, [directory('er', 't3'), file('er/b.ts', 'b2')]],
    ];
    for (const [place, truncated, tree] of answers) {
      reader.get(`${REPO}/git/trees/${place}`).reply(200, { sha: 'x', truncated, tree });
    }
    const tree = await http.github.fetchTree(HEAD);
    expect([...tree.keys()].sort()).toEqual([
      'README.md',
      'src',
      'src/a.ts',
      'src/deep',
      'src/deep/er',
      'src/deep/er/b.ts',
    ]);
  });

  it('a directory that GitHub cannot list completely is an error', async () => {
    reader.get(`${REPO}/git/trees/${HEAD}?recursive=1`).reply(200, { sha: 'x', truncated: true, tree: [] });
    reader.get(`${REPO}/git/trees/${HEAD}`).reply(200, { sha: 'x', truncated: true, tree: [] });
    await errorOf(http.github.fetchTree(HEAD));
  });
});

describe('blobs', () => {
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a, 0xc3, 0x28]);
  const sha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const type = { 'content-type': 'application/vnd.github.raw+json; charset=utf-8' };

  it('come byte for byte though GitHub calls them UTF-8, and once (C4)', async () => {
    reader
      .get(`${REPO}/git/blobs/${sha}`)
      .matchHeader('accept', 'application/vnd.github.raw+json')
      .reply(200, bytes, type);
    expect(Buffer.from(await http.github.fetchBlob(sha))).toEqual(bytes);
    await http.github.fetchBlob(sha);
  });

  it('an empty one is empty', async () => {
    const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
    reader.get(`${REPO}/git/blobs/${empty}`).reply(200, '', type);
    expect(await http.github.fetchBlob(empty)).toHaveLength(0);
  });

  it('bytes with another SHA are an error', async () => {
    reader.get(`${REPO}/git/blobs/${sha}`).reply(200, bytes.subarray(0, 5), type);
    expect((await errorOf(http.github.fetchBlob(sha))).message).toContain('do not have this SHA');
  });
});

describe('lists are whole or an error', () => {
  it('takes all pages of files; a missing patch is null', async () => {
    const path = `${REPO}/pulls/3/files`;
    reader
      .get(path)
      .query({ per_page: 100, page: 1 })
      .reply(200, [{ filename: 'a', status: 'added', patch: '@@' }], next(`${path}?per_page=100&page=2`));
    reader
      .get(path)
      .query({ per_page: 100, page: 2 })
      .reply(200, [{ filename: 'b.png', status: 'modified' }]);
    expect(await http.github.listFiles(HEAD)).toEqual([
      { path: 'a', status: 'added', patch: '@@' },
      { path: 'b.png', status: 'modified', patch: null },
    ]);
  });

  const listed = (sha: string, more: object = {}) => ({
    filename: 'a',
    status: 'modified',
    contents_url: `https://api.github.com${REPO}/contents/a?ref=${sha}`,
    ...more,
  });

  it('the files of one head are asked for once; those of another head, or of a removed file alone, again', async () => {
    const path = `${REPO}/pulls/3/files`;
    const gone = { status: 'removed', contents_url: `https://api.github.com${REPO}/contents/a?ref=${'b'.repeat(40)}` };
    reader
      .get(path)
      .query(true)
      .reply(200, [listed(HEAD), listed(HEAD, gone)]);
    expect(await http.github.listFiles(HEAD)).toHaveLength(2);
    expect(await http.github.listFiles(HEAD)).toHaveLength(2);
    reader
      .get(path)
      .query(true)
      .twice()
      .reply(200, [listed('c'.repeat(40))]);
    expect(await http.github.listFiles('d'.repeat(40))).toHaveLength(1);
    expect(await http.github.listFiles('d'.repeat(40))).toHaveLength(1);
    reader
      .get(path)
      .query(true)
      .twice()
      .reply(200, [listed('e'.repeat(40), gone)]);
    expect(await http.github.listFiles('e'.repeat(40))).toHaveLength(1);
    expect(await http.github.listFiles('e'.repeat(40))).toHaveLength(1);
  });

  it('a list whose pages are of two heads is not kept', async () => {
    const path = `${REPO}/pulls/3/files`;
    const second = [listed('c'.repeat(40), { filename: 'b' })];
    reader
      .get(path)
      .query({ per_page: 100, page: 1 })
      .twice()
      .reply(200, [listed(HEAD)], next(`${path}?per_page=100&page=2`));
    reader.get(path).query({ per_page: 100, page: 2 }).twice().reply(200, second);
    expect(await http.github.listFiles(HEAD)).toHaveLength(2);
    expect(await http.github.listFiles(HEAD)).toHaveLength(2);
  });

  it.each([409, 500])('status %i for the second page is an error', async (status) => {
    const path = `${REPO}/pulls/3/files`;
    reader
      .get(path)
      .query({ per_page: 100, page: 1 })
      .reply(200, [{ filename: 'a', status: 'added' }], next(`${path}?per_page=100&page=2`));
    reader.get(path).query({ per_page: 100, page: 2 }).reply(status, {});
    expect((await errorOf(http.github.listFiles(HEAD))).status).toBe(status);
  });

  it('of a pull request with more files than GitHub lists, those that it lists are taken', async () => {
    const files = Array.from({ length: 3000 }, (_, index) => ({ filename: `f${index}`, status: 'added' }));
    reader.get(`${REPO}/pulls/3/files`).query(true).reply(200, files);
    expect(await http.github.listFiles(HEAD)).toHaveLength(3000);
  });

  const compare = `${REPO}/compare/${'b'.repeat(40)}...${HEAD}`;
  const commit = (sha: string) => ({
    sha,
    parents: [{ sha: `before ${sha}` }],
    commit: { message: `message of ${sha}` },
    // GitHub sends an empty object for some authors that it does not know, and null for others.
    author: sha === '3' ? { id: 42, login: 'ana' } : sha === '2' ? {} : null,
  });

  it('takes all commits of a long comparison, newest first', async () => {
    reader
      .get(compare)
      .query({ per_page: 100, page: 1 })
      .reply(200, { total_commits: 3, commits: [commit('1'), commit('2')] });
    reader
      .get(compare)
      .query({ per_page: 100, page: 2 })
      .reply(200, { total_commits: 3, commits: [commit('3')] });
    const commits = await http.github.listCommits('b'.repeat(40), HEAD);
    expect(commits.map(({ sha }) => sha)).toEqual(['3', '2', '1']);
    expect(commits[0]).toEqual({ sha: '3', parent: 'before 3', message: 'message of 3', authorId: 42 });
    expect(commits.slice(1).map(({ authorId }) => authorId)).toEqual([null, null]);
  });

  it('commits that GitHub counts but does not list are an error', async () => {
    reader
      .get(compare)
      .query({ per_page: 100, page: 1 })
      .reply(200, { total_commits: 3, commits: [commit('1')] });
    reader.get(compare).query({ per_page: 100, page: 2 }).reply(200, { total_commits: 3, commits: [] });
    expect((await errorOf(http.github.listCommits('b'.repeat(40), HEAD))).message).toContain('1 of 3');
  });
});
