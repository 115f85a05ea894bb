import type { Backend } from './backend.ts';

/** Hints that there may be work: heard by everybody in this process at once, and by other processes soon. */
export type Wakes = {
  readonly onWake: (listener: () => void) => () => void;
  readonly wake: () => void;
};

export function wakes(backend: Pick<Backend, 'tellOthers' | 'onTold'>): Wakes {
  const listeners = new Set<() => void>();
  const wakeHere = (): void => {
    for (const listener of listeners) listener();
  };
  backend.onTold(wakeHere);
  return {
    onWake(listener) {
      // A wrapper, so that one function that listens twice is stopped once for each.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    wake() {
      wakeHere();
      backend.tellOthers();
    },
  };
}
