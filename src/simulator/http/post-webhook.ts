import type { WebhookRequest } from './deliveries.ts';

/** GitHub gives a receiver ten seconds. */
const PATIENCE = 10_000;

/** Sends one webhook and answers the status. Rejects when nobody answers in time. */
export async function postWebhook(target: string, { headers, body }: WebhookRequest): Promise<number> {
  const signal = AbortSignal.timeout(PATIENCE);
  // A connection that is kept may be closed by the receiver, for its idleness, just as the next webhook is sent on it.
  const once = { ...headers, connection: 'close' };
  const response = await fetch(target, { method: 'POST', headers: once, body, redirect: 'manual', signal });
  await response.arrayBuffer();
  return response.status;
}
