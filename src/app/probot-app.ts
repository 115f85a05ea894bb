import type { ApplicationFunction, Probot } from 'probot';
import { type DeliveryHandler, isSubscribed } from '../adapters/http/receive-delivery.ts';
import { SUBSCRIBED_EVENTS } from '../core/step/app-setup.ts';
import type { DeliveryEvent } from '../core/step/ports.ts';
import { isRecord } from '../lib/trust.ts';

/**
 * The product as a Probot application: one handler for each subscribed event, which interprets and stores the delivery.
 * All other work happens after the delivery was answered.
 */
export function createProbotApp(handleDelivery: DeliveryHandler): ApplicationFunction {
  return (app: Probot) => {
    for (const subscription of SUBSCRIBED_EVENTS) {
      app.on(subscription, async ({ id, name, payload }) => {
        const unchecked: unknown = payload;
        await handleDelivery({ id, name, payload: isRecord(unchecked) ? unchecked : {} });
      });
    }
  };
}

type ProbotEvent = Parameters<Probot['webhooks']['receive']>[0];

/** Probot's type promises GitHub's whole schema; our code relies only on the fields checked here. */
function isProbotEvent(event: unknown): event is ProbotEvent {
  return (
    isRecord(event) && typeof event['name'] === 'string' && isSubscribed(event['name']) && isRecord(event['payload'])
  );
}

/**
 * Hands a verified delivery to Probot; rejects if a handler failed. Events without a handler bypass Probot,
 * because it looks handlers up by a name that the sender chooses (`__proto__`, `error`, `*`).
 * `probot.receive` is avoided: it logs whole payloads.
 */
export async function dispatchToProbot(
  probot: Pick<Probot, 'webhooks'>,
  handleDelivery: DeliveryHandler,
  event: DeliveryEvent,
): Promise<void> {
  const unchecked: unknown = event;
  if (isProbotEvent(unchecked)) await probot.webhooks.receive(unchecked).catch(throwOnlyError);
  else await handleDelivery(event);
}

/** Probot wraps the error of a handler. Each event has one handler, so its own error says everything. */
function throwOnlyError(error: unknown): never {
  throw error instanceof AggregateError && error.errors.length === 1 ? error.errors[0] : error;
}
