import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { issueComment, type Payload, reviewComment } from '../../test/unit/core/webhooks/payloads.ts';
import { createAppProcess, readListeningUrl } from '../chaos/app-process.ts';
import type { ChaosDatabase } from '../chaos/database.ts';
import { startTestSite } from '../chaos/site.ts';
import { readProcessUsage } from './load-setup.ts';
import { quantile } from './measure.ts';

/** Somebody who takes deliveries while this is open. */
type IntakeServer = {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly pid: number | null | undefined;
  readonly close: () => Promise<void>;
};

/** The results of one server: a sample for each turn, and the CPU time of all deliveries (ms). */
type IntakeResult = { readonly name: string; readonly turns: IntakeSample[]; cpuMs: number };

function createIntakeResult(name: string): IntakeResult {
  return { name, turns: [], cpuMs: 0 };
}

export type NamedDatabase = readonly [name: string, open: () => Promise<ChaosDatabase>];

const ROUNDS = 9;

const ROUND_MS = 2_000;

/**
 * A Probot server that does nothing, and the App on each database, in turn: what else the machine does falls on each
 * alike. All of them are warm; the App's worker is paused, for there is nothing to compare it with.
 */
export async function compareIntakes(databases: readonly NamedDatabase[]): Promise<readonly IntakeResult[]> {
  const servers = [await startProbot()];
  try {
    for (const database of databases) servers.push(await startApp(database));
    const measured = servers.map((server) => ({ server, result: createIntakeResult(server.name) }));
    for (const server of servers) await measureTurn(server);
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      for (const { server, result } of measured) {
        const { intake, cpuMs } = await measureTurn(server);
        result.turns.push(intake);
        result.cpuMs += cpuMs;
      }
    }
    return measured.map(({ result }) => result);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

async function measureTurn({
  url,
  secret,
  pid,
}: IntakeServer): Promise<{ readonly intake: IntakeSample; readonly cpuMs: number }> {
  const before = readProcessUsage(pid).cpuMs;
  const intake = await measureIntake(url, secret, ROUND_MS);
  return { intake, cpuMs: readProcessUsage(pid).cpuMs - before };
}

/** A line for each; the first is what the others are compared with. */
export function formatIntakeTable(all: readonly IntakeResult[]): readonly string[] {
  const rows = all.map(({ name, turns, cpuMs }) => {
    const times = turns.flatMap((turn) => turn.times);
    const rate = quantile(
      turns.map(({ perSecond }) => perSecond),
      0.5,
    );
    const refused = turns.reduce((sum, turn) => sum + turn.refused, 0);
    return { name, rate, cpu: cpuMs / times.length, slow: quantile(times, 0.99), refused };
  });
  const [yardstick] = rows;
  return rows.map(({ name, rate, cpu, slow, refused }) => {
    const ratios = `${formatRatio(rate, yardstick?.rate)} Probot's rate, ${formatRatio(yardstick?.cpu, cpu)} its rate by time of processors`;
    return `${name.padEnd(38)} ${rate.toFixed(0).padStart(6)} (${ratios}; p99 ${slow.toFixed(0)} ms; refused ${refused})`;
  });
}

function formatRatio(one = Number.NaN, other = Number.NaN): string {
  return `${(one / other).toFixed(2)} ×`;
}

async function startApp([name, open]: NamedDatabase): Promise<IntakeServer> {
  const [site, database] = [await startTestSite(1), await open()];
  const appProcess = createAppProcess({ ...site.environment, ...database.environment, PAUSED: '1' });
  await appProcess.start();
  return {
    name: `Countersign, stored on ${name}`,
    url: appProcess.url() ?? '',
    secret: site.github.app.webhookSecret,
    pid: appProcess.pid(),
    async close() {
      await appProcess.stop('SIGKILL');
      await Promise.all([site.close(), database.drop()]);
    },
  };
}

async function startProbot(): Promise<IntakeServer> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('probot-server.ts', import.meta.url)), 'secret'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production' },
  });
  const url = (await readListeningUrl(child)) ?? '';
  const close = async (): Promise<void> => void child.kill('SIGKILL');
  return { name: 'Probot, a handler that does nothing', url, secret: 'secret', pid: child.pid, close };
}

const CONNECTIONS = 64;

/** Like a busy organisation's, deliveries are about many pull requests. */
const PULL_COUNT = 50;

/** What a receiver of webhooks did in a while: how many it acknowledged a second, and how long each took (ms). */
type IntakeSample = { readonly perSecond: number; readonly times: readonly number[]; readonly refused: number };

/** Sends signed deliveries of 20 kB on 64 connections for so many ms, each as soon as the one before it is answered. */
async function measureIntake(url: string, secret: string, ms: number): Promise<IntakeSample> {
  const until = performance.now() + ms;
  return sendConcurrently(
    url,
    () => performance.now() < until,
    (number) => signedCommand(secret, number),
  );
}

/** Sends so many replies in threads in the same way. */
export async function sendReplies(url: string, secret: string, count: number): Promise<IntakeSample> {
  let left = count;
  return sendConcurrently(
    url,
    () => left-- > 0,
    (number) => signedReply(secret, number),
  );
}

async function sendConcurrently(
  url: string,
  more: () => boolean,
  make: (number: number) => SignedDelivery,
): Promise<IntakeSample> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => KeepAliveConnection.open(url)));
  const times: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  const send = async (connection: KeepAliveConnection, number: number): Promise<void> => {
    while (more()) {
      const { headers, body } = make(number);
      const from = performance.now();
      const status = await connection.post(WEBHOOK_PATH, headers, body);
      if (status >= 300) refused += 1;
      else times.push(performance.now() - from);
    }
  };
  await Promise.all(connections.map((connection, place) => send(connection, 1 + (place % PULL_COUNT))));
  for (const connection of connections) connection.close();
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: times.length / seconds, times, refused };
}

/**
 * What became of deliveries that came whether or not the ones before were answered. Times are ms from the due moment.
 */
export type RateResult = {
  readonly ids: readonly string[];
  readonly times: readonly number[];
  readonly refused: number;
};

/** Sends so many deliveries a second for so many seconds, each at its time; `ids` are those that were acknowledged. */
export async function sendAtRate(
  { url, secret }: { readonly url: string; readonly secret: string },
  perSecond: number,
  seconds: number,
): Promise<RateResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 });
  const ids: string[] = [];
  const times: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  const send = async (place: number): Promise<void> => {
    const due = startedAt + (place * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const delivery = signedCommand(secret, 1 + (place % PULL_COUNT));
    const status = await sendDelivery(agent, url, delivery).catch(() => 0);
    if (status === 202) ids.push(delivery.id);
    else refused += 1;
    times.push(performance.now() - due);
  };
  await Promise.all(Array.from({ length: perSecond * seconds }, (_, place) => send(place)));
  agent.destroy();
  return { ids, times, refused };
}

const HEAD_END = '\r\n\r\n';

/**
 * A kept connection to a server of webhooks on which one request follows the other. It reads of an answer no more than where it
 * ends: sender and server share the machine, and what the sender takes is missing where the server's database works.
 */
class KeepAliveConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #answered: ((status: number) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;
  #read = '';

  static async open(url: string): Promise<KeepAliveConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new KeepAliveConnection(socket, host);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('close', () => this.#failed?.(new Error('The server closed the connection before it answered.')));
    socket.on('error', (error) => this.#failed?.(error));
  }

  /** Posts what is given; resolves with the answer's status, and rejects where there is none. */
  post(path: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    [this.#answered, this.#failed] = [resolve, reject];
    const lines = Object.entries({ host: this.#host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    this.#socket.cork();
    this.#socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
    return promise;
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#read += text;
    const length = responseLength(this.#read);
    if (length === null || this.#read.length < length) return;
    const status = Number(this.#read.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#read = this.#read.slice(length);
    this.#answered?.(status);
  }
}

/** Where the answer that these letters begin ends; null where they do not tell yet. */
function responseLength(read: string): number | null {
  const end = read.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = read.slice(0, end).toLowerCase();
  const body = end + HEAD_END.length;
  const [, length] = /\r\ncontent-length: *(\d+)/.exec(head) ?? [];
  if (length !== undefined) return body + Number(length);
  if (!head.includes('\r\ntransfer-encoding: chunked')) return body;
  const last = read.indexOf('0\r\n\r\n', body);
  return last < 0 ? null : last + '0\r\n\r\n'.length;
}

const DELIVERY_BYTES = 20_000;

/** Where the App takes deliveries. */
const WEBHOOK_PATH = '/api/github/webhooks';

/** A delivery of 20 kB as GitHub sends it; `id` is the one in its header. */
type SignedDelivery = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const NOTE_START = '"note":"';

const FILLER = Buffer.alloc(DELIVERY_BYTES - 900, 'x');

let comments = 0;

/** A command on pull request `number`, in a comment that no other delivery of this process is about. */
function signedCommand(secret: string, number: number): SignedDelivery {
  comments += 1;
  const payload = issueComment('/approve all', uniqueComment());
  const issue = { id: 3000 + number, number, title: 'Totals', pull_request: { url: 'https://github.example/pull' } };
  return signDelivery(secret, 'issue_comment', { ...payload, issue });
}

/** An answer to somebody else in a thread of pull request `number`: stored, and then found to be none of ours. */
function signedReply(secret: string, number: number): SignedDelivery {
  comments += 1;
  const over = { pull_request: { id: 3000 + number, number, title: 'Totals' } };
  return signDelivery(
    secret,
    'pull_request_review_comment',
    reviewComment('I would rather not.', uniqueComment(), over),
  );
}

function uniqueComment(): Payload {
  return { id: comments, node_id: `IC_${comments}`, note: '' };
}

/** What is told, with a long note where `filled` left it empty: to write that out anew each time costs more than all the rest. */
function deliveryBody(payload: Payload): Buffer {
  const told = JSON.stringify(payload);
  const at = told.indexOf(NOTE_START) + NOTE_START.length;
  return Buffer.concat([Buffer.from(told.slice(0, at)), FILLER, Buffer.from(told.slice(at))]);
}

function signDelivery(secret: string, event: string, payload: Payload): SignedDelivery {
  const body = deliveryBody(payload);
  const [id, signature] = [randomUUID(), createHmac('sha256', secret).update(body).digest('hex')];
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return { id, headers, body };
}

/** Sends it to the App at `url`; resolves with the answer's status, and rejects where there is none. */
function sendDelivery(agent: Agent, url: string, { headers, body }: SignedDelivery): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(`${url}${WEBHOOK_PATH}`, { agent, method: 'POST', headers }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  });
  asked.on('error', reject);
  asked.end(body);
  return promise;
}
