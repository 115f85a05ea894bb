import type { Effect } from '../run/effect.ts';
import { NONE_NAMED } from '../run/named-proposals.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import type { StoppedBy, StoredEffect } from '../store/store.ts';
import type { Context } from './context.ts';

/**
 * What came of an effect: done, with the signal it leads to if any; or to be tried again at a time (ms), with what stopped
 * this attempt (`other` unless told) and what it has to tell already.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly signal: Signal | null }
  | {
      readonly kind: 'again';
      readonly at: number;
      readonly error: string;
      readonly stoppedBy?: StoppedBy;
      readonly signal?: Signal;
    };

export const DONE: Outcome = { kind: 'done', signal: null };

/** Decides a signal of an effect that is under way; null where people's words wait and must be heard first. */
export type DecideNow = (signal: Signal) => Promise<Pull | null>;

/** The pull request with what is open or belongs to its run. */
export function pullOf({ known, context, stored }: Pick<Job, 'known' | 'context' | 'stored'>): Promise<Pull> {
  return known === null ? context.store.load(stored.pullKey, NONE_NAMED) : Promise.resolve(known);
}

/** One effect as its performer sees it. `attempts` counts this one: from the second on, look before you repeat. */
export type Job<Type extends Effect['type'] = Effect['type']> = {
  readonly context: Context;
  readonly stored: StoredEffect;
  readonly effect: Extract<Effect, { type: Type }>;
  readonly attempts: number;
  /** The pull request as the step left it that led right to this; null where it has to be read. */
  readonly known: Pull | null;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
  readonly decideNow: DecideNow;
  /** When what people said last about this pull request can be heard (ms); null where nothing waits, or has yet to be asked for. */
  readonly wordsDue: () => Promise<number | null>;
};
