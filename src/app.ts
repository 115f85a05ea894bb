import type { ApplicationFunction, Probot } from 'probot';
import type { DeliveryEvent } from './intake/delivery-event.ts';
import { isSubscribed, SUBSCRIPTIONS } from './intake/subscriptions.ts';
import type { Take } from './intake/take-delivery.ts';
import { isRecord } from './trust.ts';

/**
 * The product as a Probot application: for each event it subscribes to, one handler that
 * interprets the payload and stores what it means. Nothing else happens before the delivery is answered.
 */
export function countersign(take: Take): ApplicationFunction {
  return (app: Probot) => {
    for (const subscription of SUBSCRIPTIONS) {
      app.on(subscription, async ({ id, name, payload }) => {
        const unchecked: unknown = payload;
        await take({ id, name, payload: isRecord(unchecked) ? unchecked : {} });
      });
    }
  };
}

type ProbotEvent = Parameters<Probot['webhooks']['receive']>[0];

/** Probot's type promises GitHub's whole schema; nobody here relies on more of it than what is checked. */
function isForProbot(event: unknown): event is ProbotEvent {
  return (
    isRecord(event) && typeof event['name'] === 'string' && isSubscribed(event['name']) && isRecord(event['payload'])
  );
}

/**
 * Hands a checked delivery to Probot; rejects where a handler failed. Events without a handler are taken directly,
 * because handlers are looked up by names that the sender chooses (`__proto__`, `error`, `*`).
 * `probot.receive` is avoided: it writes whole payloads to the log.
 */
export async function dispatch(probot: Pick<Probot, 'webhooks'>, take: Take, event: DeliveryEvent): Promise<void> {
  const unchecked: unknown = event;
  if (isForProbot(unchecked)) await probot.webhooks.receive(unchecked);
  else await take(event);
}
