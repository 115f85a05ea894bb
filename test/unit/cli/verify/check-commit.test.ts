import { afterEach, describe, expect, it } from 'vitest';
import type { VerifiedChange } from '../../../../src/cli/verify/check-commit.ts';
import { ANA, APP, digest, GITHUB, type History, type NewCommit, newHistory, trailers } from './history.ts';

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
  return history.verify({ slug: 'countersign' });
}

const MORE = 'it differs in more than its trailers name';

describe('commits of the App', () => {
  it('each change of a file is found by its own digest, at its own lines (S73, S92)', async () => {
    const rows = await verdictOn(BOTH);
    expect(rows).toMatchObject([
      { proposal: 'aa11', path: 'a.txt', digest: FIRST, approvedBy: ['ana'], result: 'ok', problem: null },
      { proposal: 'bb22', path: 'a.txt', digest: SECOND, approvedBy: ['ana'], result: 'ok', problem: null },
    ]);
  });

  it.each<[string, NewCommit, string]>([
    ['a byte outside of all lines', { ...BOTH, files: { 'a.txt': AFTER.join('').replace('line 5', 'line 5 ') } }, MORE],
    ['a byte inside', { ...BOTH, files: { 'a.txt': AFTER.join('').replace('second', 'Second') } }, 'digest'],
    ['a line end inside', { ...BOTH, files: { 'a.txt': AFTER.join('').replace('second\n', 'second\r\n') } }, 'digest'],
    [
      'the changes swapped',
      { ...BOTH, message: `x\n\n${trailers('aa11', SECOND, '2,1 2,2')}${trailers('bb22', FIRST, '9,1 9,0')}` },
      'digest',
    ],
    ['a range left out', { ...BOTH, message: `x\n\n${ONE}${trailers('bb22', SECOND, null)}` }, 'digest'],
    ['a range too wide', { ...BOTH, message: `x\n\n${trailers('aa11', FIRST, '2,2 2,3')}${TWO}` }, 'digest'],
    ['a group left out', { ...BOTH, message: `x\n\n${ONE}` }, MORE],
    [
      'a digest cut short',
      { ...BOTH, message: `x\n\n${ONE.replace(FIRST, FIRST.slice(1))}${TWO}` },
      'its Countersign-Digest is missing',
    ],
    [
      'two digests in one group',
      { ...BOTH, message: `x\n\n${ONE}Countersign-Digest: sha256:${SECOND}\n${TWO}` },
      'its Countersign-Digest is missing, stands there twice',
    ],
    [
      'a group without an approver',
      { ...BOTH, message: `x\n\n${ONE.replace('Approved-by: ana\n', '')}${TWO}` },
      'its Approved-by is missing',
    ],
    ['another file', { ...BOTH, files: { ...BOTH.files, 'b.txt': 'Other\n' } }, MORE],
    ['a link', { ...BOTH, files: { ...BOTH.files, c: { mode: '120000', bytes: 'a.txt' } } }, 'a link'],
    ['a mode', { ...BOTH, files: { 'a.txt': { mode: '100755', bytes: AFTER.join('') } } }, 'digest'],
    [
      'the mode of another file',
      { ...BOTH, files: { ...BOTH.files, 'b.txt': { mode: '100755', bytes: 'other\n' } } },
      MORE,
    ],
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
    expect(rows.map(({ result }) => result)).toEqual(['mismatch', 'mismatch']);
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

describe('a rebased commit', () => {
  const LATER = [...TEN.slice(0, 3).map((line) => `new ${line}`), ...TEN];

  it('verifies by any committer, where its lines and their context are once in the file', async () => {
    const history = begin({ 'a.txt': LATER.join('') });
    const files = { 'a.txt': LATER.filter((line) => line !== 'line 9\n').join('') };
    history.commit({ files, message: `x\n\n${TWO}`, committer: ANA, signed: false });
    expect(await history.verify()).toMatchObject([{ proposal: 'bb22', result: 'ok', committedBy: 'Ana' }]);
  });

  it('is a mismatch where these lines are twice in the file', async () => {
    const twice = [...TEN, 'end\n', ...TEN, 'end\n'];
    const named = digest('edit', 'a.txt', {
      after: ['line 10\n', 'end\n'],
      before: TEN.slice(5, 8),
      new: [],
      old: ['line 9\n'],
    });
    const verdictAt = async (start: number) => {
      const history = begin({ 'a.txt': twice.join('') });
      const files = { 'a.txt': twice.toSpliced(19, 1).join('') };
      history.commit({ files, message: `x\n\n${trailers('aa11', named, `${start},1 ${start},0`)}` });
      return results(await history.verify())[0]?.[2];
    };
    // The digest has two lines of context below, because the file ends there.
    expect([await verdictAt(20), await verdictAt(9)]).toEqual(['ok', 'mismatch']);
  });
});

const OTHER_BOT = { ...APP, name: 'b[bot]', email: '78+b[bot]@users.noreply.github.com' };

describe('a commit in the App’s name', () => {
  const forged = 'rm -rf /\n';
  const shorter = `x\n\n${ONE}`;

  it.each<[string, string]>([
    ['no trailer at all', 'Update a.txt\n'],
    ['CR LF', shorter.replaceAll('\n', '\r\n')],
    ['trailers in the middle', `x\n\n${ONE}\nand more words\n`],
    ['each trailer twice', shorter.replace(/^(Countersign.*)$/gm, '$1\n$1')],
    ['letters of other forms', shorter.replaceAll('C', '\uFF23').replaceAll('A', '\uFF21')],
  ])('R74: with other bytes and %s is a mismatch, whether the App is named or not', async (_, message) => {
    const bytes = { files: { 'a.txt': forged }, message };
    const resultsOf = async (commit: NewCommit, slug?: string) => {
      const history = begin({ 'a.txt': TEN.join('') });
      history.commit(commit);
      return (await history.verify(slug === undefined ? {} : { slug })).map(({ result }) => result);
    };
    expect(await resultsOf(bytes, 'countersign')).toContain('mismatch');
    expect(await resultsOf(bytes)).toContain('mismatch');
  });

  it('R74: by its address alone is a mismatch without trailers: GitHub shows the account of the address', async () => {
    const author = { ...APP, name: 'Ana' };
    const forgery = { files: { 'a.txt': forged }, message: 'Update a.txt\n', author };
    expect((await verdictOn(forgery)).map(({ result }) => result)).toEqual(['mismatch']);
  });

  it('R74: whose name is known from its other commits is a mismatch without trailers', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    history.commit({ ...BOTH, author: OTHER_BOT });
    history.commit({ files: { 'a.txt': forged }, message: 'Update a.txt\n', author: OTHER_BOT });
    expect(results(await history.verify()).map(([, , result]) => result)).toEqual(['ok', 'ok', 'mismatch']);
  });

  it.each<[string, (message: string) => string]>([
    ['an approver in another case', (message) => message.replace('Approved-by: ana\n', '$&approved-by: boss\n')],
    ['an approver on two lines', (message) => message.replace('Approved-by: ana\n', '$& boss\n')],
    ['an approver with a wide letter', (message) => message.replace('Approved-by: ana\n', '$&Ａpproved-by: boss\n')],
  ])('R74: with the right bytes and %s, which the App never writes, is a mismatch', async (_, write) => {
    const rows = await verdictOn({ ...BOTH, message: write(BOTH.message) });
    expect(rows.map(({ result }) => result)).toEqual(['mismatch', 'mismatch']);
  });
});

describe('commits of others', () => {
  it.each<[string, Partial<NewCommit>, string]>([
    ['a squash by a person', { author: ANA }, 'by Ana'],
    ['a name without the bot’s address', { author: { ...APP, email: 'x@example.com' } }, 'by countersign[bot] <x@'],
    ['another App', { author: OTHER_BOT }, 'by b[bot]'],
    [
      'an author on a host with a similar name',
      { author: { ...APP, email: '77+countersign[bot]@users.noreply.github.com.evil.example' } },
      'github.com.evil.example',
    ],
  ])('%s is listed as a copy, with any content (X9)', async (_what, changed, problem) => {
    const rows = await verdictOn({ ...BOTH, ...changed, files: { 'a.txt': 'all else\n' } });
    expect(rows.map(({ result }) => result)).toEqual(['copied', 'copied']);
    expect(rows[0]?.problem).toContain(problem);
  });

  it('are ignored without trailers', async () => {
    const message = 'About Countersign-Proposal: aa11\n';
    expect(await verdictOn({ ...BOTH, message, author: ANA })).toEqual([]);
    expect(await verdictOn({ ...BOTH, message: 'Bump countersign from 1 to 2\n', author: OTHER_BOT })).toEqual([]);
    const history = begin({ 'a.txt': TEN.join('') });
    history.commit({ files: { 'a.txt': 'x\n' }, message: 'Bump countersign from 1 to 2\n', author: OTHER_BOT });
    expect(await history.verify()).toEqual([]);
  });

  it('a forged name gains nothing: a commit in the App’s name is checked, in upper and lower case', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    history.commit({ ...BOTH, files: { 'a.txt': 'rm -rf /\n' }, committer: GITHUB });
    const rows = await history.verify({ slug: 'Countersign' });
    expect(rows.every(({ result }) => result === 'mismatch')).toBe(true);
  });

  it('the names of another server count only if that server is named (X9)', async () => {
    const history = begin({ 'a.txt': TEN.join('') });
    history.commit({ ...BOTH, author: { ...APP, email: '77+countersign[bot]@users.noreply.git.acme.example' } });
    expect(results(await history.verify())[0]?.[2]).toBe('copied');
    expect(results(await history.verify({ host: 'Git.Acme.example' }))[0]?.[2]).toBe('ok');
  });
});
