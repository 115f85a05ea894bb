import type { DeliveryEvent } from '../intake/delivery-event.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Counter } from '../telemetry/metrics.ts';
import type { AsItStands } from './as-it-stands.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { Heartbeat } from './heartbeat.ts';

/** All that a sweep works with. */
export type SweepOptions = {
  readonly deliveries: DeliveryLog;
  readonly store: Pick<Store, 'beginSweep' | 'endSweep' | 'knownDeliveries' | 'activePulls' | 'catchUpAll'>;
  readonly heartbeat: Heartbeat;
  readonly asItStands: AsItStands;
  /** Stores what a delivery means and tells what came of it, as for one that GitHub sends. */
  readonly take: (event: DeliveryEvent) => Promise<string>;
  readonly now: () => number;
  /** GitHub's own time now (ms), as far as its answers show it. */
  readonly githubTime: () => number;
  readonly log: Log;
  /** Counts webhooks that were read from the log, by event and by what came of them. */
  readonly lost: Counter<'event' | 'outcome'>;
};
