import type { NamedProposals } from '../run/named-proposals.ts';
import { isOpen, type Proposal } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import { isThreadOf } from '../run/targets.ts';

/** `mark` stands in the row as long as nobody has claimed it since; null while this process holds it. */
type Entry = { readonly pull: Pull; mark: string | null };

/** Pull requests that are remembered: what waits for people is to hold no memory. */
const MOST = 16;

/**
 * Pull requests as this process saved or loaded them last, so that the steps of a run need not read them each time. One
 * is known only while this process holds it, and again where its row still has the mark that was left there: then nobody
 * has held it in between. Whoever lost it without knowing saves nothing, whatever it read here; what needs no claim has to
 * be read anew (`forget`).
 */
export class RememberedPulls {
  /** Least recently kept first. */
  readonly #entries = new Map<string, Entry>();
  /** What this process holds, and at which of its writes it was written last: what was read before that is old. */
  readonly #held = new Map<string, number>();
  #writes = 0;

  /** The pull request is held from now on; `mark` is what its row had until then. */
  claimed(key: string, mark: string | null): void {
    this.#written(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.mark === null || entry.mark !== mark) this.#entries.delete(key);
    else entry.mark = null;
  }

  /** Given back, with this mark in its row. */
  released(key: string, mark: string): void {
    this.#held.delete(key);
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.mark = mark;
  }

  /** Somebody else has held it meanwhile and may hold it now, or nobody knows what was stored: nothing is remembered until it is claimed. */
  lost(key: string): void {
    this.#held.delete(key);
    this.#entries.delete(key);
  }

  /** Something is about to be stored, and nobody may ever know whether it was: nothing is known until `saved`. Answers what was. */
  forget(key: string): Pull | null {
    const entry = this.#held.has(key) ? this.#entries.get(key) : undefined;
    this.#entries.delete(key);
    if (this.#held.has(key)) this.#written(key);
    return entry?.pull ?? null;
  }

  /** Waits for the answer. Where none comes it may yet be stored: what is read before that may not be remembered. */
  async ifAnswered<T>(key: string, storing: Promise<T>): Promise<T> {
    try {
      return await storing;
    } catch (error) {
      this.lost(key);
      throw error;
    }
  }

  /** It was stored like this, and was `before` until then; kept where it goes on from there, so that no proposal is missing. */
  saved(key: string, pull: Pull, before: Pull | null): void {
    if (!this.#held.has(key)) return;
    this.#written(key);
    const ids = new Set(pull.proposals.map(({ id }) => id));
    if (before?.proposals.every(({ id }) => ids.has(id)) === true) this.#keep(key, pull);
  }

  /** It was read like this; `since` is what `version` was before. */
  loaded(key: string, pull: Pull, since: number | null): void {
    if (since !== null && since === this.version(key)) this.#keep(key, pull);
  }

  /** Another one after each write; null where this process does not hold it. */
  version(key: string): number | null {
    return this.#held.get(key) ?? null;
  }

  /** As `load` would read it; null where that is not known. */
  find(key: string, named: NamedProposals): Pull | null {
    const entry = this.#held.has(key) ? this.#entries.get(key) : undefined;
    if (entry === undefined || !hasAll(entry.pull, named)) return null;
    const { pull } = entry;
    return { ...pull, proposals: pull.proposals.filter((proposal) => isLoaded(pull, proposal, named)) };
  }

  #written(key: string): void {
    this.#writes += 1;
    this.#held.set(key, this.#writes);
  }

  #keep(key: string, pull: Pull): void {
    this.#entries.delete(key);
    this.#entries.set(key, { pull, mark: null });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest);
  }
}

function hasAll({ proposals }: Pull, { ids, commentId }: NamedProposals): boolean {
  const named = (id: string): boolean => proposals.some((proposal) => proposal.id === id);
  return ids.every(named) && (commentId === null || proposals.some((proposal) => isThreadOf(proposal, commentId)));
}

function isLoaded({ run }: Pull, proposal: Proposal, { ids, commentId }: NamedProposals): boolean {
  if (isOpen(proposal) || proposal.runId === run?.id || ids.includes(proposal.id)) return true;
  return commentId !== null && isThreadOf(proposal, commentId);
}
