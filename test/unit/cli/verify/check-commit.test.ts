import { afterEach, describe, expect, it } from 'vitest';
import type { VerifiedChange } from '../../../../src/cli/verify/check-commit.ts';
import { ANA, APP, blobId, digest, GITHUB, type History, type NewCommit, newHistory, trailers } from './history.ts';

const histories: History[] = [];

afterEach(() => {
  for (const history of histories.splice(0)) history.remove();
});

/** A history that starts with a person's commit of these files. */
function begin(files: NewCommit['files']): History {
  const history = newHistory();
  histories.push(history);
  history.commit({ files, message: 'Begin\n', author: ANA, committer: ANA, signed: false });
  return history;
}

function results(rows: readonly VerifiedChange[]): readonly (readonly [string | null, string | null, string])[] {
  return rows.map(({ proposal, path, result }) => [proposal, path, result]);
}

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`);

/** Two changes of one file: line 2 becomes two lines, line 9 is deleted. */
const AFTER = ['line 1\n', 'second\n', 'line two\n', ...TEN.slice(2, 8), 'line 10\n'];

const FIRST = digest('edit', 'a.txt', {
  after: TEN.slice(2, 5),
  before: ['line 1\n'],
  new: ['second\n', 'line two\n'],
  old: ['line 2\n'],
});

const SECOND = digest('edit', 'a.txt', {
  after: ['line 10\n'],
  before: TEN.slice(5, 8),
  new: [],
  old: ['line 9\n'],
});

const ONE = trailers('aa11', FIRST, '2,1 2,2');

const TWO = trailers('bb22', SECOND, '9,1 9,0');

/** The App's commit with both changes. */
const BOTH = { files: { 'a.txt': AFTER.join('') }, message: `Apply 2 changes to 1 file\n\n${ONE}${TWO}` } as const;

async function verdictOn(commit: NewCommit): Promise<readonly VerifiedChange[]> {
  const history = begin({ 'a.txt': TEN.join(''), 'b.txt': 'other\n' });
  history.commit(commit);
  return history.verify();
}

describe('commits of the App', () => {
  it('each change of a file is found by its own digest, at its own lines (S73, S92)', async () => {
    const rows = await verdictOn(BOTH);
    expect(rows).toMatchObject([
      { proposal: 'aa11', path: 'a.txt', digest: FIRST, approvedBy: ['ana'], result: 'ok', problem: null },
      { proposal: 'bb22', path: 'a.txt', digest: SECOND, approvedBy: ['ana'], result: 'ok', problem: null },
    ]);
  });

  it('new, empty, deleted, moved and binary files are checked too, with their modes (S73)', async () => {
    const binary = Buffer.from([0, 1, 255]);
    const other = Buffer.from([0, 2, 255]);
    const history = begin({
      'old.txt': 'one\ntwo',
      'empty.txt': '',
      'run.sh': { mode: '100755', bytes: '#!/bin/sh\n' },
      'picture.bin': binary,
      'gone.bin': other,
    });
    const none = { after: [], before: [], new: [], old: [] };
    const groups = [
      trailers(
        'aa11',
        digest('delete', 'old.txt', { ...none, old: ['one\n', 'two'] }, { modes: ['100644', null] }),
        '1,2 0,0',
      ),
      trailers('aa12', digest('delete', 'empty.txt', none, { modes: ['100644', null] }), '0,0 0,0'),
      trailers(
        'aa13',
        digest('write', 'new.txt', { ...none, new: ['ü\r\n', 'x'] }, { modes: [null, '100644'] }),
        '0,0 1,2',
      ),
      trailers('aa14', digest('write', 'none.txt', none, { modes: [null, '100644'] }), '0,0 0,0'),
      trailers(
        'aa15',
        digest(
          'move',
          'bin/run.sh',
          { newBlob: blobId('#!/bin/sh\n'), oldBlob: blobId('#!/bin/sh\n') },
          { from: 'run.sh', modes: ['100755', '100755'] },
        ),
        null,
      ),
      trailers(
        'aa16',
        digest('delete', 'gone.bin', { newBlob: null, oldBlob: blobId(other) }, { modes: ['100644', null] }),
        null,
      ),
      trailers('aa17', digest('write', 'picture.bin', { newBlob: blobId('text\n'), oldBlob: blobId(binary) }), null),
    ];
    history.commit({
      files: {
        'old.txt': null,
        'empty.txt': null,
        'new.txt': 'ü\r\nx',
        'none.txt': '',
        'run.sh': null,
        'bin/run.sh': { mode: '100755', bytes: '#!/bin/sh\n' },
        'gone.bin': null,
        'picture.bin': 'text\n',
      },
      message: `Apply 7 changes to 7 files\n\n${groups.join('')}`,
    });
    expect(results(await history.verify())).toEqual([
      ['aa11', 'old.txt', 'ok'],
      ['aa12', 'empty.txt', 'ok'],
      ['aa13', 'new.txt', 'ok'],
      ['aa14', 'none.txt', 'ok'],
      ['aa15', 'bin/run.sh', 'ok'],
      ['aa16', 'gone.bin', 'ok'],
      ['aa17', 'picture.bin', 'ok'],
    ]);
  });

  it.each<[string, NewCommit, string]>([
    [
      'a byte outside of all lines',
      { ...BOTH, files: { 'a.txt': AFTER.join('').replace('line 5', 'line 5 ') } },
      'outside',
    ],
    ['a byte outside, after the last line', { ...BOTH, files: { 'a.txt': `${AFTER.join('')}\n` } }, 'outside'],
    ['a byte inside', { ...BOTH, files: { 'a.txt': AFTER.join('').replace('second', 'Second') } }, 'digest'],
    ['a line end inside', { ...BOTH, files: { 'a.txt': AFTER.join('').replace('second\n', 'second\r\n') } }, 'digest'],
    [
      'the changes swapped',
      { ...BOTH, message: `x\n\n${trailers('aa11', SECOND, '2,1 2,2')}${trailers('bb22', FIRST, '9,1 9,0')}` },
      'digest',
    ],
    ['ids that are the same', { ...BOTH, message: `x\n\n${ONE}${TWO.replace('bb22', 'aa11')}` }, 'same id'],
    ['a range left out', { ...BOTH, message: `x\n\n${ONE}${trailers('bb22', SECOND, null)}` }, 'digest'],
    ['a range too wide', { ...BOTH, message: `x\n\n${trailers('aa11', FIRST, '2,2 2,3')}${TWO}` }, 'digest'],
    ['a range too narrow', { ...BOTH, message: `x\n\n${trailers('aa11', FIRST, '2,1 2,1')}${TWO}` }, 'digest'],
    ['a range elsewhere', { ...BOTH, message: `x\n\n${trailers('aa11', FIRST, '3,1 3,2')}${TWO}` }, 'digest'],
    ['a range beyond the file', { ...BOTH, message: `x\n\n${trailers('aa11', FIRST, '200,1 2,2')}${TWO}` }, 'digest'],
    ['a range that says nothing', { ...BOTH, message: `x\n\n${trailers('aa11', FIRST, '2-3')}${TWO}` }, 'of the form'],
    ['a group left out', { ...BOTH, message: `x\n\n${ONE}` }, 'outside'],
    ['a group twice', { ...BOTH, message: `x\n\n${ONE}${ONE}${TWO}` }, 'same id'],
    [
      'a digest cut short',
      { ...BOTH, message: `x\n\n${ONE.replace(FIRST, FIRST.slice(1))}${TWO}` },
      'no Countersign-Digest',
    ],
    [
      'a digest without a proposal',
      { ...BOTH, message: `x\n\nCountersign-Digest: sha256:${FIRST}\n${TWO}` },
      'no Countersign-Proposal',
    ],
    [
      'two digests in one group',
      { ...BOTH, message: `x\n\n${ONE}Countersign-Digest: sha256:${SECOND}\n${TWO}` },
      'two digests',
    ],
    [
      'a group without an approver',
      { ...BOTH, message: `x\n\n${ONE.replace('Approved-by: ana\n', '')}${TWO}` },
      'names no approver',
    ],
    ['another file', { ...BOTH, files: { ...BOTH.files, 'b.txt': 'Other\n' } }, 'no trailers name'],
    ['another file deleted', { ...BOTH, files: { ...BOTH.files, 'b.txt': null } }, 'no trailers name'],
    ['a new file', { ...BOTH, files: { ...BOTH.files, 'deep/c.txt': '' } }, 'no trailers name'],
    ['a link', { ...BOTH, files: { ...BOTH.files, c: { mode: '120000', bytes: 'a.txt' } } }, 'a link'],
    ['a mode', { ...BOTH, files: { 'a.txt': { mode: '100755', bytes: AFTER.join('') } } }, 'digest'],
    [
      'the mode of another file',
      { ...BOTH, files: { ...BOTH.files, 'b.txt': { mode: '100755', bytes: 'other\n' } } },
      'no trailers name',
    ],
    ['a file that became binary', { ...BOTH, files: { 'a.txt': `${AFTER.join('')}\0` } }, 'digest'],
    ['a commit without its named changes', { ...BOTH, files: {} }, 'digest'],
    [
      'many files',
      { ...BOTH, files: Object.fromEntries(TEN.map((name) => [name.trim(), name])) },
      'changes more files than its trailers allow',
    ],
  ])('%s is a mismatch (B3, S92)', async (_what, commit, words) => {
    const rows = await verdictOn(commit);
    const problems = rows.filter(({ result }) => result === 'mismatch').map(({ problem }) => problem);
    expect(problems.join('; ')).toContain(words);
  });

  it('a mode that the digest itself names is still a mismatch, because people never see modes', async () => {
    const named = digest(
      'edit',
      'b.txt',
      { after: [], before: [], new: ['Other\n'], old: ['other\n'] },
      { modes: ['100644', '100755'] },
    );
    const files = { 'b.txt': { mode: '100755', bytes: 'Other\n' } } as const;
    const rows = await verdictOn({ files, message: `x\n\n${trailers('aa11', named, '1,1 1,1')}` });
    expect(rows.map(({ problem }) => problem)).toContain('its mode was changed');
  });

  it('a commit that repeats a change is a mismatch (V2)', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    const first = history.commit(BOTH);
    history.commit({ files: { 'a.txt': TEN.join('') }, message: 'Put it back\n', author: ANA });
    history.commit(BOTH);
    const problem = `${first.slice(0, 7)} holds it already`;
    expect(await history.verify()).toMatchObject([
      { result: 'ok' },
      { result: 'ok' },
      { result: 'mismatch', problem },
      { result: 'mismatch', problem },
    ]);
  });

  it('a merge, or a first commit, in the App’s name is a mismatch', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    const left = history.commit({ files: {}, message: 'Left\n', author: ANA });
    const right = history.commit({ files: {}, message: 'Right\n', author: ANA });
    history.commit({ ...BOTH, parents: [right, left] });
    expect((await history.verify()).map(({ problem }) => problem)).toContain('it has 2 parents instead of one');
  });
});

describe('copies', () => {
  it.each<[string, Partial<NewCommit>, string]>([
    ['a squash by a person', { author: ANA }, 'by Ana'],
    ['a rebase by a person', { committer: ANA }, 'committed by Ana'],
    ['a rebase by GitHub, which signs none', { signed: false }, 'not signed, as after a rebase'],
    ['a name without the bot’s address', { author: { ...APP, email: 'x@example.com' } }, 'by countersign[bot]'],
  ])('%s is listed and not a failure, with any content', async (_what, changed, note) => {
    expect(await verdictOn({ ...BOTH, ...changed })).toMatchObject([
      { result: 'copied', problem: null, note },
      { result: 'copied', problem: null, note },
    ]);
    const squashed = await verdictOn({ ...BOTH, ...changed, files: { 'a.txt': 'all else\n', 'b.txt': 'too\n' } });
    expect(squashed.map(({ result, problem }) => [result, problem !== null])).toEqual([
      ['copied', true],
      ['copied', true],
    ]);
  });

  it('commits of another App are copies if this App is named, and failures if its commits are required (X9)', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    const author = { ...APP, name: 'backport[bot]', email: '78+backport[bot]@users.noreply.github.com' };
    history.commit({ ...BOTH, author, files: { 'a.txt': 'else\n' } });
    const resultsOf = async (rule: Parameters<History['verify']>[0]): Promise<ReadonlySet<string>> =>
      new Set((await history.verify(rule)).map(({ result }) => result));
    expect(await resultsOf({})).toEqual(new Set(['mismatch']));
    expect(await resultsOf({ slug: 'countersign' })).toEqual(new Set(['copied']));
    expect(await resultsOf({ slug: 'countersign', isRequired: true })).toEqual(new Set(['mismatch']));
  });

  it('a forged name gains nothing: a commit in the App’s name is checked against its trailers', async () => {
    const forged = { ...BOTH, files: { 'a.txt': 'rm -rf /\n' }, author: APP, committer: GITHUB, signed: true };
    expect((await verdictOn(forged)).every(({ result }) => result === 'mismatch')).toBe(true);
  });

  it('the App’s name counts in upper and lower case, as on GitHub', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    history.commit({ ...BOTH, files: { 'a.txt': 'else\n' } });
    const rows = await history.verify({ slug: 'Countersign' });
    expect(rows.every(({ result }) => result === 'mismatch')).toBe(true);
  });

  it('commits without trailers are ignored', async () => {
    expect(await verdictOn({ ...BOTH, message: 'About Countersign-Proposal: aa11\n' })).toEqual([]);
  });
});

describe('who made a commit', () => {
  it('a required commit of the App passes, and an exact one of another account fails (X9)', async () => {
    const required = async (changed: Partial<NewCommit>, slug: string) => {
      const history = begin({ 'a.txt': TEN.join('') });
      history.commit({ ...BOTH, ...changed });
      const rows = await history.verify({ slug, isRequired: true });
      return new Set(rows.map(({ exact, origin, result, problem }) => [exact, origin, result, problem].join()));
    };
    expect(await required({}, 'countersign')).toEqual(new Set(['true,unknown,ok,']));
    expect(await required({ signed: false }, 'countersign')).toEqual(new Set(['true,unknown,ok,']));
    const byAna = `true,other,mismatch,it is not the App's own (by Ana)`;
    expect(await required({ author: ANA, committer: ANA, signed: false }, 'countersign')).toEqual(new Set([byAna]));
    const byOther = `true,other,mismatch,it is not the App's own (by countersign[bot])`;
    expect(await required({}, 'other')).toEqual(new Set([byOther]));
  });

  it.each<[string, Partial<NewCommit>]>([
    ['a committer whose name only begins like GitHub', { committer: { ...GITHUB, name: 'GitHub Impostor' } }],
    ['a committer on another host', { committer: { ...GITHUB, email: 'noreply@evil.example' } }],
    ['an author on another host', { author: { ...APP, email: '77+countersign[bot]@users.noreply.evil.example' } }],
    [
      'an author on a host with a similar name',
      { author: { ...APP, email: '77+countersign[bot]@users.noreply.github.com.evil.example' } },
    ],
  ])('%s is not the App (X9)', async (_what, changed) => {
    const rows = await verdictOn({ ...BOTH, ...changed });
    expect(rows.map(({ exact, origin, result }) => [exact, origin, result])).toEqual([
      [true, 'other', 'copied'],
      [true, 'other', 'copied'],
    ]);
  });

  it('the names of another server count only if that server is named (X9)', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    const author = { ...APP, email: '77+countersign[bot]@users.noreply.git.acme.example' };
    const committer = { ...GITHUB, name: 'GitHub Enterprise', email: 'noreply@git.acme.example' };
    history.commit({ ...BOTH, author, committer });
    const origins = async (host?: string) =>
      new Set((await history.verify(host === undefined ? {} : { host })).map(({ origin }) => origin));
    expect(await origins()).toEqual(new Set(['other']));
    expect(await origins('Git.Acme.example')).toEqual(new Set(['unknown']));
    const note = 'by countersign[bot] of another server, 77+countersign[bot]@users.noreply.git.acme.example';
    expect((await history.verify())[0]).toMatchObject({ result: 'copied', note });
  });

  it('trailers in another case are listed and checked (X9)', async () => {
    const rows = await verdictOn({
      ...BOTH,
      message: BOTH.message.replaceAll(/^[\w-]+(?=:)/gm, (name) => name.toUpperCase()),
    });
    expect(results(rows)).toEqual([
      ['aa11', 'a.txt', 'ok'],
      ['bb22', 'a.txt', 'ok'],
    ]);
    const forged = { ...BOTH, files: { 'a.txt': 'all else\n' }, message: BOTH.message.toLowerCase() };
    expect(new Set((await verdictOn(forged)).map(({ result }) => result))).toEqual(new Set(['mismatch']));
  });
});
