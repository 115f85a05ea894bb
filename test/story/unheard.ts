import type { Delivery } from '../../src/simulator/http/deliveries.ts';
import type { Stage } from './stage.ts';

/** What GitHub told of while `deed` was done, without anybody hearing it; it took some seconds. */
export function unheard({ github: { deliveries }, pass }: Stage, deed: () => void): readonly Delivery[] {
  const before = deliveries.log.length;
  deliveries.decide(() => 'drop');
  pass(2);
  deed();
  pass(2);
  deliveries.decide(undefined);
  return deliveries.log.slice(before);
}
