import type { Due, Hint } from '../store/store.ts';

/** How much of each lane. */
export type Amounts = Readonly<Record<keyof Due, number>>;

/** While something is under way the store is asked at most this often what else is due (ms): each hint is followed at once. */
const LOOK_MS = 100;

const AT_ONCE = Number.NEGATIVE_INFINITY;

/** What a worker has heard of work since it last looked: hints of some that is due, and that something may have changed. */
export class News {
  #hinted: Record<keyof Due, number> = { pull: 0, free: 0 };
  /** Since when something may be due that no hint told of (ms); null where that cannot be. */
  #doubtSince: number | null = AT_ONCE;

  /** Somebody stored work; null where nobody knows what. */
  heard(hint: Hint | null): void {
    if (hint === null) this.doubt(AT_ONCE);
    else this.#hinted[hint.lane] += hint.count;
  }

  /** Work has ended: what waited for its place may begin, and what it left may be due. */
  ended(lane: keyof Due, wasFull: boolean, now: number): void {
    if (wasFull) this.#hinted[lane] += 1;
    this.#doubtSince ??= now;
  }

  /** Something may have come to be due at this time (ms); where none is told, it is looked for at once. */
  doubt(since: number = AT_ONCE): void {
    this.#doubtSince = Math.min(this.#doubtSince ?? since, since);
  }

  /** What was hinted at since it was last asked; null where nothing was. */
  take(): Amounts | null {
    const hinted = this.#hinted;
    if (hinted.pull + hinted.free === 0) return null;
    this.#hinted = { pull: 0, free: 0 };
    return hinted;
  }

  /** When to look for all that is due, unless there is nothing else to do (ms). */
  looksAt(): number {
    return this.#doubtSince === null ? Number.POSITIVE_INFINITY : this.#doubtSince + LOOK_MS;
  }

  mustLook(now: number, isIdle: boolean): boolean {
    return this.#doubtSince !== null && (isIdle || now >= this.looksAt());
  }

  /** All that is due is looked for now. */
  looked(): void {
    this.#doubtSince = null;
  }
}
