import type nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, type HttpMock, mockHttp, READ_PERMISSIONS, REPO } from './http-mock.ts';

let http: HttpMock;

let reader: nock.Scope;

beforeEach(() => {
  http = mockHttp();
  http.mints(READ_PERMISSIONS, 'ghs_read');
  reader = http.as('ghs_read');
});

afterEach(() => http.finish());

const PATH = `${REPO}/contents/.github%2Fcountersign.yml`;

const TEXT = 'approvers: admin\n';

function file(text: string): object {
  return {
    type: 'file',
    size: Buffer.byteLength(text),
    encoding: 'base64',
    content: Buffer.from(text).toString('base64'),
  };
}

/** Serves the mode of the path in git. GitHub is asked for it once for each new version. */
function hasMode(mode: number | null): void {
  const file = mode === null ? null : { mode };
  reader.post('/graphql').reply(200, { data: { repository: { defaultBranchRef: { target: { file } } } } });
}

const [PLAIN, LINK] = [0o100644, 0o120000];

describe('the repository’s settings', () => {
  it('are read without naming a branch, so from the default one (J1)', async () => {
    reader.get(PATH).query({}).reply(200, file(TEXT));
    hasMode(PLAIN);
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'file', bytes: Buffer.from(TEXT) });
  });

  it('are revalidated with their etag and cached until they change (S127)', async () => {
    reader.get(PATH).reply(200, file(TEXT), { etag: 'W/"one"' });
    hasMode(PLAIN);
    await http.github.fetchSettingsFile();
    reader.get(PATH).matchHeader('if-none-match', 'W/"one"').reply(304);
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'file', bytes: Buffer.from(TEXT) });
    reader
      .get(PATH)
      .matchHeader('if-none-match', 'W/"one"')
      .reply(200, file('approvers: write\n'), { etag: 'W/"two"' });
    hasMode(PLAIN);
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'file', bytes: Buffer.from('approvers: write\n') });
    reader.get(PATH).matchHeader('if-none-match', 'W/"two"').reply(404, { message: 'Not Found' });
    expect(await http.github.fetchSettingsFile()).toBeNull();
  });

  it.each([
    ['a directory', [file(TEXT)], { kind: 'no-file' }],
    ['a link that leads nowhere', { type: 'symlink', size: 3, target: '../a' }, { kind: 'no-file' }],
    [
      'a file above a megabyte',
      { ...file(''), size: 2_000_000, encoding: 'none' },
      { kind: 'too-large', size: 2_000_000 },
    ],
    ['an empty file', file(''), { kind: 'file', bytes: Buffer.from('') }],
  ])('%s is reported as such (S127)', async (_what, body, found) => {
    reader.get(PATH).reply(200, body);
    if (found.kind !== 'no-file') hasMode(PLAIN);
    expect(await http.github.fetchSettingsFile()).toEqual(found);
  });

  it.each([
    ['a link', LINK],
    ['below a link to a directory', null],
  ])('%s, whose target GitHub returns, is no file, also while it stays the same (S127, E3)', async (_what, mode) => {
    reader.get(PATH).reply(200, file(TEXT), { etag: 'W/"one"' });
    hasMode(mode);
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'link' });
    reader.get(PATH).matchHeader('if-none-match', 'W/"one"').reply(304);
    expect(await http.github.fetchSettingsFile()).toEqual({ kind: 'link' });
  });

  it.each([500, 403, 304])('a %s is an error and never means that there are no rules (S127)', async (status) => {
    reader.get(PATH).reply(status, {});
    expect((await errorOf(http.github.fetchSettingsFile())).status).toBe(status);
  });

  it('an incomplete file is an error (S127)', async () => {
    reader.get(PATH).reply(200, { ...file(TEXT), size: 900 });
    await errorOf(http.github.fetchSettingsFile());
  });
});
