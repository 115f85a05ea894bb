import type { DeliveryEvent } from '../intake/delivery-event.ts';
import { openTake } from '../intake/take-delivery.ts';
import type { WebhookEvent } from '../simulator/world/outcome.ts';
import type { Installation } from '../simulator/world/state.ts';
import type { Store } from '../store/store.ts';
import { isRecord } from '../trust.ts';
import type { Chance } from './chance.ts';
import type { AttemptLog } from './delivery-log.ts';
import type { Replica } from './replica.ts';
import type { Scene } from './scene.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** Where deliveries go: a process with its own view of the store; null while none lives. */
export type Door = { readonly replica: Replica; readonly store: Pick<Store, 'receive' | 'tellAll'> };

export type DeliveryOptions = {
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly scene: Scene;
  readonly log: AttemptLog;
  readonly door: () => Door | null;
  /** Whom GitHub tells of the account's pull requests. */
  readonly installation: () => Pick<Installation, 'id' | 'suspendedAt'> | undefined;
  /** How often a delivery is late by minutes, comes twice, or never comes. */
  readonly trouble: () => number;
};

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** GitHub's deliveries: each takes its own time, so that later ones overtake earlier ones; some fare worse. */
export function openDeliveries(options: DeliveryOptions): (event: WebhookEvent) => void {
  const { timeline, chance, trace, trouble } = options;
  let count = 0;
  return (bare) => {
    const event = addressed(options, bare);
    if (event === null) return;
    count += 1;
    const id = `delivery-${count}`;
    const come = (ms: number): void => timeline.after(ms, () => timeline.follow(() => deliver(options, id, event)));
    const soon = (): number => 40 + chance.part() ** 4 * 4_000;
    const roll = chance.part() / Math.max(trouble(), 1e-9);
    if (roll >= 1) return come(soon());
    const fault = roll < 0.25 ? 'delivery-dropped' : roll < 0.6 ? 'delivery-twice' : 'delivery-late';
    trace.add({ kind: 'fault', fault, where: `${event.name}.${event.action ?? ''}` });
    if (fault === 'delivery-twice') come(soon());
    if (fault === 'delivery-twice') come(chance.between(1, 90_000));
    if (fault === 'delivery-dropped') timeline.after(soon(), () => logged(options, id, event, false));
    // GitHub sends nothing again by itself; an operator may.
    const again = chance.happens(0.5);
    if (fault === 'delivery-late' || (fault === 'delivery-dropped' && again)) come(chance.between(5_000, 120_000));
  };
}

async function deliver(options: DeliveryOptions, id: string, event: WebhookEvent): Promise<void> {
  const door = options.door();
  const { name, payload } = event;
  const answered = door !== null && (await arrive(options, door, { id, name, payload }));
  logged(options, id, event, answered);
}

/** With the installation that hears of it: a suspended one, and one that was removed, of nothing but that. */
function addressed({ installation }: DeliveryOptions, event: WebhookEvent): WebhookEvent | null {
  if (isRecord(event.payload['installation'])) return event;
  const acting = installation();
  if (acting === undefined || acting.suspendedAt !== null) return null;
  return { ...event, payload: { ...event.payload, installation: { id: acting.id, node_id: 'i' } } };
}

function logged(
  { log, timeline }: DeliveryOptions,
  guid: string,
  { name, action, repositoryId, payload }: WebhookEvent,
  answered: boolean,
): void {
  log.add({ guid, event: name, action, repositoryId, payload, answered, deliveredAt: timeline.now });
}

/** Whether a process answers that it took it. */
async function arrive(options: DeliveryOptions, door: Door, event: DeliveryEvent): Promise<boolean> {
  const { scene, timeline, trace } = options;
  let meant = false;
  const take = openTake({
    store: {
      receive: (deliveries, now) => {
        meant = true;
        return door.store.receive(deliveries, now);
      },
      tellAll: door.store.tellAll,
    },
    self: () => scene,
    now: () => timeline.now,
    log: SILENT,
    deliveries: { add() {} },
  });
  try {
    await take(event);
    trace.add({ kind: 'answered', deliveryId: event.id, meant });
    return true;
  } catch {
    // Answered with an error: GitHub does not send it again.
    return false;
  }
}
