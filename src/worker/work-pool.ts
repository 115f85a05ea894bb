import type { DueTimes, WorkHint } from '../adapters/store/store.ts';
import type { ClaimedWork } from './process-pull.ts';

/** `exclusive` work holds the claim of its pull request; `concurrent` effects hold none. */
export type Lane = keyof DueTimes;

/** Amount of work in each lane. */
export type WorkAmounts = Readonly<Record<Lane, number>>;

/** While work is in progress, the store is asked at most this often for due times (ms). Hints are followed at once. */
const LOOK_INTERVAL_MS = 100;

const IMMEDIATELY = Number.NEGATIVE_INFINITY;

/** Collects hints of due work, and whether the due times in the store might have changed since the last look. */
export class WorkHints {
  #hinted: Record<Lane, number> = { exclusive: 0, concurrent: 0 };
  /** Since when work without a hint might be due (ms); null if there cannot be any. */
  #unknownSince: number | null = IMMEDIATELY;

  /** Adds stored work; null if its lane is unknown. */
  addHint(hint: WorkHint | null): void {
    if (hint === null) this.requestLook(IMMEDIATELY);
    else this.#hinted[hint.lane] += hint.count;
  }

  /** Pending work can take the free place, and the ended work might have left follow-up work. */
  workEnded(lane: Lane, wasFull: boolean, now: number): void {
    if (wasFull) this.#hinted[lane] += 1;
    this.#unknownSince ??= now;
  }

  /** Requests a look for work that might be due since this time (ms); without a time, the look is immediate. */
  requestLook(since: number = IMMEDIATELY): void {
    this.#unknownSince = Math.min(this.#unknownSince ?? since, since);
  }

  /** Returns the hints since the last call; null if there were none. */
  takeHints(): WorkAmounts | null {
    const hinted = this.#hinted;
    if (hinted.exclusive + hinted.concurrent === 0) return null;
    this.#hinted = { exclusive: 0, concurrent: 0 };
    return hinted;
  }

  /** When the next look is due while other work is in progress (ms). */
  nextLookAt(): number {
    return this.#unknownSince === null ? Number.POSITIVE_INFINITY : this.#unknownSince + LOOK_INTERVAL_MS;
  }

  shouldLook(now: number, isIdle: boolean): boolean {
    return this.#unknownSince !== null && (isIdle || now >= this.nextLookAt());
  }

  /** Call right before the look, so that changes during it lead to another one. */
  lookStarted(): void {
    this.#unknownSince = null;
  }
}

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
