import type { IncomingMessage } from 'node:http';
import { pausedReply } from '../../core/messages/paused-reply.ts';
import { REGISTERED_EVENTS } from '../../core/step/app-rights.ts';
import type { AppIdentity } from '../../core/step/facts.ts';
import type { DeliveryEvent } from '../../core/step/ports.ts';
import { contentKey, type Interpretation, interpret } from '../../core/webhooks/interpret.ts';
import { msSince, withTimeout } from '../../lib/delay.ts';
import { KnownFaultError } from '../../lib/outage.ts';
import type { Store } from '../store/store.ts';
import { createFault, createThrottle, isKnownFault, type LogFields, type Logger } from '../telemetry/log.ts';
import type { Counter } from '../telemetry/metrics.ts';
import { RESPONSES, type RequestHandler, type RouteResponse } from './server.ts';

/** Probot's webhooks for one secret. `verifyAndReceive` resolves after the delivery is stored (see `wiring.ts`). */
type WebhookReceiver = {
  readonly verify: (payload: string, signature: string) => Promise<boolean>;
  readonly verifyAndReceive: (delivery: SignedDelivery) => Promise<void>;
};

/** A webhook as it came. The signature covers only the payload. */
type SignedDelivery = {
  readonly id: string;
  readonly name: string;
  readonly payload: string;
  readonly signature: string;
};

type WebhookOptions = {
  /** One for each secret: during a rotation GitHub signs with either. */
  readonly receivers: readonly WebhookReceiver[];
  readonly log: Logger;
  readonly logRefusal: RefusalLog;
};

/** Timeout for storing a delivery: GitHub waits 10 s for the response. */
const DELIVERY_TIMEOUT_MS = 9_000;

/** GitHub sends payloads of up to 25 MB. */
export const MAX_REQUEST_BODY_BYTES = 25 * 1024 * 1024;

/** Creates the handler of GitHub's webhooks. It answers 202 only once a delivery is stored. */
export function createWebhookHandler({ receivers, log, logRefusal }: WebhookOptions): RequestHandler {
  const fault = createFault({ level: 'error', message: 'delivery not stored' });
  const refuse = (cause: RefusedWebhook): RouteResponse => {
    logRefusal(cause);
    return REFUSALS[cause].response;
  };
  const receive = async (receiver: WebhookReceiver, delivery: SignedDelivery): Promise<RouteResponse> => {
    try {
      await withTimeout(receiver.verifyAndReceive(delivery), DELIVERY_TIMEOUT_MS, 'storing the delivery timed out');
      return RESPONSES.accepted;
    } catch (thrown) {
      const error = onlyErrorOf(thrown);
      if (isBadRequest(error)) return refuse('malformed');
      const fields = { delivery: delivery.id, event: delivery.name };
      // During an outage every delivery fails in the same way, so known faults get one line a minute.
      if (isKnownFault(error)) fault.failed(log, error, fields);
      else log.error({ ...fields, err: error }, 'delivery not stored');
      return RESPONSES.unavailable;
    }
  };
  return async (request) => {
    const headers = readHeaders(request);
    if (typeof headers === 'string') return refuse(headers);
    const payload = await readBody(request);
    if (payload === null) return refuse('too-large');
    for (const receiver of receivers) {
      if (payload === '' || !(await receiver.verify(payload, headers.signature))) continue;
      return payload.startsWith('{') ? receive(receiver, { ...headers, payload }) : refuse('malformed');
    }
    return refuse('wrong-signature');
  };
}

const SIGNATURE_PATTERN = /^sha256=[0-9a-f]{64}$/;
const JSON_TYPE_PATTERN = /^application\/json\s*(?:;|$)/i;
const ID_PATTERN = /^[A-Za-z0-9-]{1,64}$/;
/** Probot looks a handler up by this name, so `__proto__` is none. */
const NAME_PATTERN = /^[a-z][a-z_]{0,63}$/;

/** The headers of a delivery, or why it is refused before its body is read. */
function readHeaders({ headers }: IncomingMessage): Omit<SignedDelivery, 'payload'> | RefusedWebhook {
  if (Number(headers['content-length'] ?? 0) > MAX_REQUEST_BODY_BYTES) return 'too-large';
  const signature = String(headers['x-hub-signature-256']);
  if (!SIGNATURE_PATTERN.test(signature)) return 'no-signature';
  if (!JSON_TYPE_PATTERN.test(headers['content-type'] ?? '')) return 'content-type';
  const [id, name] = [String(headers['x-github-delivery'] ?? ''), String(headers['x-github-event'] ?? '')];
  return ID_PATTERN.test(id) && NAME_PATTERN.test(name) ? { id, name, signature } : 'malformed';
}

/**
 * Reads a body; null if it is larger than the maximum. Rejects if the sender disconnects. The rest of a larger body
 * stays in the socket, so that the response can be sent.
 */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > MAX_REQUEST_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString();
}

/** Octokit wraps the error of a handler. Each delivery has one handler, so its own error says everything. */
function onlyErrorOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length === 1 ? error.errors[0] : error;
}

/** Octokit's mark for a body that is not JSON. */
function isBadRequest(error: unknown): boolean {
  return error instanceof SyntaxError && 'status' in error && error.status === 400;
}

/** Why a webhook was refused. */
type RefusedWebhook = keyof typeof REFUSALS;

const REFUSALS = {
  'wrong-path': {
    response: RESPONSES.notFound,
    fix: 'GitHub, or a stranger, sends webhooks to another path. End the webhook URL in the App’s settings on GitHub with the path of this line, or set WEBHOOK_PATH.',
  },
  'no-signature': {
    response: RESPONSES.unsigned,
    fix: 'The App’s webhook has no secret, or a stranger sent this. Enter WEBHOOK_SECRET as the webhook secret in the App’s settings on GitHub.',
  },
  'wrong-signature': {
    response: RESPONSES.unsigned,
    fix: 'The webhook secret differs from WEBHOOK_SECRET, or a stranger sent this. Enter the same secret in the App’s settings on GitHub and in WEBHOOK_SECRET.',
  },
  'content-type': {
    response: RESPONSES.malformed,
    fix: 'The App’s webhook, or a proxy, sends another content type. Set the webhook’s content type to application/json in the App’s settings on GitHub, and let the proxy pass it on.',
  },
  malformed: {
    response: RESPONSES.malformed,
    fix: 'A proxy changes webhooks, or a stranger sent this. Let the proxy pass on the body, X-GitHub-Delivery and X-GitHub-Event as they are.',
  },
  'too-large': {
    response: RESPONSES.tooLarge,
    fix: 'A stranger sent this, because GitHub sends at most 25 MiB. If it repeats, let the proxy refuse larger bodies.',
  },
} as const satisfies Readonly<Record<string, { readonly response: RouteResponse; readonly fix: string }>>;

/** Logs a refused webhook, at most one line a minute for each cause. */
type RefusalLog = (cause: RefusedWebhook) => void;

type RefusalLogOptions = {
  readonly log: Pick<Logger, 'warn'>;
  /** The path that webhooks must have. */
  readonly path: string;
  /** A clock in ms. */
  readonly now?: () => number;
};

/** The lines hold nothing of the request, because anybody can send one. */
export function createRefusalLog({ log, path, now = () => performance.now() }: RefusalLogOptions): RefusalLog {
  const throttle = createThrottle<RefusedWebhook>(now);
  return (cause) => {
    const allowed = throttle(cause);
    if (allowed !== null) log.warn({ cause, path, fix: REFUSALS[cause].fix, ...allowed }, 'webhook refused');
  };
}

/** Whether a request that no route takes was meant for the webhook's. */
export function isStrayWebhook({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'POST' && headers['x-github-event'] !== undefined;
}

type DeliveryHandlerOptions = {
  readonly store: Pick<Store, 'receive' | 'broadcastToPulls' | 'noticeChecks'>;
  /** Null until GitHub has returned it. Deliveries before that are rejected. */
  readonly identity: () => AppIdentity | null;
  readonly now: () => number;
  readonly log: Logger;
  /** Counts deliveries by event and outcome. */
  readonly deliveries: Counter<'event' | 'outcome'>;
};

/** Stores the intent of a delivery, if it has one, and returns the outcome. Rejects if it was not stored. */
export type DeliveryHandler = (event: DeliveryEvent) => Promise<string>;

/** Creates the handler behind the webhook. It logs and counts exactly one outcome for each delivery. */
export function createDeliveryHandler(options: DeliveryHandlerOptions): DeliveryHandler {
  return async ({ id, name, payload }) => {
    // GitHub sends a ping when the webhook is set up, which can be before the App's identity is known.
    if (name === 'ping') return acceptPing(id, payload, options);
    const begunAt = performance.now();
    const identity = options.identity();
    if (identity === null) throw new KnownFaultError('app identity not loaded yet');
    const interpretation = interpret({ event: name, payload, app: identity });
    const outcome = await storeInterpretation(id, interpretation, options);
    const fields = { delivery: id, event: name, action: payload['action'], outcome, ...fieldsOf(interpretation) };
    const level = interpretation.kind === 'ignored' ? 'debug' : 'info';
    options.log[level]({ ...fields, ms: msSince(begunAt) }, 'delivery');
    options.deliveries.inc({ event: REGISTERED_EVENTS.find((one) => one === name) ?? 'other', outcome });
    return outcome;
  };
}

function acceptPing(
  delivery: string,
  { hook_id: hook }: DeliveryEvent['payload'],
  { log, deliveries }: DeliveryHandlerOptions,
): string {
  log.info({ delivery, hook: typeof hook === 'number' ? hook : null }, 'webhook works');
  deliveries.inc({ event: 'ping', outcome: 'ping' });
  return 'ping';
}

function fieldsOf(interpretation: Interpretation): LogFields {
  if (interpretation.kind !== 'intent') return {};
  const { kind, pull, actor } = interpretation.intent;
  return { intent: kind, repo: `${pull.owner}/${pull.repo}`, pr: pull.number, user: actor.login };
}

async function storeInterpretation(
  id: string,
  interpretation: Interpretation,
  { store, now }: DeliveryHandlerOptions,
): Promise<string> {
  switch (interpretation.kind) {
    case 'ignored':
      return interpretation.reason;
    case 'intent': {
      const { intent } = interpretation;
      return store.receive({ id, intent, contentKey: contentKey(intent), pausedReply: pausedReply(intent) }, now());
    }
    case 'check-event':
      await store.noticeChecks(interpretation.checkEvent, now());
      return 'checks-noticed';
    case 'installation-event':
      return store.broadcastToPulls(id, interpretation.installationEvent, now());
  }
}
