import type { PullRef } from '../command/intent.ts';
import type { RepoLinks } from '../render/words.ts';
import type { Self } from '../run/facts.ts';
import type { Store } from '../store/store.ts';
import type { Clock, GitHubs, Model } from './ports.ts';
import type { WorkOut } from './work-out.ts';

/** The few log calls that the worker makes: static words, values as fields. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** A decided signal, or an attempt at an effect; words of closed lists, never a repository or person. */
export type Counted =
  | { readonly kind: 'signal'; readonly reason: string }
  | { readonly kind: 'effect'; readonly effect: string; readonly outcome: string };

/** Everything the worker works with. */
export type Context = {
  readonly store: Store;
  readonly githubs: GitHubs;
  readonly model: Model;
  readonly clock: Clock;
  readonly log: Log;
  readonly self: Self;
  /** Whether the operator serves repositories of this account. */
  readonly serves: (owner: string) => boolean;
  /** Addresses of a repository's pages. */
  readonly links: (ref: PullRef) => RepoLinks;
  readonly count: (counted: Counted) => void;
  /** What may take long is worked out by it, so that nobody else has to wait. */
  readonly workOut: WorkOut;
};
