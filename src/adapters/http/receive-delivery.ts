import { pausedReply } from '../../core/messages/change-replies.ts';
import { REGISTERED_EVENTS } from '../../core/step/app-rights.ts';
import type { AppIdentity } from '../../core/step/facts.ts';
import type { DeliveryEvent } from '../../core/step/ports.ts';
import { contentKey, type Interpretation, interpret } from '../../core/webhooks/interpret.ts';
import { msSince } from '../../lib/delay.ts';
import { KnownFaultError } from '../../lib/outage.ts';
import type { Store } from '../store/store.ts';
import type { LogFields, Logger } from '../telemetry/log.ts';
import type { Counter } from '../telemetry/metrics.ts';

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
