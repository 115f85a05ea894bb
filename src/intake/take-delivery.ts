import type { Intent } from '../command/intent.ts';
import { type Interpretation, interpret } from '../command/interpret.ts';
import { naturalKey } from '../command/natural-key.ts';
import type { Delivery, Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Counter } from '../telemetry/metrics.ts';
import type { DeliveryEvent } from './delivery-event.ts';
import { isSubscribed } from './subscriptions.ts';

/** Who we are on GitHub. */
export type Self = { readonly slug: string; readonly botId: number };

export type TakeOptions = {
  readonly store: Pick<Store, 'receive' | 'tellAll'>;
  /** Null until GitHub has told; a delivery that comes before is not taken. */
  readonly self: () => Self | null;
  readonly now: () => number;
  readonly log: Log;
  /** Counts deliveries by event and by what came of them. */
  readonly deliveries: Counter<'event' | 'outcome'>;
};

/** Stores what a delivery means, if anything, and tells what came of it. Rejects where it could not be stored. */
export type Take = (event: DeliveryEvent) => Promise<string>;

async function storeIntent(id: string, intent: Intent, options: TakeOptions): Promise<'stored' | 'duplicate'> {
  const delivery: Delivery = { id, intent, naturalKey: naturalKey(intent) };
  const [result] = await options.store.receive([delivery], options.now());
  if (result === undefined) throw new Error('the store did not say what became of a delivery');
  return result;
}

async function storeMeaning(id: string, meaning: Interpretation, options: TakeOptions): Promise<string> {
  switch (meaning.kind) {
    case 'nothing':
      return meaning.reason;
    case 'intent':
      return storeIntent(id, meaning.intent, options);
    case 'notice':
      return options.store.tellAll(id, meaning.notice, options.now());
  }
}

/** Makes the function behind the webhook: exactly one outcome for each delivery, in the log and in the metric. */
export function openTake(options: TakeOptions): Take {
  return async ({ id, name, payload }) => {
    const self = options.self();
    if (self === null) throw new Error('GitHub has not told yet who we are');
    const meaning = interpret({ event: name, payload, self });
    const outcome = await storeMeaning(id, meaning, options);
    const intent = meaning.kind === 'intent' ? { intent: meaning.intent.kind, pull: meaning.intent.pull } : {};
    options.log.info({ delivery: id, event: name, action: payload['action'], outcome, ...intent }, 'delivery');
    options.deliveries.add({ event: isSubscribed(name) ? name : 'other', outcome });
    return outcome;
  };
}
