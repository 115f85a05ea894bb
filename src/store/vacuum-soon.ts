/** Uses of the database between two looks at it: a look takes some ms. */
const USES = 500;

/** Looks after a database again and again while it is used: an embedded one has nobody who would. */
export class VacuumSoon {
  readonly #vacuum: () => Promise<void>;
  #uses = 0;
  #stopped = false;
  #underWay: Promise<void> | null = null;

  /** `vacuum` takes its turns like any other user; where it fails, it is tried again after as many uses. */
  constructor(vacuum: () => Promise<void>) {
    this.#vacuum = vacuum;
  }

  /** The database was used, by `vacuum` itself too: that alone never leads to another one. */
  used(): void {
    this.#uses += 1;
    if (this.#uses < USES || this.#stopped || this.#underWay !== null) return;
    this.#underWay = this.#run();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#underWay;
  }

  async #run(): Promise<void> {
    await this.#vacuum().catch(() => {});
    this.#uses = 0;
    this.#underWay = null;
  }
}
