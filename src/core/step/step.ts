import type { TranscriptMessage } from '../state/conversation.ts';
import type { RunStart } from '../state/limits.ts';
import type { CommittedChange } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { AnswerRecord } from '../state/question.ts';
import type { Vote } from '../state/vote.ts';
import type { Effect } from './effects.ts';
import type { Reason } from './reasons.ts';

/** The result of deciding one signal. It is saved in one transaction before any effect is performed. */
export type Step = {
  readonly pull: PullState;
  readonly effects: readonly Effect[];
  /** Appended to the current run's transcript, after `run.messageCount` messages of the previous state. */
  readonly messages: readonly TranscriptMessage[];
  /** New rows; the proposals hold the same votes. */
  readonly votes: readonly Vote[];
  /** New rows of the ledger: people's answers to the agent's questions. */
  readonly answers: readonly AnswerRecord[];
  /** New rows of the ledger: the changes of a commit by the App. */
  readonly ledgerCommits: readonly CommittedChange[];
  /** The step starts a run, or begins its limits anew, which the store saves only within these; null otherwise. */
  readonly runStart: RunStart | null;
  readonly reason: Reason;
  /** The signal depends on the outcome of a running effect. It is decided again a little later. */
  readonly deferred: boolean;
  /** Drops all other signals and effects of this pull request, because they have become pointless. */
  readonly cancelsPendingWork: boolean;
};
