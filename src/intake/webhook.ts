import type { IncomingMessage } from 'node:http';
import type { Log } from '../telemetry/log.ts';
import { ANSWERS, type Answer } from './answer.ts';
import { announcesTooMuch, openRoom, readBody } from './body.ts';
import { type DeliveryEvent, readHead, readPayload } from './delivery-event.ts';
import type { Handle } from './route.ts';
import { isSignature, isSignedBy } from './signature.ts';

/** Takes a delivery; resolves only after what it says is stored. A failure means: not stored. */
export type Deliver = (event: DeliveryEvent) => Promise<void>;

export type WebhookOptions = {
  /** Each of them signs. */
  readonly secrets: readonly string[];
  readonly deliver: Deliver;
  readonly log: Log;
  /** How long storing may take before the sender is told to come again; GitHub itself waits for 10 s. */
  readonly patienceMs?: number;
};

const ROOM_FOR_LARGE_BODIES = 100 * 1024 * 1024;
const PATIENCE_MS = 9_000;

async function inTime(work: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('storing takes too long')), milliseconds);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function hand(event: DeliveryEvent, options: WebhookOptions): Promise<Answer> {
  try {
    await inTime(options.deliver(event), options.patienceMs ?? PATIENCE_MS);
    return ANSWERS.accepted;
  } catch (error) {
    options.log.error({ delivery: event.id, err: error }, 'delivery not stored');
    return ANSWERS.unavailable;
  }
}

/**
 * The route that GitHub delivers to. Whatever can be refused by its headers is refused before a byte
 * of the body is read, and nothing of a body is looked at before its signature is checked.
 */
export function webhookHandle(options: WebhookOptions): Handle {
  const room = openRoom(ROOM_FOR_LARGE_BODIES);
  return async (request: IncomingMessage, invite: () => void) => {
    const signature = request.headers['x-hub-signature-256'];
    if (announcesTooMuch(request)) return ANSWERS.tooLarge;
    if (typeof signature !== 'string' || !isSignature(signature)) return ANSWERS.unsigned;
    const head = readHead(request.headers);
    if (head === null) return ANSWERS.malformed;
    invite();
    const body = await readBody(request, room);
    if (body.kind === 'too-large') return ANSWERS.tooLarge;
    if (body.kind === 'no-room') return ANSWERS.unavailable;
    if (!isSignedBy(options.secrets, body.bytes, signature)) return ANSWERS.unsigned;
    const payload = readPayload(body.bytes);
    return payload === null ? ANSWERS.malformed : hand({ ...head, payload }, options);
  };
}
