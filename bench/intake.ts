import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { issueComment } from '../test/command/payloads.ts';

const CONNECTIONS = 64;
const SIZE = 20_000;

/** What a receiver of webhooks did in a while: how many it acknowledged a second, and how long each took (ms). */
export type Intake = { readonly perSecond: number; readonly times: readonly number[]; readonly refused: number };

/** Sends signed deliveries of 20 kB, each of another comment, on 64 connections for so many ms. */
export async function measureIntake(url: string, secret: string, ms: number): Promise<Intake> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  const counts = { refused: 0, next: 1 };
  const begun = performance.now();
  const send = async (): Promise<void> => {
    while (performance.now() - begun < ms) {
      counts.next += 1;
      const from = performance.now();
      const status = await post(agent, url, signed(counts.next, secret));
      if (status >= 300) counts.refused += 1;
      else times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  agent.destroy();
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: times.length / seconds, times, refused: counts.refused };
}

type Delivery = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

function signed(id: number, secret: string): Delivery {
  const payload = issueComment('/approve all', { id, node_id: `IC_${id}`, note: 'x'.repeat(SIZE - 900) });
  const body = Buffer.from(JSON.stringify(payload));
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-github-event': 'issue_comment',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    },
  };
}

function post(agent: Agent, url: string, { headers, body }: Delivery): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(`${url}/api/github/webhooks`, { agent, method: 'POST', headers }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  });
  asked.on('error', reject);
  asked.end(body);
  return promise;
}
