import { withShiftedTimes } from '../../../fakes/github/faults.ts';
import type { FakeInstallation } from '../../../fakes/github/state/github-state.ts';
import type { WebhookEvent } from '../../../fakes/github/state/operation.ts';
import { createDeliveryHandler } from '../../../src/adapters/http/webhook-endpoint.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import type { DeliveryEvent } from '../../../src/core/step/ports.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import { SILENT_COUNTER, SILENT_LOG } from '../../shared/silent.ts';
import type { CaseFixture } from './fixture.ts';
import type { Random } from './random.ts';
import type { Replica } from './replica.ts';
import type { DeliveryAttemptLog } from './simulated-github.ts';
import type { Trace } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A process that receives deliveries, with its own store. */
export type DeliveryTarget = {
  readonly replica: Replica;
  readonly store: Pick<Store, 'receive' | 'broadcastToPulls' | 'noticeChecks'>;
};

type DeliveryOptions = {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly fixture: CaseFixture;
  readonly deliveryLog: DeliveryAttemptLog;
  /** Null while no process is running. */
  readonly target: () => DeliveryTarget | null;
  /** The installation that gets the account's webhooks. */
  readonly installation: () => Pick<FakeInstallation, 'id' | 'suspendedAt'> | undefined;
  /** How far the times of webhooks are from those of the API. */
  readonly skewSeconds: number;
  /** The share of deliveries that are delayed by minutes, duplicated or dropped. */
  readonly faultRate: () => number;
};

/** Creates GitHub's webhook sender. Each delivery has a random delay, so later ones can overtake earlier ones. */
export function createWebhookSender(options: DeliveryOptions): (event: WebhookEvent) => void {
  const { clock, random, trace, faultRate, skewSeconds } = options;
  let count = 0;
  return (emitted) => {
    const unshifted = withInstallation(options, emitted);
    if (unshifted === null) return;
    const event = skewSeconds === 0 ? unshifted : withShiftedTimes(unshifted, skewSeconds);
    count += 1;
    const id = `delivery-${count}`;
    const scheduleAttempt = (ms: number): void =>
      clock.schedule(ms, () => clock.runTask(() => attemptDelivery(options, id, event)));
    const normalDelay = (): number => 40 + random.float() ** 4 * 4_000;
    const roll = random.float() / Math.max(faultRate(), 1e-9);
    if (roll >= 1) return scheduleAttempt(normalDelay());
    const fault = roll < 0.25 ? 'delivery-dropped' : roll < 0.6 ? 'delivery-duplicated' : 'delivery-delayed';
    trace.add({ kind: 'fault', fault, where: `${event.name}.${event.action ?? ''}` });
    if (fault === 'delivery-duplicated') {
      scheduleAttempt(normalDelay());
      scheduleAttempt(random.between(1, 90_000));
    }
    if (fault === 'delivery-dropped') clock.schedule(normalDelay(), () => logAttempt(options, id, event, false));
    // GitHub redelivers nothing by itself, but an operator can.
    const isRedelivered = random.chance(0.5);
    if (fault === 'delivery-delayed' || (fault === 'delivery-dropped' && isRedelivered))
      scheduleAttempt(random.between(5_000, 120_000));
  };
}

async function attemptDelivery(options: DeliveryOptions, id: string, event: WebhookEvent): Promise<void> {
  const target = options.target();
  const { name, payload } = event;
  const acknowledged = target !== null && (await deliverTo(options, target, { id, name, payload }));
  logAttempt(options, id, event, acknowledged);
}

/**
 * Adds the installation to the payload. Null if the App is suspended or removed: then GitHub sends only the events about
 * the installation itself, whose payload already has it.
 */
function withInstallation({ installation }: DeliveryOptions, event: WebhookEvent): WebhookEvent | null {
  if (isRecord(event.payload['installation'])) return event;
  const receiver = installation();
  if (receiver === undefined || receiver.suspendedAt !== null) return null;
  return { ...event, payload: { ...event.payload, installation: { id: receiver.id, node_id: 'i' } } };
}

function logAttempt(
  { deliveryLog, clock }: DeliveryOptions,
  guid: string,
  { name, action, payload, repositoryId }: WebhookEvent,
  acknowledged: boolean,
): void {
  deliveryLog.add({ guid, event: name, action, repositoryId, payload, acknowledged, deliveredAt: clock.now });
}

/** Returns true if the process acknowledged the delivery. */
async function deliverTo(options: DeliveryOptions, target: DeliveryTarget, event: DeliveryEvent): Promise<boolean> {
  const { fixture, clock, trace } = options;
  let isForUs = false;
  const handleDelivery = createDeliveryHandler({
    store: {
      receive: (delivery, now) => {
        isForUs = true;
        return target.store.receive(delivery, now);
      },
      broadcastToPulls: target.store.broadcastToPulls,
      noticeChecks: target.store.noticeChecks,
    },
    identity: () => fixture,
    now: () => clock.now,
    log: SILENT_LOG,
    deliveries: SILENT_COUNTER,
  });
  try {
    await handleDelivery(event);
    trace.add({ kind: 'acknowledged', deliveryId: event.id, isForUs });
    return true;
  } catch {
    // The response was an error. GitHub does not redeliver.
    return false;
  }
}
