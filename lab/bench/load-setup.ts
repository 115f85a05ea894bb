import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Backend } from '../../src/adapters/store/engine/backend.ts';
import { openPglite } from '../../src/adapters/store/engine/pglite.ts';
import { openPostgres } from '../../src/adapters/store/engine/postgres.ts';
import { type OptionsResult, optionsProblem, parseOptions as read } from '../../src/cli/options.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { type AppProcess, createAppProcess } from '../chaos/app-process.ts';
import type { ChaosDatabase } from '../chaos/database.ts';
import { startTestSite, type TestSite } from '../chaos/site.ts';

/** What was measured beside its goal. */
export type LoadFinding = {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  readonly isMet: boolean;
};

/** A simulated GitHub with a model, a database, and processes of the App. */
export type LoadSetup = {
  readonly site: TestSite;
  readonly database: ChaosDatabase;
  /** Another process of the App that has not begun yet, with these variables too. */
  readonly createProcess: (more?: Readonly<Record<string, string>>) => AppProcess;
  /** Ends all processes and drops everything. */
  readonly close: () => Promise<void>;
};

export async function createLoadSetup(open: () => Promise<ChaosDatabase>, pulls = 1): Promise<LoadSetup> {
  const [site, database] = [await startTestSite(pulls), await open()];
  const replicas: AppProcess[] = [];
  return {
    site,
    database,
    createProcess(more = {}) {
      const appProcess = createAppProcess({ ...site.environment, ...database.environment, ...more });
      replicas.push(appProcess);
      return appProcess;
    },
    async close() {
      await Promise.all(replicas.map((one) => one.stop('SIGKILL')));
      await Promise.all([site.close(), database.drop()]);
    },
  };
}

/** Starts it; resolves once it says that it is ready, with the ms that took. */
export async function startReady(appProcess: AppProcess): Promise<number> {
  const startedAt = performance.now();
  await appProcess.start();
  await pollUntil(async () => (await fetch(`${appProcess.url()}/readyz`)).ok);
  return performance.now() - startedAt;
}

/** From now on neither GitHub nor the model answers anything. */
export function stallServices({ github, model }: TestSite): void {
  github.faults.add({ route: '*', kind: 'hang', applied: false, times: Number.POSITIVE_INFINITY });
  model.setFallback({ fault: 'hang' });
}

/** Works on the database while no process of the App does. */
export async function useDatabase<Value>(
  { environment: { DATABASE_URL, DATA_DIR } }: ChaosDatabase,
  work: (backend: Backend) => Promise<Value>,
): Promise<Value> {
  const backend = await (DATABASE_URL === undefined ? openPglite(DATA_DIR ?? null) : openPostgres(DATABASE_URL));
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}

/** Looks every few ms; throws after so many ms. */
export async function pollUntil(done: () => boolean | Promise<boolean>, ms = 120_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${ms} ms.`);
    await sleep(5);
  }
}

/** What is measured: all loads, or only one, in full or a tenth of each, also on a PostgreSQL server or not. */
export type LoadOptions = { readonly server: string | null; readonly only: string | null; readonly brief: boolean };

/** The names of the loads, and which of them need a server. */
export type LoadNames = { readonly all: readonly string[]; readonly onServer: readonly string[] };

const OPTIONS = {
  brief: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What `--help` says. */
export function loadHelp({ all, onServer }: LoadNames): string {
  return `Usage: npm run bench:load [-- [PostgreSQL URL] [name] [--brief]]

Measures whether the whole App, as processes of its own, keeps what it promises under load.

  PostgreSQL URL  measures on that server too; ${onServer.join(', ')}: only there
  name            one of ${all.join(', ')}; default is all
  --brief         a tenth of each load, to see that all of it runs
  --help          this text

Ends with 0 where every goal was met, 1 where one was missed, 2 where it could not begin.
`;
}

/** Reads what stands behind `npm run bench:load --`. Never throws. */
export function readLoadOptions(argv: readonly string[], names: LoadNames): OptionsResult<LoadOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  return read('npm run bench:load --', parse, ({ values: { brief }, positionals }) => {
    const servers = positionals.filter((word) => /^postgres(?:ql)?:\/\//.test(word));
    const [server = null, otherServer] = servers;
    const [only = null, other] = positionals.filter((word) => !servers.includes(word));
    if (otherServer !== undefined || other !== undefined)
      return optionsProblem('One URL and one name are all it takes.');
    if (only !== null && !names.all.includes(only))
      return optionsProblem(`There is no load ${only}; there are ${names.all.join(', ')}.`);
    if (only !== null && names.onServer.includes(only) && server === null)
      return optionsProblem(`${only} needs the URL of a PostgreSQL server.`);
    return { kind: 'options', options: { server, only, brief } };
  });
}

/** A process that can be asked for its memory: with these variables it has to be started. */
type MemoryProbe = {
  readonly environment: Readonly<Record<string, string>>;
  readonly bytesInUse: () => Promise<number>;
};

const COLLECT_GARBAGE = 'HeapProfiler.collectGarbage';

const READ_MEMORY = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';

/** What finalizers of a first collection let go goes with a second one. */
const COLLECTIONS = 2;

/**
 * Tells how many bytes a process of Node holds once its garbage is collected, asked through its inspector. What the system
 * counts as resident goes up and down by a hundred megabytes with the collector's moods.
 */
export async function createMemoryProbe(): Promise<MemoryProbe> {
  const port = await findFreePort();
  return {
    environment: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    bytesInUse: () => bytesInUse(port),
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}

async function bytesInUse(port: number): Promise<number> {
  const socket = new WebSocket(await inspectorUrl(port));
  await once(socket, 'open');
  try {
    for (let times = 0; times < COLLECTIONS; times += 1) {
      await callInspector(socket, COLLECT_GARBAGE, {});
      await sleep(200);
    }
    const { result } = await callInspector(socket, 'Runtime.evaluate', { expression: READ_MEMORY });
    return isRecord(result) ? Number(result['value']) : Number.NaN;
  } finally {
    socket.close();
  }
}

async function inspectorUrl(port: number): Promise<string> {
  const pages: unknown = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const page: unknown = Array.isArray(pages) ? pages[0] : null;
  return isRecord(page) ? String(page['webSocketDebuggerUrl']) : '';
}

/** One question at a time. */
async function callInspector(
  socket: WebSocket,
  method: string,
  params: object,
): Promise<Readonly<Record<string, unknown>>> {
  socket.send(JSON.stringify({ id: 1, method, params }));
  for (;;) {
    const [event] = await once(socket, 'message');
    const message = event instanceof MessageEvent ? parseJson(String(event.data)) : null;
    if (isRecord(message) && message['id'] === 1) return isRecord(message['result']) ? message['result'] : {};
  }
}

/** What a process has used of the machine so far: time of processors (ms), and the memory it holds now (bytes). */
type ProcessUsage = { readonly cpuMs: number; readonly resident: number };

const TICKS_PER_SECOND = 100;

/** From Linux's /proc; throws on any other system. */
export function readProcessUsage(pid: number | null | undefined): ProcessUsage {
  // The program's name stands in brackets and may hold anything.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpuMs: (((user ?? 0) + (system ?? 0)) * 1000) / TICKS_PER_SECOND, resident: Number(kilobytes) * 1024 };
}
