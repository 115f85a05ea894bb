import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { gitDirectory } from '../../../../src/cli/git/run-git.ts';
import type { VerifiedChange } from '../../../../src/cli/verify/check-commit.ts';
import { verifyRange } from '../../../../src/cli/verify/verify.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';
import { ANA, digest, type History, newHistory, trailers } from './history.ts';

const scratch = scratchFolder();

const environment = { PATH: process.env['PATH'] ?? '', HOME: scratch };

const changed = digest('edit', 'a.txt', { after: [], before: [], new: ['two\n'], old: ['one\n'] });

let history: History;

let [source, first, forged, tip] = ['', '', '', ''];

let clones = 0;

beforeAll(() => {
  history = newHistory();
  first = history.commit({ files: { 'a.txt': 'one\n' }, message: 'Begin\n', author: ANA });
  forged = history.commit({ files: { 'a.txt': 'bad\n' }, message: `Edit\n\n${trailers('k7q2', changed, '1,1 1,1')}` });
  tip = history.commit({ files: { 'b.txt': 'b\n' }, message: 'Something else\n', author: ANA });
  source = history.write();
  git(source, 'config', 'uploadpack.allowFilter', 'true');
});

afterEach(() => vi.unstubAllEnvs());

afterAll(() => {
  history.remove();
});

function git(repository: string, ...args: readonly string[]): string {
  const options = { encoding: 'utf8', stdio: 'pipe', env: environment } as const;
  return execFileSync('git', ['-C', repository, ...args], options).trim();
}

function clone(...options: readonly string[]): string {
  clones += 1;
  const directory = join(scratch, `clone-${clones}`);
  git(scratch, 'clone', '-q', '--bare', ...options, pathToFileURL(source).href, directory);
  return directory;
}

async function verify(repository: string, range = 'main'): Promise<readonly VerifiedChange[]> {
  return verifyRange({ gitDir: await gitDirectory(repository), range, slug: null, host: 'github.com' });
}

describe('a hostile clone (E15)', () => {
  it('starts no program to fetch what is missing, though it allows that protocol', async () => {
    const partial = clone('--filter=blob:none');
    const ran = join(scratch, 'ran');
    git(partial, 'config', 'remote.origin.url', `ext::touch ${ran}`);
    git(partial, 'config', 'protocol.ext.allow', 'always');
    await expect(verify(partial)).rejects.toThrow(/./);
    expect(existsSync(ran)).toBe(false);
  });

  it('fetches nothing from another repository on this machine, though it allows that', async () => {
    const partial = clone('--filter=blob:none');
    git(partial, 'config', 'protocol.file.allow', 'always');
    await expect(verify(partial)).rejects.toThrow(/./);
  });

  it('hides no commit with a graft', async () => {
    const grafted = clone();
    writeFileSync(join(grafted, 'info/grafts'), `${tip} ${first}\n`);
    expect(await verify(grafted)).toMatchObject([{ commit: forged, result: 'mismatch' }, { result: 'mismatch' }]);
  });

  it('hides no commit with a replacement', async () => {
    const replaced = clone();
    git(replaced, 'replace', forged, first);
    expect(await verify(replaced)).toMatchObject([{ commit: forged, result: 'mismatch' }, { result: 'mismatch' }]);
  });

  it('is the one at the path, also if the environment names another', async () => {
    const other = newHistory();
    other.commit({ files: {}, message: 'Empty\n', author: ANA });
    vi.stubEnv('GIT_DIR', other.write());
    vi.stubEnv('GIT_WORK_TREE', scratch);
    expect(await verify(source)).toHaveLength(2);
    other.remove();
  });
});
