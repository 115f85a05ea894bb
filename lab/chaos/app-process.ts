import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRecord, parseJson } from '../../src/lib/trust.ts';

/** The App as people start it. */
export const CLI_PATH = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** As a supervisor would: a start that is refused because the database is away is tried again. */
const RESTART_DELAY_MS = 300;

/** One process of the App that somebody keeps running. */
export type AppProcess = {
  /** Where it takes deliveries now; null while it does not. */
  readonly url: () => string | null;
  /** Null while it does not run. */
  readonly pid: () => number | null;
  /** Starts it; resolves once it takes deliveries, with the ms that took, over all tries. */
  readonly start: () => Promise<number>;
  /** Resolves once it is gone with how it ended: its exit code, the signal, or that it was not there. */
  readonly stop: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | string>;
  /** Stops its clock for so many ms: it is there and does nothing. */
  readonly hang: (ms: number) => Promise<void>;
  /** Ends that nobody asked for while it was running, with the last words on standard error. */
  readonly unexpectedExits: readonly string[];
};

type RunningProcess = { readonly child: ChildProcess; readonly errors: () => string; url: string | null };

/** A process with these variables and no others. */
export function createAppProcess(environment: Readonly<Record<string, string>>): AppProcess {
  const unexpectedExits: string[] = [];
  let running: RunningProcess | null = null;

  async function tryOnce(): Promise<boolean> {
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
    pid: () => running?.child.pid ?? null,
    async start() {
      const begun = performance.now();
      while (!(await tryOnce())) await sleep(RESTART_DELAY_MS);
      return performance.now() - begun;
    },
    async stop(signal) {
      if (running === null) return 'absent';
      const { child } = running;
      running = null;
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code, by] = await ended;
      return typeof code === 'number' ? code : String(by);
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

/** What a process's log says it listens on; null where it ends before. The rest of the log is read and dropped. */
export function readListeningUrl(child: ChildProcess): Promise<string | null> {
  const found = Promise.withResolvers<string | null>();
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
    const said = parseJson(line);
    found.resolve(isRecord(said) ? String(said['url']) : null);
  });
  child.once('exit', () => found.resolve(null));
  return found.promise;
}
