import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { issueComment, type Payload } from '../../test/unit/core/webhooks/payloads.ts';
import { createAppProcess, readListeningUrl } from '../chaos/app-process.ts';
import type { ChaosDatabase } from '../chaos/database.ts';
import { startTestSite } from '../chaos/site.ts';
import { quantile } from './measure.ts';

/** A running server that receives deliveries. */
type IntakeServer = {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly pid: number | null | undefined;
  readonly close: () => Promise<void>;
};

/** The results of one server: a sample for each round, and the CPU time of all rounds. */
type IntakeResult = { readonly name: string; readonly samples: IntakeSample[]; cpuMs: number };

/** `open` creates the database. */
export type NamedDatabase = readonly [name: string, open: () => Promise<ChaosDatabase>];

const ROUNDS = 9;

const ROUND_MS = 2_000;

/**
 * Measures in turn a Probot server whose handler does nothing and the App on each database, so that other load on the
 * machine affects each alike. A first round warms them up. The App's worker is paused, because Probot has none.
 */
export async function compareIntakes(databases: readonly NamedDatabase[]): Promise<readonly IntakeResult[]> {
  const servers = [await startProbot()];
  try {
    for (const database of databases) servers.push(await startApp(database));
    const results = servers.map(({ name }): IntakeResult => ({ name, samples: [], cpuMs: 0 }));
    for (const server of servers) await measureRound(server);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, server] of servers.entries()) {
        const { sample, cpuMs } = await measureRound(server);
        const result = results[index];
        if (result === undefined) continue;
        result.samples.push(sample);
        result.cpuMs += cpuMs;
      }
    }
    return results;
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

async function measureRound({
  url,
  secret,
  pid,
}: IntakeServer): Promise<{ readonly sample: IntakeSample; readonly cpuMs: number }> {
  const cpuMsBefore = readCpuMs(pid);
  const sample = await measureIntake(url, secret, ROUND_MS);
  return { sample, cpuMs: readCpuMs(pid) - cpuMsBefore };
}

/** A line for each server, compared with the first one. */
export function formatIntakeTable(results: readonly IntakeResult[]): readonly string[] {
  const rows = results.map(({ name, samples, cpuMs }) => {
    const times = samples.flatMap((sample) => sample.times);
    const rate = quantile(
      samples.map(({ perSecond }) => perSecond),
      0.5,
    );
    const refused = samples.reduce((sum, sample) => sum + sample.refused, 0);
    return { name, rate, cpuMsPerDelivery: cpuMs / times.length, p99: quantile(times, 0.99), refused };
  });
  const [yardstick] = rows;
  return rows.map(({ name, rate, cpuMsPerDelivery, p99, refused }) => {
    const rateRatio = formatRatio(rate, yardstick?.rate);
    const cpuRatio = formatRatio(yardstick?.cpuMsPerDelivery, cpuMsPerDelivery);
    const ratios = `${rateRatio} Probot's rate, ${cpuRatio} its rate per CPU time`;
    return `${name.padEnd(38)} ${rate.toFixed(0).padStart(6)} (${ratios}; p99 ${p99.toFixed(0)} ms; refused ${refused})`;
  });
}

function formatRatio(numerator = Number.NaN, denominator = Number.NaN): string {
  return `${(numerator / denominator).toFixed(2)} ×`;
}

async function startApp([name, open]: NamedDatabase): Promise<IntakeServer> {
  const [site, database] = [await startTestSite(1), await open()];
  const appProcess = createAppProcess({ ...site.environment, ...database.environment, PAUSED: '1' });
  await appProcess.start();
  return {
    name: `Countersign on ${name}`,
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
  return { name: 'Probot with an empty handler', url, secret: 'secret', pid: child.pid, close };
}

const CONNECTIONS = 64;

/** Deliveries are spread over many pull requests, as in a busy organization. */
const PULL_COUNT = 50;

/** Acknowledged deliveries: their rate, and the time of each in ms. `refused` counts the others. */
type IntakeSample = { readonly perSecond: number; readonly times: readonly number[]; readonly refused: number };

/** Sends signed deliveries of 20 kB for `ms`. Each connection sends the next one as soon as it gets a response. */
async function measureIntake(url: string, secret: string, ms: number): Promise<IntakeSample> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  const send = async (pullNumber: number): Promise<void> => {
    while (performance.now() < startedAt + ms) {
      const delivery = signedCommand(secret, pullNumber);
      const sentAt = performance.now();
      if ((await post(agent, url, delivery)) >= 300) refused += 1;
      else times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => send(1 + (index % PULL_COUNT))));
  agent.destroy();
  return { perSecond: (times.length * 1000) / (performance.now() - startedAt), times, refused };
}

/** Resolves with the status of the response. */
function post(agent: Agent, url: string, { headers, body }: SignedDelivery): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(`${url}${WEBHOOK_PATH}`, { agent, method: 'POST', headers }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0));
  });
  sent.once('error', reject).end(body);
  return promise;
}

const TICKS_PER_SECOND = 100;

/** CPU time of a process since its start (ms). Reads Linux's /proc; throws on other systems. */
function readCpuMs(pid: number | null | undefined): number {
  // The program's name is in parentheses and can contain any character.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return ((user + system) * 1000) / TICKS_PER_SECOND;
}

const DELIVERY_BYTES = 20_000;

const WEBHOOK_PATH = '/api/github/webhooks';

/** A delivery of about 20 kB as GitHub sends it. */
type SignedDelivery = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const NOTE_START = '"note":"';

const FILLER = Buffer.alloc(DELIVERY_BYTES - 900, 'x');

let commentCount = 0;

/** A command on a pull request, in a new comment. */
function signedCommand(secret: string, number: number): SignedDelivery {
  const payload = issueComment('/approve all', newComment());
  const issue = { id: 3000 + number, number, title: 'Totals', pull_request: { url: 'https://github.example/pull' } };
  return signDelivery(secret, 'issue_comment', { ...payload, issue });
}

function newComment(): Payload {
  commentCount += 1;
  return { id: commentCount, node_id: `IC_${commentCount}`, note: '' };
}

/** Inserts the filler into the empty note after serialization, because serializing it each time is slow. */
function deliveryBody(payload: Payload): Buffer {
  const json = JSON.stringify(payload);
  const noteStart = json.indexOf(NOTE_START) + NOTE_START.length;
  return Buffer.concat([Buffer.from(json.slice(0, noteStart)), FILLER, Buffer.from(json.slice(noteStart))]);
}

function signDelivery(secret: string, event: string, payload: Payload): SignedDelivery {
  const body = deliveryBody(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return { headers, body };
}
