import type { DueTimes, WorkHint } from '../adapters/store/store.ts';

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
