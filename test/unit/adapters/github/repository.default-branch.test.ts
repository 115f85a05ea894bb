import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFAULT_BRANCH, errorOf, HEAD, http, mockEachTest, REF, REPO, reader } from './http-mock.ts';

mockEachTest((mock) => mock.expectReadToken());

/** Serves a default branch that has these entries, by the name of each place. */
function serve(entries: object): void {
  const defaultBranchRef = { ...DEFAULT_BRANCH, places: { ...DEFAULT_BRANCH.places, ...entries } };
  reader.post('/graphql').reply(200, { data: { repository: { defaultBranchRef } } });
}

function file(text: string, more: object = {}): object {
  const byteSize = Buffer.byteLength(text);
  const oid = createHash('sha1').update(`blob ${byteSize}\0${text}`).digest('hex');
  reader.get(`${REPO}/git/blobs/${oid}`).optionally().reply(200, text);
  return { mode: 0o100644, oid, object: { byteSize }, ...more };
}

const TEXT = 'approvers: admin\n';

describe('the repository’s settings', () => {
  it('are looked up on the default branch each time, and read once (J1, S127)', async () => {
    const fetchSettings = () => http.githubs.forPull(REF).fetchSettingsFile();
    const settings = file(TEXT);
    const expected = { kind: 'file', bytes: new Uint8Array(Buffer.from(TEXT)) };
    for (const _ of ['read', 'known']) {
      serve({ _github_countersign_yml: settings });
      expect(await fetchSettings()).toEqual(expected);
    }
    serve({});
    expect(await fetchSettings()).toBeNull();
  });

  it.each([
    ['a link', { mode: 0o120000 }, { kind: 'link' }],
    ['a directory', { mode: 0o040000, object: {} }, { kind: 'no-file' }],
    ['a submodule', { mode: 0o160000, object: null }, { kind: 'no-file' }],
    ['a file above a megabyte', { object: { byteSize: 2_000_000 } }, { kind: 'too-large', size: 2_000_000 }],
  ])('%s is reported as such (S127, E3)', async (_what, more, found) => {
    serve({ _github_countersign_yml: file(TEXT, more) });
    expect(await http.github.fetchSettingsFile()).toEqual(found);
  });

  it('are a link below a link to a directory (S127, E3)', async () => {
    serve({ _github: { mode: 0o120000, oid: HEAD, object: { byteSize: 7 } } });
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'link' });
  });

  it.each([500, 403, 404])('a %s is an error and never means that there are no rules (S127)', async (status) => {
    reader.post('/graphql').reply(status, {});
    expect((await errorOf(http.github.fetchSettingsFile())).status).toBe(status);
  });

  it('an answer that leaves the place or the branch out is an error, too (S127)', async () => {
    for (const defaultBranchRef of [null, { ...DEFAULT_BRANCH, places: {} }]) {
      reader.post('/graphql').reply(200, { data: { repository: { defaultBranchRef } } });
      expect((await errorOf(http.github.fetchSettingsFile())).message).toContain('in an unknown form');
    }
  });
});

describe('CODEOWNERS', () => {
  it('is the first of GitHub’s places that has a file', async () => {
    serve({ CODEOWNERS: file('* @ana\n'), docs_CODEOWNERS: file('* @ben\n') });
    const expected = { path: 'CODEOWNERS', bytes: new Uint8Array(Buffer.from('* @ana\n')) };
    expect(await http.github.fetchCodeOwnersFile()).toEqual(expected);
  });
});

it('the tree of the default branch is looked up once it is two seconds old, and read once (S137)', async () => {
  const { oid } = DEFAULT_BRANCH.target.tree;
  const listing = { sha: oid, truncated: false, tree: [{ path: 'AGENTS.md', mode: '100644', sha: HEAD, size: 4 }] };
  reader.get(`${REPO}/git/trees/${oid}`).query({ recursive: '1' }).reply(200, listing);
  serve({});
  const first = await http.github.fetchDefaultTree();
  expect([...first]).toEqual([['AGENTS.md', { mode: '100644', sha: HEAD, size: 4 }]]);
  http.clock.now += 2_001;
  serve({});
  expect(await http.github.fetchDefaultTree()).toBe(first);
});
