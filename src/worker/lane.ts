import type { Work } from './claim-work.ts';

export type LaneOptions = {
  /** Works carried out at the same time. */
  readonly limit: number;
  /** The next work that is due, now claimed; null where there is none. */
  readonly claim: () => Promise<Work | null>;
  /** Carries out what was claimed. Never rejects. */
  readonly carryOut: (work: Work) => Promise<void>;
  /** One has ended; `wasFull` where others may have waited for its place. */
  readonly ended: (wasFull: boolean) => void;
};

/** Work of one kind, of which only so much is under way at a time. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#underWay.size < this.#options.limit;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Claims and begins as much as there is, and room for, at most so much, until told to stop; true where that was anything. */
  async fill(stopping: AbortSignal, most: number): Promise<boolean> {
    let any = false;
    for (let begun = 0; begun < most && !stopping.aborted && this.hasRoom; begun += 1) {
      const work = await this.#options.claim();
      if (work === null) break;
      this.#begin(work);
      any = true;
    }
    return any;
  }

  #begin(work: Work): void {
    const begun = this.#options.carryOut(work).finally(() => {
      const wasFull = !this.hasRoom;
      this.#underWay.delete(begun);
      this.#options.ended(wasFull);
    });
    this.#underWay.add(begun);
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
