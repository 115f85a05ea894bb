import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Chance } from '../simulation/chance.ts';
import type { WebhookRequest } from '../simulator/http/deliveries.ts';
import { flatHeaders, type Listening, listen, readBody } from '../simulator/http/listen.ts';
import { postWebhook } from '../simulator/http/post-webhook.ts';

/** What became of webhooks on their way. */
export type RelayCounts = { sent: number; doubled: number; lost: number };

/** Between GitHub and the App: hands each webhook to any process, now and then to two at once, now and then to nobody. */
export type Relay = Listening & { readonly counts: Readonly<RelayCounts>; readonly behave: () => void };

const DOUBLES = 0.2;
const LOSES = 0.05;

/** `targets` answers where the processes take deliveries at the moment. */
export async function openRelay(chance: Chance, targets: () => readonly string[]): Promise<Relay> {
  const counts: RelayCounts = { sent: 0, doubled: 0, lost: 0 };
  let behaves = false;
  const chosen = (): readonly string[] => {
    const open = [...targets()];
    if (open.length === 0 || (!behaves && chance.happens(LOSES))) return [];
    const first = chance.pick(open);
    if (behaves || !chance.happens(DOUBLES)) return [first];
    counts.doubled += 1;
    return [first, chance.pick(open)];
  };
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.from(await readBody(request)).toString('utf8');
    const to = chosen();
    const webhook = { headers: ownHeaders(flatHeaders(request)), body };
    const statuses = await Promise.all(to.map((url) => postWebhook(`${url}${request.url}`, webhook).catch(() => 502)));
    const [status = 502] = statuses.toSorted((left, right) => left - right);
    counts.sent += 1;
    if (status >= 300) counts.lost += 1;
    response.writeHead(status).end();
  };
  const listening = await listen((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  const behave = (): void => {
    behaves = true;
  };
  return { ...listening, counts, behave };
}

/** What GitHub signs and names; the connection's own are made anew. */
function ownHeaders(headers: WebhookRequest['headers']): WebhookRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:x-|content-type|user-agent)/.test(name)));
}
