import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { errorOf, HEAD, http, mockEachTest, REPO, reader } from './http-mock.ts';

mockEachTest((mock) => mock.expectReadToken());

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

  it('walks the directories of a listing that GitHub truncated', async () => {
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

  it('a truncated listing of thousands of directories ends with a clear error', async () => {
    const wide = Array.from({ length: 4_000 }, (_, index) => directory(`d${index}`, `t${index}`));
    reader.get(`${REPO}/git/trees/${HEAD}?recursive=1`).reply(200, { sha: 'x', truncated: true, tree: [] });
    reader.get(`${REPO}/git/trees/${HEAD}`).reply(200, { sha: 'x', truncated: false, tree: wide });
    const error = await errorOf(http.github.fetchTree(HEAD));
    expect(error).toMatchObject({ status: 413, message: expect.stringContaining('too many') });
  });
});

describe('blobs', () => {
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a, 0xc3, 0x28]);
  const sha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const type = { 'content-type': 'application/vnd.github.raw+json; charset=utf-8' };

  it('are returned byte for byte although GitHub labels them UTF-8, and fetched once (C4)', async () => {
    reader
      .get(`${REPO}/git/blobs/${sha}`)
      .matchHeader('accept', 'application/vnd.github.raw+json')
      .reply(200, bytes, type);
    expect(Buffer.from(await http.github.fetchBlob(sha))).toEqual(bytes);
    await http.github.fetchBlob(sha);
  });

  it('an empty blob is empty', async () => {
    const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
    reader.get(`${REPO}/git/blobs/${empty}`).reply(200, '', type);
    expect(await http.github.fetchBlob(empty)).toHaveLength(0);
  });

  it('bytes with another SHA are an error', async () => {
    reader.get(`${REPO}/git/blobs/${sha}`).reply(200, bytes.subarray(0, 5), type);
    expect((await errorOf(http.github.fetchBlob(sha))).message).toContain('do not have this SHA');
  });
});

describe('the merge base', () => {
  it('is asked for once, without the patches of the first page (S141)', async () => {
    const [base, merged] = ['b'.repeat(40), 'c'.repeat(40)];
    reader
      .get(`${REPO}/compare/${base}...${HEAD}`)
      .query({ per_page: 1, page: 2 })
      .reply(200, { merge_base_commit: { sha: merged }, commits: [] });
    expect(await http.github.fetchMergeBase(base, HEAD)).toBe(merged);
    expect(await http.github.fetchMergeBase(base, HEAD)).toBe(merged);
  });
});

describe('a list of commits is complete or an error', () => {
  const compare = `${REPO}/compare/${'b'.repeat(40)}...${HEAD}`;
  const commit = (sha: string) => ({
    sha,
    parents: [{ sha: `before ${sha}` }],
    commit: { message: `message of ${sha}` },
    // GitHub sends an empty object for some authors that it does not know, and null for others.
    author: sha === '3' ? { id: 42, login: 'ana' } : sha === '2' ? {} : null,
  });

  it('reads all commits of a long comparison, newest first', async () => {
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
