import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { listen } from '../simulator/http/listen.ts';
import type { ServerPrograms } from './server-programs.ts';

/**
 * As it is installed, but that what does not wait for the disk gets there as late as a server may be told: so a crash takes
 * more of it along.
 */
const SETTINGS = ['unix_socket_directories=', 'listen_addresses=127.0.0.1', 'wal_writer_delay=10s'];
/** Recovery reads what was written since the last checkpoint. */
const START_MS = 60_000;
const LOOK_MS = 50;

/** Makes the directory of a server that nobody else uses; it does not run yet. Throws where the programs fail. */
export async function ownServer(programs: ServerPrograms): Promise<OwnServer> {
  const { initdb, as } = programs;
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chaos-server-'));
  try {
    if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
    const options = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'];
    execFileSync(initdb, options, { ...as, cwd: folder, stdio: 'pipe' });
    return new OwnServer(programs, folder, await freePort());
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A PostgreSQL server in a directory and on a port of its own. */
export class OwnServer {
  /** Its superuser's, on the database that every server has. */
  readonly url: string;
  readonly #programs: ServerPrograms;
  readonly #folder: string;
  readonly #port: number;
  #postmaster: ChildProcess | null = null;

  constructor(programs: ServerPrograms, folder: string, port: number) {
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    this.#programs = programs;
    this.#folder = folder;
    this.#port = port;
  }

  /** Starts it, also after a crash; resolves once it lets somebody in. Throws with the end of its log where it does not. */
  async start(): Promise<void> {
    const { postgres, as } = this.#programs;
    const log = openSync(this.#log(), 'a');
    const settings = SETTINGS.flatMap((one) => ['-c', one]);
    const words = ['-D', join(this.#folder, 'data'), '-p', String(this.#port), ...settings];
    this.#postmaster = spawn(postgres, words, { ...as, cwd: this.#folder, stdio: ['ignore', log, log] });
    closeSync(log);
    await this.answers();
  }

  /** Resolves once it lets somebody in: it starts itself anew where one of its processes dies. Throws as `start` does. */
  async answers(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (isRunning(this.#postmaster) && Date.now() < deadline) {
      if (await letsIn(this.url)) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`PostgreSQL does not start: ${readFileSync(this.#log(), 'utf8').slice(-2_000)}`);
  }

  /** Kills all of its processes in the same moment, after `frozenMs` in which they are there and do nothing. */
  async crash(frozenMs: number): Promise<void> {
    const postmaster = this.#postmaster;
    if (!isRunning(postmaster) || postmaster?.pid === undefined) return;
    const ended = once(postmaster, 'exit');
    // First of all, so that it makes no more of them while they are listed.
    signalAll([postmaster.pid], 'SIGSTOP');
    const all = [postmaster.pid, ...childrenOf(postmaster.pid)];
    signalAll(all, 'SIGSTOP');
    await sleep(frozenMs);
    signalAll(all, 'SIGKILL');
    await ended;
  }

  /** Kills one of its processes, which `pick` chooses: it throws everybody out, and recovers as after a crash. */
  crashOne(pick: (pids: readonly number[]) => number): void {
    const parent = this.#postmaster?.pid;
    const pids = parent === undefined ? [] : childrenOf(parent);
    if (pids.length > 0) signalAll([pick(pids)], 'SIGKILL');
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
function childrenOf(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [pid, of] = line.trim().split(/\s+/).map(Number);
    return pid !== undefined && of === parent ? [pid] : [];
  });
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

async function letsIn(url: string): Promise<boolean> {
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

async function freePort(): Promise<number> {
  const { url, close } = await listen(() => {});
  await close();
  return Number(new URL(url).port);
}
