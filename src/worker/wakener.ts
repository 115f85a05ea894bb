/** Lets loops sleep until somebody says that work may have come. A call that nobody awaits is remembered. */
export class Wakener {
  #sleepers = new Set<() => void>();
  #called = false;

  wake(): void {
    if (this.#sleepers.size === 0) this.#called = true;
    for (const rouse of this.#sleepers) rouse();
  }

  /** Resolves at the next `wake`, at once if there was one meanwhile, or after so many ms. */
  wait(ms: number): Promise<void> {
    if (this.#called) {
      this.#called = false;
      return Promise.resolve();
    }
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
