import type { ClaimedWork } from './process-pull.ts';

type WorkPoolOptions = {
  /** Maximum amount of work in progress. */
  readonly limit: number;
  /** Claims the next due work; null if there is none. */
  readonly claim: () => Promise<ClaimedWork | null>;
  /** Performs claimed work. Never rejects. */
  readonly run: (work: ClaimedWork) => Promise<void>;
  /** Called when work ends. `wasFull` tells that other work might be pending for its place. */
  readonly onEnded: (wasFull: boolean) => void;
};

/** The work in progress of one lane, with a limit. */
export class WorkPool {
  readonly #options: WorkPoolOptions;
  readonly #inProgress = new Set<Promise<void>>();

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  get hasCapacity(): boolean {
    return this.#inProgress.size < this.#options.limit;
  }

  get isIdle(): boolean {
    return this.#inProgress.size === 0;
  }

  /** Claims and starts up to `max` due work, within the limit; false if none was started. */
  async startWork(stopping: AbortSignal, max: number): Promise<boolean> {
    let started = 0;
    while (started < max && !stopping.aborted && this.hasCapacity) {
      const work = await this.#options.claim();
      if (work === null) break;
      this.#start(work);
      started += 1;
    }
    return started > 0;
  }

  #start(work: ClaimedWork): void {
    const running = this.#options.run(work).finally(() => {
      const wasFull = !this.hasCapacity;
      this.#inProgress.delete(running);
      this.#options.onEnded(wasFull);
    });
    this.#inProgress.add(running);
  }

  /** Resolves once all work in progress has ended. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#inProgress);
  }
}
