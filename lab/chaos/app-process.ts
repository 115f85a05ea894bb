import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRecord, parseJson } from '../../src/lib/trust.ts';

export const CLI_PATH = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** Pause between attempts to start, which fail while the database is unavailable. */
const RESTART_DELAY_MS = 300;

/** One process of the App, which is restarted like a supervised service. */
export type AppProcess = {
  /** The URL of its HTTP server; null while it does not listen. */
  readonly url: () => string | null;
  /** Resolves once the process accepts deliveries, with the time in ms that all attempts took. */
  readonly start: () => Promise<number>;
  /** Resolves once the process has ended: with its exit code, the signal that ended it, or `absent` if none ran. */
  readonly stop: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | string>;
  /** Freezes the process with SIGSTOP. */
  readonly hang: (ms: number) => Promise<void>;
  /** Exits without a call of `stop`, with the end of standard error. */
  readonly unexpectedExits: readonly string[];
};

/** `errors` returns the end of standard error. */
type RunningProcess = { readonly child: ChildProcess; readonly errors: () => string; url: string | null };

/** A process whose environment has only these variables. */
export function createAppProcess(environment: Readonly<Record<string, string>>): AppProcess {
  const unexpectedExits: string[] = [];
  let running: RunningProcess | null = null;

  /** Returns whether the process listens. */
  async function tryToStart(): Promise<boolean> {
    const started = spawnApp(environment);
    const { child } = started;
    running = started;
    started.url = await readListeningUrl(child);
    if (started.url === null) return false;
    child.once('exit', (code, signal) => {
      if (running !== started) return;
      running = null;
      unexpectedExits.push(`ended with ${signal ?? code}: ${started.errors().trim().slice(-500)}`);
    });
    return true;
  }

  return {
    url: () => running?.url ?? null,
    async start() {
      const startedAt = performance.now();
      while (!(await tryToStart())) await sleep(RESTART_DELAY_MS);
      return performance.now() - startedAt;
    },
    async stop(signal) {
      if (running === null) return 'absent';
      const { child } = running;
      running = null;
      const exited = once(child, 'exit');
      child.kill(signal);
      const [exitCode, exitSignal] = await exited;
      return typeof exitCode === 'number' ? exitCode : String(exitSignal);
    },
    async hang(ms) {
      const child = running?.child;
      child?.kill('SIGSTOP');
      await sleep(ms);
      child?.kill('SIGCONT');
    },
    unexpectedExits,
  };
}

function spawnApp(environment: Readonly<Record<string, string>>): RunningProcess {
  const child = spawn(process.execPath, [CLI_PATH, 'start'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => {
    errors = (errors + bytes.toString()).slice(-4_000);
  });
  return { child, errors: () => errors, url: null };
}

/** Reads the URL from the `listening` line of a process's log; null if the process ends first. Drops other output. */
function readListeningUrl(child: ChildProcess): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let text = '';
  let searching = true;
  child.stdout?.on('data', (bytes: Buffer) => {
    if (!searching) return;
    text += bytes.toString();
    const line = text
      .split('\n')
      .slice(0, -1)
      .find((one) => one.includes('"listening"'));
    if (line === undefined) return;
    searching = false;
    const entry = parseJson(line);
    resolve(isRecord(entry) ? String(entry['url']) : null);
  });
  child.once('exit', () => resolve(null));
  return promise;
}
