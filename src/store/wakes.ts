import { type Effect, LANES } from '../run/effect.ts';
import type { Backend } from './backend.ts';
import type { Hint } from './store.ts';

type Listener = (hint: Hint | null) => void;

/** Hints that there may be work: heard by everybody in this process at once, and by other processes soon. */
export type Wakes = {
  readonly onWake: (listener: Listener) => () => void;
  /** Without a hint where nobody knows which work, or how much. */
  readonly wake: (hint?: Hint) => void;
};

export function wakes(backend: Pick<Backend, 'tellOthers' | 'onTold'>): Wakes {
  const listeners = new Set<Listener>();
  const wakeHere = (hint: Hint | null): void => {
    for (const listener of listeners) listener(hint);
  };
  backend.onTold(() => wakeHere(null));
  return {
    onWake(listener) {
      // A wrapper, so that one function that listens twice is stopped once for each.
      const own: Listener = (hint) => listener(hint);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    wake(hint) {
      wakeHere(hint ?? null);
      backend.tellOthers();
    },
  };
}

/** Whether any worker may perform it; the others are for whoever holds their pull request. */
export function isAnyones(effect: Effect): boolean {
  return LANES[effect.type] === 'free';
}
