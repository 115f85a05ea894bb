import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { deliver, type SignedDelivery, signedCommand, signedReply, WEBHOOKS } from './signed-delivery.ts';

const CONNECTIONS = 64;
/** Like a busy organisation's, deliveries are about many pull requests. */
const PULLS = 50;

/** What a receiver of webhooks did in a while: how many it acknowledged a second, and how long each took (ms). */
export type Intake = { readonly perSecond: number; readonly times: readonly number[]; readonly refused: number };

/** Sends signed deliveries of 20 kB on 64 connections for so many ms, each as soon as the one before it is answered. */
export async function measureIntake(url: string, secret: string, ms: number): Promise<Intake> {
  const until = performance.now() + ms;
  return pump(
    url,
    () => performance.now() < until,
    (number) => signedCommand(secret, number),
  );
}

/** Sends so many replies in threads in the same way. */
export async function sendReplies(url: string, secret: string, count: number): Promise<Intake> {
  let left = count;
  return pump(
    url,
    () => left-- > 0,
    (number) => signedReply(secret, number),
  );
}

async function pump(url: string, more: () => boolean, make: (number: number) => SignedDelivery): Promise<Intake> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(url)));
  const times: number[] = [];
  let refused = 0;
  const begun = performance.now();
  const send = async (connection: Connection, number: number): Promise<void> => {
    while (more()) {
      const { headers, body } = make(number);
      const from = performance.now();
      const status = await connection.post(WEBHOOKS, headers, body);
      if (status >= 300) refused += 1;
      else times.push(performance.now() - from);
    }
  };
  await Promise.all(connections.map((connection, place) => send(connection, 1 + (place % PULLS))));
  for (const connection of connections) connection.close();
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: times.length / seconds, times, refused };
}

/**
 * What became of deliveries that came whether or not the ones before were answered. Times are ms from the due moment.
 */
export type Answered = { readonly ids: readonly string[]; readonly times: readonly number[]; readonly refused: number };

/** Sends so many deliveries a second for so many seconds, each at its time; `ids` are those that were acknowledged. */
export async function sendAtRate(
  { url, secret }: { readonly url: string; readonly secret: string },
  perSecond: number,
  seconds: number,
): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 });
  const answered = { ids: [] as string[], times: [] as number[], refused: 0 };
  const begun = performance.now();
  const send = async (place: number): Promise<void> => {
    const due = begun + (place * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const delivery = signedCommand(secret, 1 + (place % PULLS));
    const status = await deliver(agent, url, delivery).catch(() => 0);
    if (status === 202) answered.ids.push(delivery.id);
    else answered.refused += 1;
    answered.times.push(performance.now() - due);
  };
  await Promise.all(Array.from({ length: perSecond * seconds }, (_, place) => send(place)));
  agent.destroy();
  return answered;
}
