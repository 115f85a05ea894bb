type ScheduledEvent = { readonly at: number; readonly run: () => void };

/**
 * A discrete-event scheduler with virtual time. The clock jumps to the next event once all tasks have ended or are
 * suspended, so a case needs no real time.
 */
export class VirtualClock {
  /** Ms since the epoch. */
  now: number;
  /** The number of events played so far. */
  eventCount = 0;
  readonly #events: ScheduledEvent[] = [];
  #running = 0;
  #onIdle: (() => void) | null = null;

  constructor(now: number) {
    this.now = now;
  }

  /** Schedules an event `ms` from now. Events of one time run in the order in which they were scheduled. */
  schedule(ms: number, run: () => void): void {
    const at = Math.ceil(this.now + ms);
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > at) index -= 1;
    this.#events.splice(index, 0, { at, run });
  }

  /** Counts a task as running until `taskEnded`. The clock stops meanwhile. */
  taskStarted(): void {
    this.#running += 1;
  }

  taskEnded(): void {
    this.#running -= 1;
    if (this.#running < 0) throw new Error('A task made two calls at once, so the clock would not wait for it.');
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Runs work as a task of its own. It must not reject. */
  runTask(work: () => Promise<void>): void {
    this.taskStarted();
    void this.#finishTask(work);
  }

  async #finishTask(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.taskEnded();
    }
  }

  /** Suspends the calling task, so that time can pass. `schedule` gets the function that resumes it. */
  suspend(schedule: (resume: () => void) => void): Promise<void> {
    return new Promise<void>((resolve) => {
      schedule(() => {
        this.taskStarted();
        resolve();
      });
      this.taskEnded();
    });
  }

  /** Plays all events. False if events are left after `maxEvents`. */
  async runUntilIdle(maxEvents: number): Promise<boolean> {
    for (let count = 0; count < maxEvents; count += 1) {
      const next = this.#events.shift();
      if (next === undefined) return true;
      this.now = Math.max(this.now, next.at);
      this.eventCount += 1;
      next.run();
      if (this.#running > 0) await this.#tasksIdle();
    }
    return this.#events.length === 0;
  }

  async #tasksIdle(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    this.#onIdle = null;
  }
}
