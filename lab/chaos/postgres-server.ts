import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, globSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startLocalServer } from '../../fakes/lib/http-server.ts';

/** The long delay makes a crash lose every commit that did not wait for the disk, so the trial notices such a commit. */
const SERVER_SETTINGS = ['unix_socket_directories=', 'listen_addresses=127.0.0.1', 'wal_writer_delay=10s'];

/** Recovery reads what was written since the last checkpoint. */
const START_TIMEOUT_MS = 60_000;

const POLL_MS = 50;

/** Makes the directory of a server that nobody else uses; it does not run yet. Throws where the programs fail. */
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

/** A PostgreSQL server in a directory and on a port of its own. */
export class PostgresServer {
  /** Its superuser's, on the database that every server has. */
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

  /** Starts it, also after a crash; resolves once it lets somebody in. Throws with the end of its log where it does not. */
  async start(): Promise<void> {
    const { postgres, runAs } = this.#programs;
    const log = openSync(this.#log(), 'a');
    const settings = SERVER_SETTINGS.flatMap((one) => ['-c', one]);
    const words = ['-D', join(this.#folder, 'data'), '-p', String(this.#port), ...settings];
    this.#postmaster = spawn(postgres, words, { ...runAs, cwd: this.#folder, stdio: ['ignore', log, log] });
    closeSync(log);
    await this.waitUntilReady();
  }

  /** Resolves once it lets somebody in: it starts itself anew where one of its processes dies. Throws as `start` does. */
  async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (isRunning(this.#postmaster) && Date.now() < deadline) {
      if (await canConnect(this.url)) return;
      await sleep(POLL_MS);
    }
    throw new Error(`PostgreSQL does not start: ${readFileSync(this.#log(), 'utf8').slice(-2_000)}`);
  }

  /** Kills all of its processes in the same moment, after `frozenMs` in which they are there and do nothing. */
  async crash(frozenMs: number): Promise<void> {
    const postmaster = this.#postmaster;
    if (!isRunning(postmaster) || postmaster?.pid === undefined) return;
    const ended = once(postmaster, 'exit');
    // First of all, so that it makes no more of them while they are listed.
    sendSignal([postmaster.pid], 'SIGSTOP');
    const all = [postmaster.pid, ...listChildPids(postmaster.pid)];
    sendSignal(all, 'SIGSTOP');
    await sleep(frozenMs);
    sendSignal(all, 'SIGKILL');
    await ended;
  }

  /** Kills one of its processes, which `pick` chooses: it throws everybody out, and recovers as after a crash. */
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

/** Each of them leads a session of its own, so that no signal reaches all at once. */
function listChildPids(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [pid, of] = line.trim().split(/\s+/).map(Number);
    return pid !== undefined && of === parent ? [pid] : [];
  });
}

function sendSignal(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
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

async function findFreePort(): Promise<number> {
  const { url, close } = await startLocalServer(() => {});
  await close();
  return Number(new URL(url).port);
}

/** PostgreSQL's own programs, and whom they run as where they refuse the one who asks. */
export type PostgresPrograms = {
  readonly initdb: string;
  readonly postgres: string;
  /** Empty where they may run as whoever asks. */
  readonly runAs: { readonly uid?: number; readonly gid?: number };
};

/** Where packages put them; a machine may have several versions. */
const SEARCH_PATHS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/pgsql/bin',
  '/opt/homebrew/opt/postgresql*/bin',
];

/** They refuse to run as root; whom packages make for them, and who is everywhere. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];

/** Those of this machine, the first on the path before the others; null where it has none, or nobody may run them. */
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
    const [uid, gid] = ['-u', '-g'].map((which) => runProgram('id', [which, name]));
    if (uid !== null && uid !== undefined && gid !== null && gid !== undefined)
      return { uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** What a program says, without the newline; null where it fails or says nothing. */
function runProgram(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null;
  } catch {
    return null;
  }
}
