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

/** A `git` under way. */
export type RunningGit = {
  /** What it says, as it comes; ends when it does, without telling how. */
  readonly output: AsyncIterable<Buffer>;
  readonly write: (input: string) => void;
  /** Nothing more will be written. */
  readonly end: () => void;
  /** Rejects with `GitFailed` when it ends with an error, with `GitMissing` when it cannot be started. */
  readonly ended: Promise<void>;
  /** Ends it at once; `ended` rejects then, as a rule. */
  readonly stop: () => void;
};

/** Never fetches, and reads objects as they are, whatever the repository's own settings say. */
const ALWAYS: readonly string[] = ['-c', 'protocol.allow=never', '-c', 'core.fsmonitor=false', '--no-replace-objects'];

/** Starts `git` without a shell. The one place that starts a process; nothing that the server runs leads here (E15). */
export function startGit(args: readonly string[]): RunningGit {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const git = spawn('git', [...ALWAYS, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const complaints: Buffer[] = [];
  git.stderr.on('data', (chunk: Buffer) => void complaints.push(chunk));
  git.on('error', (error) => reject('code' in error && error.code === 'ENOENT' ? new GitMissing() : error));
  git.on('close', (code) => {
    if (code === 0) resolve();
    else reject(new GitFailed(complaint(Buffer.concat(complaints).toString('utf8'), code)));
  });
  // Git may end before it has read everything; its exit code tells why.
  git.stdin.on('error', () => {});
  // Whoever reads the output to its end asks how it ended; until then that is no unhandled rejection.
  ended.catch(() => {});
  return {
    output: git.stdout,
    write: (input) => void git.stdin.write(input),
    end: () => void git.stdin.end(),
    ended,
    stop: () => void git.kill(),
  };
}

/**
 * Runs `git` and gives back its output as bytes. `input` is what it reads from its standard input.
 * Throws `GitFailed` when it ends with an error, `GitMissing` when it cannot be started.
 */
export async function runGit(args: readonly string[], input: string = ''): Promise<Buffer> {
  const git = startGit(args);
  git.write(input);
  git.end();
  const output: Buffer[] = [];
  for await (const chunk of git.output) output.push(chunk);
  await git.ended;
  return Buffer.concat(output);
}

/** The same, as text without the newline at its end. */
export async function gitText(args: readonly string[]): Promise<string> {
  return (await runGit(args)).toString('utf8').replace(/\n$/, '');
}

/** The directory that holds the objects of the repository at a path. Throws as `runGit` does where there is none. */
export function gitDirectory(path: string): Promise<string> {
  return gitText(['-C', path, 'rev-parse', '--absolute-git-dir']);
}

function complaint(said: string, code: number | null): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const told = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0];
  return told?.replace(/^(?:fatal|error): /, '') ?? `git ended with ${code ?? 'a signal'}`;
}
