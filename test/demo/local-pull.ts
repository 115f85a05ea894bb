import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A git repository in a temporary directory. */
export type LocalRepository = {
  readonly path: string;
  readonly git: (...args: readonly string[]) => string;
  /** Commits all files. */
  readonly commit: (message: string) => void;
  readonly write: (path: string, content: string | Uint8Array) => void;
  readonly remove: () => void;
};

export function createRepository(): LocalRepository {
  const path = mkdtempSync(join(tmpdir(), 'countersign-demo-test-'));
  const git = (...args: readonly string[]): string => {
    const who = ['-c', 'user.name=Carl', '-c', 'user.email=carl@example.com', '-c', 'core.autocrlf=false'];
    return execFileSync('git', ['-C', path, ...who, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  git('init', '-q');
  return {
    path,
    git,
    commit: (message) => {
      git('add', '-A');
      git('commit', '-qm', message);
    },
    write: (name, content) => writeFileSync(join(path, name), content),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

const BINARY = Uint8Array.from([0, 255, 13, 10, 0, 1]);

/** Creates a repository with CRLF, a missing final newline, a binary file, a link, an executable file and a submodule. */
export function createEdgeCaseRepository(): LocalRepository {
  const local = createRepository();
  local.write('windows.py', 'def load_file():\r\n    pass\r\n');
  local.write('no-newline.js', '// One line.\nexport const one = 1;');
  local.write('picture.bin', BINARY);
  local.write('run.sh', '#!/bin/sh\necho hello\n');
  chmodSync(join(local.path, 'run.sh'), 0o755);
  symlinkSync('windows.py', join(local.path, 'link.py'));
  local.write('größe "1".txt', 'Umlauts and quotes.\n');
  local.git('add', '.');
  local.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},dependency`);
  local.git('commit', '-qm', 'Begin');
  local.write('windows.py', '# Loads what they recieve.\r\ndef load_file():  \r\n    pass\r\n');
  local.write('no-newline.js', '// The the first.\nexport const one = 1;\nexport const two = 2;');
  local.write('picture.bin', Uint8Array.from([...BINARY, 7]));
  local.write('notes.py', '# They recieve it.\nx = 1\n\n\n# This is is it.\ny = 2\n\n\nz = 3   \n');
  local.git('add', 'windows.py', 'no-newline.js', 'notes.py', 'picture.bin');
  local.git('commit', '-qm', 'Make it *awkward* --\u{1b}[31m');
  return local;
}
