import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { errorOf, http, mockEachTest, REPO, reader } from './http-mock.ts';

mockEachTest((mock) => mock.expectReadToken());

const TREE = { path: '.github', mode: '040000', type: 'tree', sha: 'd'.repeat(40) };

/** Serves the directories of the default branch: its root, and `.github`. */
function serveDirectories(root: readonly object[], below: readonly object[] = []): void {
  reader.get(`${REPO}/git/trees/HEAD`).reply(200, { sha: 'e'.repeat(40), truncated: false, tree: root });
  if (below.length > 0) serveDirectory(below);
}

function serveDirectory(tree: readonly object[]): void {
  reader.get(`${REPO}/git/trees/${TREE.sha}`).reply(200, { sha: TREE.sha, truncated: false, tree });
}

function file(path: string, text: string, more: object = {}): object {
  const sha = createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');
  reader.get(`${REPO}/git/blobs/${sha}`).optionally().reply(200, text);
  return { path, mode: '100644', type: 'blob', sha, size: Buffer.byteLength(text), ...more };
}

const TEXT = 'approvers: admin\n';

describe('the repository’s settings', () => {
  it('are looked up on the default branch each time, and read once (J1, S127)', async () => {
    serveDirectories([TREE], [file('countersign.yml', TEXT)]);
    const expected = { kind: 'file', bytes: new Uint8Array(Buffer.from(TEXT)) };
    expect(await http.github.fetchSettingsFile()).toEqual(expected);
    serveDirectories([TREE]);
    expect(await http.github.fetchSettingsFile()).toEqual(expected);
    serveDirectories([]);
    expect(await http.github.fetchSettingsFile()).toBeNull();
  });

  it.each([
    ['a link', { mode: '120000' }, { kind: 'link' }],
    ['a directory', { mode: '040000', size: undefined }, { kind: 'no-file' }],
    ['a file above a megabyte', { size: 2_000_000 }, { kind: 'too-large', size: 2_000_000 }],
  ])('%s is reported as such (S127, E3)', async (_what, more, found) => {
    serveDirectories([TREE], [file('countersign.yml', TEXT, more)]);
    expect(await http.github.fetchSettingsFile()).toEqual(found);
  });

  it('are a link below a link to a directory (S127, E3)', async () => {
    serveDirectories([{ ...TREE, mode: '120000', size: 7 }]);
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'link' });
  });

  it.each([500, 403, 404])('a %s is an error and never means that there are no rules (S127)', async (status) => {
    reader.get(`${REPO}/git/trees/HEAD`).reply(status, {});
    expect((await errorOf(http.github.fetchSettingsFile())).status).toBe(status);
  });
});

describe('CODEOWNERS', () => {
  it('is the first of GitHub’s places that has a file', async () => {
    serveDirectories([TREE, file('CODEOWNERS', '* @ana\n')], [file('other.txt', 'x')]);
    const expected = { path: 'CODEOWNERS', bytes: new Uint8Array(Buffer.from('* @ana\n')) };
    expect(await http.github.fetchCodeOwnersFile()).toEqual(expected);
  });
});

it('the tree of a branch is looked up each time, and read once (S137)', async () => {
  const sha = 'e'.repeat(40);
  const listing = { sha, truncated: false, tree: [{ path: 'AGENTS.md', mode: '100644', sha: TREE.sha, size: 4 }] };
  reader.get(`${REPO}/git/trees/release%2F1`).twice().reply(200, listing);
  reader.get(`${REPO}/git/trees/${sha}`).query({ recursive: '1' }).reply(200, listing);
  const first = await http.github.fetchBranchTree('release/1');
  expect([...first]).toEqual([['AGENTS.md', { mode: '100644', sha: TREE.sha, size: 4 }]]);
  expect(await http.github.fetchBranchTree('release/1')).toBe(first);
});
