import type { ClaimedWork } from './process-pull.ts';

type WorkPoolOptions = {
  /** Maximum amount of work in progress. */
  readonly limit: number;
  /** Claims the next due work; null if there is none. */
  readonly claim: () => Promise<ClaimedWork | null>;
  /** Performs claimed work. Never rejects. */
  readonly run: (work: ClaimedWork) => Promise<void>;
  /** Called when work ends: its place is free, and it might have left other work. */
  readonly onEnded: () => void;
};

/** Work in progress, with a limit. */
export class WorkPool {
  readonly #options: WorkPoolOptions;
  readonly #inProgress = new Set<Promise<void>>();

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#inProgress.size === 0;
  }

  /** Claims and starts due work until none is left or the limit is reached. */
  async fill(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.#inProgress.size < this.#options.limit) {
      const work = await this.#options.claim();
      if (work === null) return;
      this.#start(work);
    }
  }

  #start(work: ClaimedWork): void {
    const running = this.#options.run(work).finally(() => {
      this.#inProgress.delete(running);
      this.#options.onEnded();
    });
    this.#inProgress.add(running);
  }

  /** Resolves once all work in progress has ended. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#inProgress);
  }
}

/** A pause that `wake` can end early. Calls of `wake` between two pauses are not lost. */
export class Alarm {
  #sleeper: (() => void) | null = null;
  #wakeCount = 0;

  /** Number of `wake` calls. Read it before looking for work, and pass it to `sleep`. */
  get wakeCount(): number {
    return this.#wakeCount;
  }

  wake(): void {
    this.#wakeCount += 1;
    this.#sleeper?.();
  }

  /** Resolves after `ms` or at the next `wake`; at once if `wakeCount` is outdated. */
  sleep(ms: number, wakeCount: number): Promise<void> {
    if (wakeCount !== this.#wakeCount) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#sleeper = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
