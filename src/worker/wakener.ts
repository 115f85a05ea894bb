/** Lets lanes sleep until somebody says that work may have come. No call is missed, whoever is awake when it comes. */
export class Wakener {
  #sleepers = new Set<() => void>();
  #calls = 0;

  /** How often `wake` was called. Taken before looking for work, it tells `wait` what has come since. */
  get calls(): number {
    return this.#calls;
  }

  wake(): void {
    this.#calls += 1;
    for (const rouse of this.#sleepers) rouse();
  }

  /** Resolves at the next `wake`, at once if there was one since `calls` was taken, or after so many ms. */
  wait(ms: number, calls: number): Promise<void> {
    if (calls !== this.#calls) return Promise.resolve();
    return new Promise((resolve) => {
      const rouse = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(rouse);
        resolve();
      };
      const timer = setTimeout(rouse, ms);
      this.#sleepers.add(rouse);
    });
  }
}
