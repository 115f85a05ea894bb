import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, run } from '../../../cli/process.ts';
import { ANA, APP, digest, GITHUB, type History, newHistory, trailers } from '../verify/history.ts';

/** A short path: gpg's sockets lie in it. */
const scratch = mkdtempSync(join(tmpdir(), 'cs-gpg-'));

const environment = { PATH: process.env['PATH'] ?? '', HOME: scratch, GNUPGHOME: join(scratch, 'keys') };

const hasGpg = spawnSync('gpg', ['--version']).status === 0;

const clone = join(scratch, 'clone');

const changed = digest('edit', 'a.txt', { after: [], before: [], new: ['two\n'], old: ['one\n'] });

const message = `Edit\n\n${trailers('k7q2', changed, '1,1 1,1')}`;

let history: History;

let [githubKey, otherKey] = ['', ''];

function tool(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const options = { encoding: 'utf8', stdio: 'pipe', env: { ...environment, ...more } } as const;
  return execFileSync(program, [...args], options).trim();
}

function newKey(name: string): string {
  const keyOptions = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', ''];
  tool('gpg', [...keyOptions, '--quick-gen-key', `${name} <${name}@example.com>`, 'ed25519', 'sign', 'never']);
  const listed = tool('gpg', ['--batch', '--with-colons', '--list-keys', `${name}@example.com`]);
  return /^fpr:+([0-9A-F]{40}):/m.exec(listed)?.[1] ?? '';
}

/** Makes the App's commit on top of `Begin` as the branch `name`, signed with this key. */
function signedCommit(name: string, key: string): void {
  const people = {
    ...{ GIT_AUTHOR_NAME: APP.name, GIT_AUTHOR_EMAIL: APP.email },
    ...{ GIT_COMMITTER_NAME: GITHUB.name, GIT_COMMITTER_EMAIL: GITHUB.email },
  };
  tool('git', ['-C', clone, 'checkout', '-q', '-b', name, 'origin/main']);
  writeFileSync(join(clone, 'a.txt'), 'two\n');
  const signing = key === '' ? ['--no-gpg-sign'] : [`--gpg-sign=${key}`];
  tool('git', ['-C', clone, 'commit', '-q', '-a', '-m', message, ...signing], people);
}

beforeAll(() => {
  if (!hasGpg) return;
  mkdirSync(environment.GNUPGHOME, { mode: 0o700 });
  [githubKey, otherKey] = [newKey('github'), newKey('other')];
  history = newHistory();
  history.commit({ files: { 'a.txt': 'one\n' }, message: 'Begin\n', author: ANA, committer: ANA, signed: false });
  tool('git', ['clone', '-q', history.write(), clone]);
  for (const [name, key] of Object.entries({ github: githubKey, other: otherKey, unsigned: '' }))
    signedCommit(name, key);
}, 60_000);

afterAll(() => {
  if (hasGpg) tool('gpgconf', ['--kill', 'gpg-agent']);
  history?.remove();
  rmSync(scratch, { recursive: true, force: true });
});

function verify(...args: readonly string[]): Promise<Ended> {
  return run(['verify', ...args, '--repo', clone], environment).ended;
}

describe.skipIf(!hasGpg)('countersign verify with a key', () => {
  it('a commit that this key signed is the App’s, and the last line says what that proves (X9)', async () => {
    const { code, stdout } = await verify('origin/main..github', '--key', githubKey, '--slug', 'countersign');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}ok\n/);
    expect(stdout).toMatch(/The signature proves that the holder of the key made the commit\.\n$/);
  });

  it.each([
    ['another key', 'other', 'signed by another key'],
    ['no key', 'unsigned', 'not signed, or gpg is not installed'],
  ])('the same bytes with the App’s names and %s fail (X9)', async (_how, name, words) => {
    const { code, stdout } = await verify(`origin/main..${name}`, '--key', githubKey, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      mismatch: 1,
      changes: [{ result: 'mismatch', problem: words }],
    });
  });

  it('a key that gpg does not know is named as the reason (X9)', async () => {
    const empty = join(scratch, 'empty');
    mkdirSync(empty, { mode: 0o700 });
    const ended = await run(['verify', 'origin/main..github', '--key', githubKey, '--repo', clone], {
      ...environment,
      GNUPGHOME: empty,
    }).ended;
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('import the key with gpg --import') });
  });

  it('a missing gpg is named as the reason (X9)', async () => {
    const onlyGit = join(scratch, 'bin');
    mkdirSync(onlyGit);
    symlinkSync(tool('which', ['git']), join(onlyGit, 'git'));
    const ended = await run(['verify', 'origin/main..github', '--key', githubKey, '--repo', clone], {
      ...environment,
      PATH: onlyGit,
    }).ended;
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('gpg is not installed') });
  });

  it('the clone’s own settings run no program and add nothing to the output (E15)', async () => {
    const ran = join(scratch, 'ran');
    const program = join(scratch, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    for (const name of ['gpg.program', 'gpg.openpgp.program', 'gpg.ssh.program', 'gpg.x509.program'])
      tool('git', ['-C', clone, 'config', name, program]);
    tool('git', ['-C', clone, 'config', 'log.showSignature', 'true']);
    expect(await verify('origin/main..github', '--key', `${otherKey},${githubKey}`)).toMatchObject({ code: 0 });
    expect(existsSync(ran)).toBe(false);
  });
});
