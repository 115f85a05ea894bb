import type { FakeInstallation } from '../../../fakes/github/state/github-state.ts';
import type { WebhookEvent } from '../../../fakes/github/state/operation.ts';
import { createDeliveryHandler } from '../../../src/adapters/http/receive-delivery.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import type { DeliveryEvent } from '../../../src/core/state/ports.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import type { CaseFixture } from './fixture.ts';
import type { Random } from './random.ts';
import type { Replica } from './replica.ts';
import type { DeliveryAttemptLog } from './simulated-github.ts';
import type { Trace } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Where deliveries go: a process with its own view of the store; null while none lives. */
export type DeliveryTarget = { readonly replica: Replica; readonly store: Pick<Store, 'receive' | 'broadcastToPulls'> };

type DeliveryOptions = {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly fixture: CaseFixture;
  readonly log: DeliveryAttemptLog;
  readonly target: () => DeliveryTarget | null;
  /** Whom GitHub tells of the account's pull requests. */
  readonly installation: () => Pick<FakeInstallation, 'id' | 'suspendedAt'> | undefined;
  /** How often a delivery is late by minutes, comes twice, or never comes. */
  readonly faultRate: () => number;
};

const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** GitHub's deliveries: each takes its own time, so that later ones overtake earlier ones; some fare worse. */
export function createWebhookSender(options: DeliveryOptions): (event: WebhookEvent) => void {
  const { clock, random, trace, faultRate } = options;
  let count = 0;
  return (bare) => {
    const event = withInstallation(options, bare);
    if (event === null) return;
    count += 1;
    const id = `delivery-${count}`;
    const come = (ms: number): void =>
      clock.schedule(ms, () => clock.runTask(() => attemptDelivery(options, id, event)));
    const soon = (): number => 40 + random.float() ** 4 * 4_000;
    const roll = random.float() / Math.max(faultRate(), 1e-9);
    if (roll >= 1) return come(soon());
    const fault = roll < 0.25 ? 'delivery-dropped' : roll < 0.6 ? 'delivery-duplicated' : 'delivery-delayed';
    trace.add({ kind: 'fault', fault, where: `${event.name}.${event.action ?? ''}` });
    if (fault === 'delivery-duplicated') come(soon());
    if (fault === 'delivery-duplicated') come(random.between(1, 90_000));
    if (fault === 'delivery-dropped') clock.schedule(soon(), () => logAttempt(options, id, event, false));
    // GitHub sends nothing again by itself; an operator may.
    const again = random.chance(0.5);
    if (fault === 'delivery-delayed' || (fault === 'delivery-dropped' && again)) come(random.between(5_000, 120_000));
  };
}

async function attemptDelivery(options: DeliveryOptions, id: string, event: WebhookEvent): Promise<void> {
  const target = options.target();
  const { name, payload } = event;
  const answered = target !== null && (await deliverTo(options, target, { id, name, payload }));
  logAttempt(options, id, event, answered);
}

/** With the installation that hears of it: a suspended one, and one that was removed, of nothing but that. */
function withInstallation({ installation }: DeliveryOptions, event: WebhookEvent): WebhookEvent | null {
  if (isRecord(event.payload['installation'])) return event;
  const acting = installation();
  if (acting === undefined || acting.suspendedAt !== null) return null;
  return { ...event, payload: { ...event.payload, installation: { id: acting.id, node_id: 'i' } } };
}

function logAttempt(
  { log, clock }: DeliveryOptions,
  guid: string,
  { name, action, repositoryId, payload }: WebhookEvent,
  acknowledged: boolean,
): void {
  log.add({ guid, event: name, action, repositoryId, payload, acknowledged, deliveredAt: clock.now });
}

/** Whether a process answers that it took it. */
async function deliverTo(options: DeliveryOptions, target: DeliveryTarget, event: DeliveryEvent): Promise<boolean> {
  const { fixture, clock, trace } = options;
  let isForUs = false;
  const take = createDeliveryHandler({
    store: {
      receive: (deliveries, now) => {
        isForUs = true;
        return target.store.receive(deliveries, now);
      },
      broadcastToPulls: target.store.broadcastToPulls,
    },
    identity: () => fixture,
    now: () => clock.now,
    log: SILENT_LOG,
    deliveries: { inc() {} },
  });
  try {
    await take(event);
    trace.add({ kind: 'acknowledged', deliveryId: event.id, isForUs });
    return true;
  } catch {
    // Answered with an error: GitHub does not send it again.
    return false;
  }
}
