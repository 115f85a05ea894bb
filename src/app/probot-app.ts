import type { ApplicationFunction, Probot } from 'probot';
import type { DeliveryHandler } from '../adapters/http/receive-delivery.ts';
import { isRecord } from '../lib/trust.ts';

/**
 * The product as a Probot application: one handler for every event, which interprets and stores the delivery. All other
 * work happens after the delivery was answered.
 */
export function createProbotApp(handleDelivery: DeliveryHandler): ApplicationFunction {
  return (app: Probot) => {
    app.onAny(async ({ id, name, payload }) => {
      const unchecked: unknown = payload;
      await handleDelivery({ id, name, payload: isRecord(unchecked) ? unchecked : {} });
    });
  };
}
