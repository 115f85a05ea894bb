type ScheduledEvent = { readonly at: number; readonly run: () => void };

/**
 * A virtual clock and everything that is to happen on it. Nothing waits for real time: the clock jumps from one event to
 * the next, and only once everything that an event set going has come to a stop.
 */
export class VirtualClock {
  /** Ms since the epoch. */
  now: number;
  /** Events that were played so far. */
  eventCount = 0;
  readonly #events: ScheduledEvent[] = [];
  #running = 0;
  #stopped: (() => void) | null = null;

  constructor(now: number) {
    this.now = now;
  }

  /** Lets something happen so many ms from now; among those of one moment, the one that was planned first. */
  schedule(ms: number, run: () => void): void {
    const at = Math.ceil(this.now + ms);
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1]?.at ?? 0) > at) place -= 1;
    this.#events.splice(place, 0, { at, run });
  }

  /** A line of work runs from now on, until it `rests`. */
  taskStarted(): void {
    this.#running += 1;
  }

  taskEnded(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#stopped?.();
  }

  /** Runs work to its end as a line of its own. It must not reject. */
  runTask(work: () => Promise<void>): void {
    this.taskStarted();
    void this.#toItsEnd(work);
  }

  async #toItsEnd(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.taskEnded();
    }
  }

  /** Waits for something that happens at another time, and lets the others go on meanwhile. */
  suspend(planned: (goOn: () => void) => void): Promise<void> {
    return new Promise<void>((resolve) => {
      planned(() => {
        this.taskStarted();
        resolve();
      });
      this.taskEnded();
    });
  }

  /** Plays until nothing is planned any more; false where there was still something after so many events. */
  async runUntilIdle(most: number): Promise<boolean> {
    for (let count = 0; count < most; count += 1) {
      const next = this.#events.shift();
      if (next === undefined) return true;
      this.now = Math.max(this.now, next.at);
      this.eventCount += 1;
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
