import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookRequest } from '../../fakes/github/http/server-state.ts';
import { postWebhook } from '../../fakes/github/webhooks.ts';
import {
  flattenHeaders,
  type LocalHttpServer,
  readIncomingBody,
  startLocalServer,
} from '../../fakes/lib/http-server.ts';
import type { Random } from '../simulation/world/random.ts';
import type { AppProcess } from './app-process.ts';
import type { ChaosDatabase } from './database.ts';

/** Injected faults and how the processes reacted; times are ms. */
export type FaultCounts = {
  kills: number;
  terminations: number;
  hangs: number;
  restarts: number;
  /** From each restart until the process accepts deliveries. */
  readonly readyMs: number[];
  readonly problems: string[];
};

type ProcessFault = 'kill' | 'terminate' | 'hang';

/** Kills are more frequent than the other faults. */
const PROCESS_FAULTS: readonly ProcessFault[] = ['kill', 'kill', 'kill', 'terminate', 'terminate', 'hang'];

/** Between two faults, ms: long enough for work between them, also on a busy machine. */
const FAULT_INTERVAL_MS = [500, 3_500] as const;

const DOWNTIME_MS = [0, 1_500] as const;

/** Injects random faults until `until` (ms since the epoch), and leaves every process running. */
export async function injectFaults(
  {
    appProcesses,
    database,
    random,
  }: { readonly appProcesses: readonly AppProcess[]; readonly database: ChaosDatabase; readonly random: Random },
  until: number,
): Promise<FaultCounts> {
  const counts: FaultCounts = { kills: 0, terminations: 0, hangs: 0, restarts: 0, readyMs: [], problems: [] };
  const { restart } = database;
  const kinds = restart === null ? PROCESS_FAULTS : [...PROCESS_FAULTS, 'restart' as const];
  const busy = new Map<AppProcess | ChaosDatabase, Promise<void>>();
  while (Date.now() < until) {
    await sleep(random.between(...FAULT_INTERVAL_MS));
    const kind = random.pick(kinds);
    const appProcess = random.pick(appProcesses);
    const target = kind === 'restart' ? database : appProcess;
    if (busy.has(target)) continue;
    const fault =
      kind === 'restart'
        ? restartDatabase(restart, random, counts)
        : injectProcessFault(kind, appProcess, random, counts);
    busy.set(
      target,
      fault.finally(() => busy.delete(target)),
    );
  }
  await Promise.all(busy.values());
  return counts;
}

async function restartDatabase(restart: ChaosDatabase['restart'], random: Random, counts: FaultCounts): Promise<void> {
  if (restart === null) return;
  counts.restarts += 1;
  await restart(random.between(...DOWNTIME_MS));
}

async function injectProcessFault(
  kind: ProcessFault,
  appProcess: AppProcess,
  random: Random,
  counts: FaultCounts,
): Promise<void> {
  const downtimeMs = random.between(...DOWNTIME_MS);
  if (kind === 'hang') {
    counts.hangs += 1;
    return appProcess.hang(downtimeMs);
  }
  const signal = kind === 'kill' ? 'SIGKILL' : 'SIGTERM';
  counts[kind === 'kill' ? 'kills' : 'terminations'] += 1;
  const end = await appProcess.stop(signal);
  if (signal === 'SIGTERM' && end !== 0 && end !== 'absent')
    counts.problems.push(`a process ended with ${end} after SIGTERM`);
  await sleep(downtimeMs);
  counts.readyMs.push(await appProcess.start());
}

/** Webhooks that the relay sent, sent twice, and lost. */
export type DeliveryCounts = { sent: number; duplicated: number; lost: number };

/** A proxy between GitHub and the App: it sends each webhook to a random process, sometimes to two or to none. */
type WebhookRelay = LocalHttpServer & { readonly counts: Readonly<DeliveryCounts>; readonly stopFaults: () => void };

const DUPLICATE_PROBABILITY = 0.2;

const LOSS_PROBABILITY = 0.05;

/** `targets` returns the URLs at which processes accept deliveries now. */
export async function startWebhookRelay(random: Random, targets: () => readonly string[]): Promise<WebhookRelay> {
  const counts: DeliveryCounts = { sent: 0, duplicated: 0, lost: 0 };
  let isReliable = false;
  const pickTargets = (): readonly string[] => {
    const open = [...targets()];
    if (open.length === 0 || (!isReliable && random.chance(LOSS_PROBABILITY))) return [];
    const first = random.pick(open);
    if (isReliable || !random.chance(DUPLICATE_PROBABILITY)) return [first];
    counts.duplicated += 1;
    return [first, random.pick(open)];
  };
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.from(await readIncomingBody(request)).toString('utf8');
    const urls = pickTargets();
    const webhook = { headers: selectWebhookHeaders(flattenHeaders(request)), body };
    const statuses = await Promise.all(
      urls.map((url) => postWebhook(`${url}${request.url}`, webhook).catch(() => 502)),
    );
    const [status = 502] = statuses.toSorted((left, right) => left - right);
    counts.sent += 1;
    if (status >= 300) counts.lost += 1;
    response.writeHead(status).end();
  };
  const listening = await startLocalServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  const stopFaults = (): void => {
    isReliable = true;
  };
  return { ...listening, counts, stopFaults };
}

/** GitHub's own headers, without those of the connection. */
function selectWebhookHeaders(headers: WebhookRequest['headers']): WebhookRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:x-|content-type|user-agent)/.test(name)));
}
