import type { FakeDelivery } from '../../../fakes/github/http/server-state.ts';
import type { Stage } from './stage.ts';

/** What GitHub told of while `deed` was done, without anybody hearing it; it took some seconds. */
export function unheard({ github: { deliveries }, pass }: Stage, deed: () => void): readonly FakeDelivery[] {
  const before = deliveries.log.length;
  deliveries.intercept(() => 'drop');
  pass(2);
  deed();
  pass(2);
  deliveries.intercept(undefined);
  return deliveries.log.slice(before);
}
