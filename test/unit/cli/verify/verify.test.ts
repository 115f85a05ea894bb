import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROOF, runVerify } from '../../../../src/cli/verify/verify.ts';
import { type Ended, run } from '../../../cli/process.ts';
import { runHere } from '../../../support/run-here.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';
import { ANA, digest, type History, newHistory, trailers } from './history.ts';

const scratch = scratchFolder();

const path = process.env['PATH'] ?? '';

let history: History;

let repository: string;

let tip: string;

const changed = digest('edit', 'a.txt', { after: [], before: [], new: ['two\n'], old: ['one\n'] });

beforeAll(() => {
  history = newHistory();
  history.commit({ files: { 'a.txt': 'one\n' }, message: 'Begin\n', author: ANA });
  history.commit({ files: { 'a.txt': 'two\n' }, message: `Edit\n\n${trailers('k7q2', changed, '1,1 1,1')}` });
  history.commit({ files: { 'b.txt': 'b\n' }, message: 'Something else\n', author: ANA });
  tip = history.commit({ files: { 'a.txt': 'bad\n' }, message: `Edit\n\n${trailers('m3x8', changed, '1,1 1,1')}` });
  repository = history.write();
});

afterAll(() => {
  history.remove();
});

function verify(...args: readonly string[]): Promise<Ended> {
  return runHere(() => runVerify(args), { HOME: scratch });
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { encoding: 'utf8', stdio: 'pipe', env: { PATH: path, HOME: scratch } });
}

describe('countersign verify', () => {
  it('prints a table and exits with 0 if every check passes, else with 1 (S73)', async () => {
    const good = await verify('main~2', '--repo', repository);
    const bad = await verify('main~1..main', '--repo', repository);
    const sha = git('-C', repository, 'rev-parse', '--short=7', 'main~2').trim();
    expect(good).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'commit   change  path   digest        approved by  committed by  result',
        `${sha}  k7q2    a.txt  ${changed.slice(0, 12)}  ana          GitHub        ok`,
        '',
        '1 commit of main~2: 1 ok.',
        PROOF,
        '',
      ].join('\n'),
    });
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('MISMATCH: no change of this commit has this digest');
    expect(bad.stdout).toContain('1 commit of main~1..main: 0 ok, 2 mismatched.');
  });

  it('reports the same with --json', async () => {
    const { code, stdout } = await verify('--json', 'main~3..main~1', '--repo', repository);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      range: 'main~3..main~1',
      ok: 1,
      mismatch: 0,
      copied: 0,
      unchecked: 0,
      changes: [
        {
          ...{ proposal: 'k7q2', path: 'a.txt', digest: changed, approvedBy: ['ana'] },
          ...{ committedBy: 'GitHub', result: 'ok', problem: null },
        },
      ],
      proof: PROOF,
    });
  });

  it('a damaged repository is reported in one line, with what to do next', async () => {
    const damaged = history.write();
    rmSync(join(damaged, 'objects'), { recursive: true });
    mkdirSync(join(damaged, 'objects'));
    const { code, stderr } = await verify('main', '--repo', damaged);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^countersign verify: .* (?:Fetch them first|Run git fsck in .*)\.?.*\n$/);
  });

  it('hostile text cannot control the terminal, in a table or in JSON', async () => {
    const hostile = newHistory();
    hostile.commit({ files: {}, message: 'Begin\n', author: ANA });
    const name = 'a\n\u001B[31m\u009B1m\u202E.txt';
    hostile.commit({
      files: { [name]: 'x\n' },
      message: `Edit\n\n${trailers('k7q2', changed, null)}`,
      committer: { ...ANA, name: 'Git\u009BHub' },
    });
    const place = hostile.write();
    const table = await verify('main', '--repo', place);
    const json = await verify('main', '--json', '--repo', place);
    hostile.remove();
    expect(`${table.stdout}${json.stdout}`).not.toMatch(/(?!\n)\p{Cc}|\u202E/u);
    expect(JSON.parse(json.stdout)).toMatchObject({ changes: [{}, { path: name }] });
  });

  it('in a shallow clone, a commit without its parent counts as not checked, and the message says what to fetch', async () => {
    const shallow = join(scratch, 'shallow');
    git('clone', '-q', '--depth=1', pathToFileURL(repository).href, shallow);
    const { code, stdout } = await verify('HEAD', '--repo', shallow);
    expect(code).toBe(1);
    expect(stdout).toContain(`${tip.slice(0, 7)}  m3x8`);
    expect(stdout).toContain('not checked: its parent is not in this clone; run git fetch --unshallow');
  });

  it('a clone without the blobs fetches nothing and says what to do', async () => {
    const partial = join(scratch, 'partial');
    git('-C', repository, 'config', 'uploadpack.allowFilter', 'true');
    git('clone', '-q', '--bare', '--filter=blob:none', pathToFileURL(repository).href, partial);
    const { code, stderr } = await verify('HEAD', '--repo', partial);
    expect(stderr).toContain('git fetch --refetch --no-filter');
    expect(code).toBe(2);
  });

  it.each<[string, readonly string[], string]>([
    ['no repository', ['main', '--repo', scratch], 'is not a git repository. Use --repo PATH.'],
    [
      'a folder that is not there',
      ['main', '--repo', join(scratch, 'none')],
      'is not a git repository. Use --repo PATH.',
    ],
    ['a range that is not there', ['nowhere..main'], 'This repository has no commits nowhere..main: '],
    ['two ranges', ['main', 'main~1'], 'Give one range, such as main..HEAD.'],
    ['an option that git would know', ['--output=x', 'main'], "Unknown option '--output'"],
    ['a range that looks like an option', ['--', '--output=x'], 'This repository has no commits --output=x: '],
    ['a blank slug', ['main', '--slug', ' '], '--slug needs a value.'],
    ['a host with a path', ['main', '--host', 'https://github.com'], '--host needs the name of a host'],
  ])('refuses %s in one line, and exits with 2 (E15)', async (_what, args, words) => {
    const place = args.includes('--repo') ? [] : ['--repo', repository];
    const { code, stdout, stderr } = await verify(...place, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`countersign verify: `);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('reports that git is missing', async () => {
    const { code, stderr } = await run(['verify', 'main', '--repo', repository], { PATH: scratch }).ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'countersign verify: git is not installed or not on the PATH.\n',
    });
  });
});
