import { describe, expect, it } from 'vitest';
import { errorOf, HEAD, http, mockEachTest, outcomeLater, pullAnswer, REF, REPO, ROOT, reader } from './http-mock.ts';

mockEachTest((mock) => mock.expectReadToken());

function next(path: string): Record<string, string> {
  return { link: `<https://api.github.com${path}>; rel="next", <https://api.github.com/x>; rel="last"` };
}

describe('the pull request', () => {
  const answers = (given: object = {}) => {
    reader.post('/graphql').reply(200, { data: { repository: pullAnswer(given) } });
  };

  it('has state, author, base and head', async () => {
    answers();
    expect(await http.github.fetchPull()).toEqual({
      state: 'open',
      draft: true,
      title: 'Totals',
      description: 'Sums.',
      labels: ['bug'],
      author: { id: 7, login: 'ana' },
      baseRef: 'main',
      baseSha: 'b'.repeat(40),
      headRef: 'totals',
      headSha: HEAD,
      fork: false,
      changedFiles: 4,
      approvals: 1,
      defaultBranch: 'trunk',
    });
  });

  it.each([
    ['a merged one', { state: 'MERGED' }, { state: 'merged' }],
    ['a closed one', { state: 'CLOSED' }, { state: 'closed' }],
    [
      'one of a bot',
      { author: { __typename: 'Bot', login: 'x', databaseId: 8 } },
      { author: { id: 8, login: 'x[bot]' } },
    ],
    ['one of a deleted account', { author: null }, { author: null }],
    ['one of an imported account', { author: { __typename: 'Mannequin', login: 'eve' } }, { author: null }],
    ['a fork', { headRepository: { databaseId: 23 } }, { fork: true }],
    ['a deleted fork', { headRepository: null }, { fork: true }],
  ])('knows %s', async (_, given, expected) => {
    answers(given);
    expect(await http.github.fetchPull()).toMatchObject(expected);
  });

  it('comes with the settings’ directory, which is read anew only once it changed (S127)', async () => {
    const listing = { sha: ROOT, truncated: false, tree: [] };
    reader.get(`${REPO}/git/trees/${ROOT}`).reply(200, listing);
    for (const _ of ['at a decision', 'before the commit']) {
      answers();
      const github = http.githubs.forPull(REF);
      await github.fetchPull();
      expect(await github.fetchSettingsFile()).toBeNull();
    }
    answers();
    const github = http.githubs.forPull(REF);
    await github.fetchPull();
    // What a slow attempt read at its beginning says nothing of now.
    http.clock.now += 2_000;
    reader.get(`${REPO}/git/trees/HEAD`).reply(500, {});
    expect((await errorOf(github.fetchSettingsFile())).status).toBe(500);
  });
});

describe('permission', () => {
  it.each([
    ['admin', 'admin'],
    ['maintain', 'maintain'],
    ['write', 'write'],
    ['triage', 'read'],
    ['read', 'read'],
    ['none', 'none'],
    ['something-new', 'none'],
  ])('%s is %s (R7)', async (word, permission) => {
    reader.get(`${REPO}/collaborators/bob/permission`).reply(200, { permission: word, user: { id: 9 } });
    expect(await http.github.fetchPermission('bob')).toEqual({ permission, userId: 9 });
  });

  it('an account that is not a user has none', async () => {
    reader.get(`${REPO}/collaborators/Copilot/permission`).twice().reply(404, { message: 'Copilot is not a user' });
    const found = outcomeLater(http, () => http.github.fetchPermission('Copilot'));
    expect(await found).toEqual({ permission: 'none', userId: null });
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

describe('the rules of a branch', () => {
  const answers = (status: number, message: string) =>
    reader.get(`${REPO}/rules/branches/totals`).query(true).reply(status, { message });

  it('are none where the plan has none', async () => {
    answers(403, 'Upgrade to GitHub Pro or make this repository public to enable this feature.');
    expect(await http.github.fetchRules('totals')).toEqual([]);
  });

  it.each([
    ['R1: a new token is not known yet', 403, 'Resource not accessible by integration'],
    ['R2: one server does not know the repository yet', 404, 'Not Found'],
  ])('are asked for again while %s', async (_, status, message) => {
    answers(status, message);
    answers(status, message);
    expect(await outcomeLater(http, () => http.github.fetchRules('totals'))).toEqual([]);
  });
});

describe('a list of files is complete or an error', () => {
  it('reads all pages of files; a missing patch is null', async () => {
    const path = `${REPO}/pulls/3/files`;
    reader
      .get(path)
      .query({ per_page: 100, page: 1 })
      .reply(
        200,
        [{ filename: 'a', status: 'added', additions: 2, deletions: 0, patch: '@@' }],
        next(`${path}?per_page=100&page=2`),
      );
    reader
      .get(path)
      .query({ per_page: 100, page: 2 })
      .reply(200, [{ filename: 'b.png', previous_filename: 'c.png', status: 'renamed', additions: 0, deletions: 0 }]);
    expect(await http.github.listFiles(HEAD)).toEqual([
      { path: 'a', previousPath: null, status: 'added', added: 2, removed: 0, patch: '@@' },
      { path: 'b.png', previousPath: 'c.png', status: 'renamed', added: 0, removed: 0, patch: null },
    ]);
  });

  const listed = (sha: string, more: object = {}) => ({
    filename: 'a',
    status: 'modified',
    contents_url: `https://api.github.com${REPO}/contents/a?ref=${sha}`,
    ...more,
  });

  it('the files of one head are fetched once; a list of another head, or with only a removed file, is fetched again', async () => {
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

  it('a list whose pages are of two heads is not cached', async () => {
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
});
