import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, globSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from './free-port.ts';

/** With the long delay a crash loses every commit that did not wait for the disk, so the run notices such a commit. */
const SERVER_SETTINGS = ['unix_socket_directories=', 'listen_addresses=127.0.0.1', 'wal_writer_delay=10s'];

/** Includes recovery after a crash. */
const START_TIMEOUT_MS = 60_000;

const POLL_MS = 50;

/** Creates a server that is not started yet. Throws if `initdb` fails. */
export async function createPostgresServer(programs: PostgresPrograms): Promise<PostgresServer> {
  const { initdb, runAs } = programs;
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-server-'));
  try {
    if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(folder, runAs.uid, runAs.gid);
    const options = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'];
    execFileSync(initdb, options, { ...runAs, cwd: folder, stdio: 'pipe' });
    return new PostgresServer(programs, folder, await findFreePort());
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A PostgreSQL server in a temporary directory, on a free port. */
export class PostgresServer {
  /** URL of the superuser, for the database `postgres`. */
  readonly url: string;
  readonly #programs: PostgresPrograms;
  readonly #folder: string;
  readonly #port: number;
  #postmaster: ChildProcess | null = null;

  constructor(programs: PostgresPrograms, folder: string, port: number) {
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    this.#programs = programs;
    this.#folder = folder;
    this.#port = port;
  }

  /** Resolves once the server accepts connections. Throws an error with the end of its log if it does not. */
  async start(): Promise<void> {
    const { postgres, runAs } = this.#programs;
    const log = openSync(this.#log(), 'a');
    const settings = SERVER_SETTINGS.flatMap((one) => ['-c', one]);
    const args = ['-D', join(this.#folder, 'data'), '-p', String(this.#port), ...settings];
    this.#postmaster = spawn(postgres, args, { ...runAs, cwd: this.#folder, stdio: ['ignore', log, log] });
    closeSync(log);
    await this.waitUntilReady();
  }

  /** Resolves once the server accepts connections: it restarts itself if a process dies. Throws as `start` does. */
  async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (isRunning(this.#postmaster) && Date.now() < deadline) {
      if (await canConnect(this.url)) return;
      await sleep(POLL_MS);
    }
    throw new Error(`PostgreSQL does not start: ${readFileSync(this.#log(), 'utf8').slice(-2_000)}`);
  }

  /** Freezes all processes for `frozenMs`, then kills them at once. */
  async crash(frozenMs: number): Promise<void> {
    const postmaster = this.#postmaster;
    if (!isRunning(postmaster) || postmaster?.pid === undefined) return;
    const ended = once(postmaster, 'exit');
    // Stopped first, so that it starts no processes while they are listed.
    sendSignal([postmaster.pid], 'SIGSTOP');
    const pids = [postmaster.pid, ...listChildPids(postmaster.pid)];
    sendSignal(pids, 'SIGSTOP');
    await sleep(frozenMs);
    sendSignal(pids, 'SIGKILL');
    await ended;
  }

  /** Kills the process that `pick` selects. The server then closes all connections and recovers as after a crash. */
  crashOneProcess(pick: (pids: readonly number[]) => number): void {
    const parent = this.#postmaster?.pid;
    const pids = parent === undefined ? [] : listChildPids(parent);
    if (pids.length > 0) sendSignal([pick(pids)], 'SIGKILL');
  }

  async remove(): Promise<void> {
    await this.crash(0);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #log(): string {
    return join(this.#folder, 'log');
  }
}

function isRunning(child: ChildProcess | null): boolean {
  return child !== null && child.exitCode === null && child.signalCode === null;
}

/** Each process is in its own session, so no signal reaches all of them at once. */
function listChildPids(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number);
    return pid !== undefined && ppid === parent ? [pid] : [];
  });
}

function sendSignal(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The paths of PostgreSQL's programs, and the user that runs them. */
export type PostgresPrograms = {
  readonly initdb: string;
  readonly postgres: string;
  /** Empty for the user of this process. */
  readonly runAs: { readonly uid?: number; readonly gid?: number };
};

/** Directories of common packages. */
const SEARCH_PATHS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/pgsql/bin',
  '/opt/homebrew/opt/postgresql*/bin',
];

/** PostgreSQL refuses to run as root. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];

/** Searches PATH first, then prefers the newest version. Null if there are no programs, or no user can run them. */
export function findPostgresPrograms(): PostgresPrograms | null {
  const onPath = runProgram('sh', ['-c', 'command -v initdb']);
  const folders = [
    ...(onPath === null ? [] : [dirname(realpathSync(onPath))]),
    ...globSync(SEARCH_PATHS).toSorted().reverse(),
  ];
  const folder = folders.find((one) => ['initdb', 'postgres'].every((name) => existsSync(join(one, name))));
  const runAs = findUnprivilegedUser();
  return folder === undefined || runAs === null
    ? null
    : { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), runAs };
}

function findUnprivilegedUser(): PostgresPrograms['runAs'] | null {
  if (process.getuid?.() !== 0) return {};
  for (const name of UNPRIVILEGED_USERS) {
    const [uid, gid] = ['-u', '-g'].map((option) => runProgram('id', [option, name]));
    if (uid !== null && uid !== undefined && gid !== null && gid !== undefined)
      return { uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** The trimmed output of a program; null if it fails or prints nothing. */
function runProgram(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null;
  } catch {
    return null;
  }
}
