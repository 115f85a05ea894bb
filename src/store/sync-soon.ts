/** What is committed without waiting for the disk is there this soon (ms), as a server does it by itself. */
const SOON_MS = 200;

/** Syncs what was written a moment ago: an embedded database has nobody who would. */
export class SyncSoon {
  readonly #sync: () => Promise<unknown>;
  #planned: NodeJS.Timeout | null = null;
  #syncing = false;

  /** `sync` waits for its turn after all that was written before; where it fails, the next use asks again. */
  constructor(sync: () => Promise<unknown>) {
    this.#sync = sync;
  }

  /** The database was used, by `sync` itself too: that is no reason for another one. */
  used(): void {
    if (this.#planned !== null || this.#syncing) return;
    this.#planned = setTimeout(() => void this.#run(), SOON_MS).unref();
  }

  stop(): void {
    if (this.#planned !== null) clearTimeout(this.#planned);
  }

  async #run(): Promise<void> {
    this.#planned = null;
    this.#syncing = true;
    await this.#sync().catch(() => {});
    this.#syncing = false;
  }
}
