import type { FakeDelivery } from '../../../fakes/github/http/server-state.ts';
import type { Stage } from './stage.ts';

/** Drops the webhooks of `action`, which takes four seconds, and returns them. */
export function dropWebhooks({ github: { deliveries }, pass }: Stage, action: () => void): readonly FakeDelivery[] {
  const before = deliveries.log.length;
  deliveries.intercept(() => 'drop');
  pass(2);
  action();
  pass(2);
  deliveries.intercept(undefined);
  return deliveries.log.slice(before);
}
