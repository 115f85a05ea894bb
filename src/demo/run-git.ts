import { spawn } from 'node:child_process';

/** Git ended with an error. The message is its own first line. */
export class GitFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitFailed';
  }
}

/** There is no `git` on this machine. */
export class GitMissing extends Error {
  constructor() {
    super('git is not installed or not on the PATH.');
    this.name = 'GitMissing';
  }
}

/** Never fetches, and reads objects as they are, whatever the repository's own settings say. */
const ALWAYS: readonly string[] = ['-c', 'protocol.allow=never', '-c', 'core.fsmonitor=false', '--no-replace-objects'];

/**
 * Runs `git` without a shell and gives back its output as bytes. `input` is what it reads from its standard input.
 * Throws `GitFailed` when it ends with an error, `GitMissing` when it cannot be started.
 */
export function runGit(args: readonly string[], input: string = ''): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const git = spawn('git', [...ALWAYS, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  git.stdout.on('data', (chunk: Buffer) => void output.push(chunk));
  git.stderr.on('data', (chunk: Buffer) => void complaints.push(chunk));
  git.on('error', (error) => reject('code' in error && error.code === 'ENOENT' ? new GitMissing() : error));
  git.on('close', (code) => {
    if (code === 0) resolve(Buffer.concat(output));
    else reject(new GitFailed(complaint(Buffer.concat(complaints).toString('utf8'), code)));
  });
  // Git may end before it has read everything; its exit code tells why.
  git.stdin.on('error', () => {});
  git.stdin.end(input);
  return promise;
}

/** The same, as text without the newline at its end. */
export async function gitText(args: readonly string[]): Promise<string> {
  return (await runGit(args)).toString('utf8').replace(/\n$/, '');
}

function complaint(said: string, code: number | null): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const told = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0];
  return told?.replace(/^(?:fatal|error): /, '') ?? `git ended with ${code ?? 'a signal'}`;
}
