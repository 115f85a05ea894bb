import type { PullRef } from '../command/intent.ts';
import type { RepoLinks } from '../render/words.ts';
import type { Self } from '../run/facts.ts';
import type { Store } from '../store/store.ts';
import type { Clock, GitHubs, Model } from './ports.ts';

/** The few log calls that the worker makes: static words, values as fields. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

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
  /** Counts one reason, one effect outcome and the like; names hold no repository or person. */
  readonly count: (metric: 'signal' | 'effect', label: string) => void;
};
