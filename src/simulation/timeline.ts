type Event = { readonly at: number; readonly run: () => void };

/**
 * A virtual clock and everything that is to happen on it. Nothing waits for real time: the clock jumps from one event to
 * the next, and only once everything that an event set going has come to a stop.
 */
export class Timeline {
  /** Ms since the epoch. */
  now: number;
  /** Events that were played so far. */
  played = 0;
  readonly #events: Event[] = [];
  #running = 0;
  #stopped: (() => void) | null = null;

  constructor(now: number) {
    this.now = now;
  }

  /** Lets something happen so many ms from now; among those of one moment, the one that was planned first. */
  after(ms: number, run: () => void): void {
    const at = Math.ceil(this.now + ms);
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1]?.at ?? 0) > at) place -= 1;
    this.#events.splice(place, 0, { at, run });
  }

  /** A line of work runs from now on, until it `rests`. */
  begins(): void {
    this.#running += 1;
  }

  rests(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#stopped?.();
  }

  /** Runs work to its end as a line of its own. It must not reject. */
  follow(work: () => Promise<void>): void {
    this.begins();
    void this.#toItsEnd(work);
  }

  async #toItsEnd(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.rests();
    }
  }

  /** Waits for something that happens at another time, and lets the others go on meanwhile. */
  wait(planned: (goOn: () => void) => void): Promise<void> {
    return new Promise<void>((resolve) => {
      planned(() => {
        this.begins();
        resolve();
      });
      this.rests();
    });
  }

  /** Plays until nothing is planned any more; false where there was still something after so many events. */
  async play(most: number): Promise<boolean> {
    for (let count = 0; count < most; count += 1) {
      const next = this.#events.shift();
      if (next === undefined) return true;
      this.now = Math.max(this.now, next.at);
      this.played += 1;
      next.run();
      if (this.#running > 0) await this.#standstill();
    }
    return this.#events.length === 0;
  }

  async #standstill(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    this.#stopped = null;
  }
}
