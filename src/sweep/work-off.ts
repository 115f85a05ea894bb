import type { DeliveryEvent } from '../intake/delivery-event.ts';
import type { Store } from '../store/store.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Budget, spend } from './budget.ts';
import { isWanted, type LostDelivery, type Place } from './lost.ts';
import type { Memory } from './memory.ts';
import type { SweepOptions } from './sweep-options.ts';

/** A lost webhook that was dealt with; `event` is null where there is nothing to take. */
type Read = { readonly lost: LostDelivery; readonly event: DeliveryEvent | null; readonly outcome: string };

/** GitHub's time (ms) up to which nothing is missing any more; null where nothing is known of that. */
export type Reached = { until: number | null };

/** After so many sweeps that GitHub could not show one webhook, the others are no longer kept waiting for it. */
const MOST_TRIES = 3;
const IDS_OF_ONE_QUERY = 1_000;

/**
 * Reads what is next of the backlog, as far as the budget goes, and only then takes it, in order and without a pause:
 * so a yes does not begin to take effect before the no that followed it is stored.
 */
export async function workOff(
  memory: Memory,
  reached: Reached,
  options: SweepOptions,
  budget: Budget,
  stopping: AbortSignal,
): Promise<void> {
  const { read, fault } = await readNext(memory, options, budget, stopping);
  for (const { lost, event, outcome } of read) {
    const result = event === null ? outcome : await options.take(event);
    options.lost.add({ event: lost.event, outcome: result });
    memory.settled.add(lost.guid);
    memory.backlog = memory.backlog.slice(1);
    reached.until = Math.max(reached.until ?? 0, lost.deliveredAt);
  }
  if (fault !== null) throw fault;
  if (memory.backlog.length > 0 || memory.listing !== null || memory.listed === null) return;
  reached.until = Math.max(reached.until ?? 0, memory.listed.until);
}

async function readNext(memory: Memory, options: SweepOptions, budget: Budget, stopping: AbortSignal) {
  const next = memory.backlog.slice(0, budget.left);
  const active = next.some(({ answered }) => answered) ? await options.store.activePulls() : [];
  const read: Read[] = [];
  for (const lost of next) {
    if (stopping.aborted || !spend(budget)) break;
    try {
      read.push(await readOne(lost, options, active));
    } catch (error) {
      if (!isStuck(memory, lost, error)) return { read, fault: error };
      options.log.warn({ delivery: lost.guid, err: error }, 'a lost delivery cannot be read; it is left out');
      read.push({ lost, event: null, outcome: 'unreadable' });
    }
  }
  return { read, fault: null };
}

/** What came meanwhile, or was taken by another process, is not read again. */
export async function leaveOutKnown(
  lost: readonly LostDelivery[],
  store: Pick<Store, 'knownDeliveries'>,
): Promise<readonly LostDelivery[]> {
  const left: LostDelivery[] = [];
  for (let from = 0; from < lost.length; from += IDS_OF_ONE_QUERY) {
    const some = lost.slice(from, from + IDS_OF_ONE_QUERY);
    const known = await store.knownDeliveries(some.map(({ guid }) => guid));
    left.push(...some.filter(({ guid }) => !known.has(guid)));
  }
  return left;
}

async function readOne(lost: LostDelivery, options: SweepOptions, active: readonly Place[]): Promise<Read> {
  const payload = await options.deliveries.payload(lost.id);
  if (payload === null) return { lost, event: null, outcome: 'gone' };
  if (!isWanted(lost, payload, active)) return { lost, event: null, outcome: 'answered-before' };
  const event = await options.asItStands({ id: lost.guid, name: lost.event, payload });
  return { lost, event, outcome: event === null ? 'deleted-since' : 'read' };
}

/** Counts a failure that is about this one webhook, as far as anybody can tell; true once it has had its chances. */
function isStuck(memory: Memory, { guid }: LostDelivery, error: unknown): boolean {
  if (!(error instanceof GitHubFault) || error.retryAt !== null || error.status === null) return false;
  const times = memory.stuck?.guid === guid ? memory.stuck.times + 1 : 1;
  memory.stuck = { guid, times };
  return times >= MOST_TRIES;
}
