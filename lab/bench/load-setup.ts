import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend } from '../../src/adapters/store/engine/backend.ts';
import { openPglite } from '../../src/adapters/store/engine/pglite.ts';
import { openPostgres } from '../../src/adapters/store/engine/postgres.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { type AppProcess, createAppProcess } from '../chaos/app-process.ts';
import type { ChaosDatabase } from '../chaos/database.ts';
import { findFreePort } from '../chaos/free-port.ts';
import { startTestSite, type TestSite } from '../chaos/site.ts';
import { pollUntil } from './measure.ts';

/** A measured value and its goal. */
export type LoadFinding = {
  readonly label: string;
  readonly measured: string;
  readonly goal: string;
  readonly isMet: boolean;
};

/** A fake GitHub, a model, a database, and processes of the App. */
export type LoadSetup = {
  readonly site: TestSite;
  readonly database: ChaosDatabase;
  /** A process of the App that is not started yet, with additional environment variables. */
  readonly createProcess: (variables?: Readonly<Record<string, string>>) => AppProcess;
  /** Kills all processes and drops the database. */
  readonly close: () => Promise<void>;
};

export async function createLoadSetup(open: () => Promise<ChaosDatabase>, pulls = 1): Promise<LoadSetup> {
  const [site, database] = [await startTestSite(pulls), await open()];
  const appProcesses: AppProcess[] = [];
  return {
    site,
    database,
    createProcess(variables = {}) {
      const appProcess = createAppProcess({ ...site.environment, ...database.environment, ...variables });
      appProcesses.push(appProcess);
      return appProcess;
    },
    async close() {
      await Promise.all(appProcesses.map((appProcess) => appProcess.stop('SIGKILL')));
      await Promise.all([site.close(), database.drop()]);
    },
  };
}

/** Starts a process and waits for `/readyz`. */
export async function startReady(appProcess: AppProcess): Promise<void> {
  await appProcess.start();
  await pollUntil(async () => (await fetch(`${appProcess.url()}/readyz`)).ok);
}

/** Opens the database for `work`. No process of the App can use an embedded database meanwhile. */
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

/** Reads the memory of a process that was started with these environment variables. */
type MemoryProbe = {
  readonly environment: Readonly<Record<string, string>>;
  readonly bytesInUse: () => Promise<number>;
};

const COLLECT_GARBAGE = 'HeapProfiler.collectGarbage';

const READ_MEMORY = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';

/** Finalizers of the first collection release memory that the second one frees. */
const COLLECTION_COUNT = 2;

/**
 * Reads through the inspector how many bytes a Node process uses after a garbage collection. Its resident set is no
 * measure: it varies by a hundred megabytes with the timing of collections.
 */
export async function createMemoryProbe(): Promise<MemoryProbe> {
  const port = await findFreePort();
  return {
    environment: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    bytesInUse: () => bytesInUse(port),
  };
}

async function bytesInUse(port: number): Promise<number> {
  const socket = new WebSocket(await inspectorUrl(port));
  await once(socket, 'open');
  try {
    for (let count = 0; count < COLLECTION_COUNT; count += 1) {
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

/** Resolves with the result of a call. Supports one call at a time. */
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

/** CPU time since the start of a process, and its resident memory. */
type ProcessUsage = { readonly cpuMs: number; readonly residentBytes: number };

const TICKS_PER_SECOND = 100;

/** Reads Linux's /proc; throws on other systems. */
export function readProcessUsage(pid: number | null | undefined): ProcessUsage {
  // The program's name is in parentheses and can contain any character.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpuMs: (((user ?? 0) + (system ?? 0)) * 1000) / TICKS_PER_SECOND, residentBytes: Number(kilobytes) * 1024 };
}
