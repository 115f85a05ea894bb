import type { Message } from '../prompt/message.ts';
import type { Effect } from './effect.ts';
import type { Vote, Write } from './proposal.ts';
import type { Reason } from './reason.ts';
import type { Pull } from './run.ts';

/** What a signal came to. Saved whole in one transaction, before any effect is performed. */
export type Step = {
  readonly pull: Pull;
  readonly effects: readonly Effect[];
  /** Appended to the current run's transcript, from position `run.messages` of the pull before. */
  readonly messages: readonly Message[];
  /** New rows; the same votes also stand in their proposals. */
  readonly votes: readonly Vote[];
  /** New rows of the ledger: what a commit of ours holds. */
  readonly writes: readonly Write[];
  readonly reason: Reason;
  /** The signal cannot be judged before a running effect's outcome: look at it again a little later. */
  readonly wait: boolean;
  /** Whatever else waits for this pull request, words and effects alike, is dropped: nothing could come of it. */
  readonly dropsRest: boolean;
};
