import { type ExecFileException, execFile } from 'node:child_process';
import { type Environment, readEnvironment } from '../../app/config/env.ts';

/**
 * Runs `git` without a shell, with this standard input, and returns its output. Throws a `GitError` if git fails, and a
 * `GitNotInstalledError` if it is missing. No other function starts a process, and the server never imports this file
 * (E15).
 */
export function runGit(args: readonly string[], input: string = ''): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const options = { encoding: 'buffer', maxBuffer: Number.POSITIVE_INFINITY, env: gitEnvironment() } as const;
  const git = execFile('git', [...FIXED_ARGUMENTS, ...args], options, (error, output, errorOutput) => {
    if (error === null) resolve(output);
    else if (error.code === 'ENOENT') reject(new GitNotInstalledError());
    else reject(new GitError(gitErrorMessage(errorOutput.toString('utf8'), error)));
  });
  // Git can exit before it has read all input. Its exit code shows the reason.
  git.stdin?.on('error', () => {});
  git.stdin?.end(input);
  return promise;
}

/** Runs `git` and returns its output as text, without the final newline. Throws like `runGit`. */
export async function gitText(args: readonly string[]): Promise<string> {
  return (await runGit(args)).toString('utf8').replace(/\n$/, '');
}

/** The git directory of the repository at this path. Throws like `runGit`. */
export function gitDirectory(path: string): Promise<string> {
  return gitText(['-C', path, 'rev-parse', '--absolute-git-dir']);
}

/** Git failed. The message is git's own error, in one line. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** The `git` command was not found. */
export class GitNotInstalledError extends Error {
  constructor() {
    super('git is not installed or not on the PATH.');
    this.name = 'GitNotInstalledError';
  }
}

/**
 * These override the repository's settings: git fetches nothing, runs no monitor, replaces no objects, and reads the
 * parents of a commit from the commit itself.
 */
const FIXED_ARGUMENTS: readonly string[] = [
  ...['protocol.allow=never', 'core.fsmonitor=false', 'core.commitGraph=false'].flatMap((setting) => ['-c', setting]),
  '--no-replace-objects',
];

/** A hook of git sets these for its own repository. The path that we were given counts. */
const OTHER_REPOSITORY: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_COMMON_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_SHALLOW_FILE',
]);

/**
 * A repository can allow single protocols, and a protocol can be a program: only this variable overrules that. Grafts
 * would hide commits, and texts of git in another language would hide what went wrong.
 */
const FIXED_ENVIRONMENT = {
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_GRAFT_FILE: '/dev/null',
  LC_ALL: 'C',
} as const;

function gitEnvironment(): Environment {
  const kept = Object.entries(readEnvironment()).filter(([name]) => !OTHER_REPOSITORY.has(name));
  return { ...Object.fromEntries(kept), ...FIXED_ENVIRONMENT };
}

function gitErrorMessage(stderr: string, { code, signal }: ExecFileException): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const problemLine = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0];
  return problemLine?.replace(/^(?:fatal|error): /, '') ?? `git exited with ${signal ?? code}`;
}
