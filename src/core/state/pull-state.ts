import type { PullRequestRef } from './intent.ts';
import { isOpen, type Proposal } from './proposal.ts';
import type { AnsweredQuestion, SideQuestion } from './question.ts';
import type { Run, Task } from './run.ts';
import type { StandingApproval } from './vote.ts';

/** The state of one pull request, as far as a decision can need it. */
export type PullState = {
  readonly ref: PullRequestRef;
  /** The active run, or else the last one. */
  readonly run: Run | null;
  /** Queued tasks, oldest first. */
  readonly queue: readonly Task[];
  /** Unanswered side questions, oldest first. The model works on the first one. */
  readonly sideQuestions: readonly SideQuestion[];
  /** The last answered side questions, oldest first. */
  readonly answeredQuestions: readonly AnsweredQuestion[];
  /** Proposals of the current run and those that the signal names, oldest first. */
  readonly proposals: readonly Proposal[];
  /** Number of proposals and questions on this pull request so far. The next id is derived from it. */
  readonly proposalCount: number;
  /** Secret that their ids are derived from; empty before the first run. */
  readonly idKey: string;
  /** People who got the one reply that they cannot decide here. */
  readonly notifiedUnauthorizedUserIds: readonly number[];
  /** The replies to people's comments of the last hour; absent if there were none. */
  readonly recentReplies?: readonly RecentReply[];
  /** The check run and label of the pending changes; absent where there never was one. */
  readonly published?: Published;
  /** Standing approvals that did not end, oldest first. Expired ones can be among them. */
  readonly standingApprovals: readonly StandingApproval[];
  /** Number of standing approvals on this pull request so far, which is the number of the last one. */
  readonly standingApprovalCount: number;
};

/** A reply to a person, by numeric id; `at` is ISO 8601. */
export type RecentReply = { readonly to: number; readonly at: string };

/** Key of a pull request in the store. */
export function pullRequestKey(ref: PullRequestRef): string {
  return `${ref.installationId}/${ref.repositoryId}/${ref.number}`;
}

/** The state of a pull request that the App has not worked on. */
export function createPullState(ref: PullRequestRef): PullState {
  return {
    ref,
    run: null,
    queue: [],
    sideQuestions: [],
    answeredQuestions: [],
    proposals: [],
    ...{ proposalCount: 0, idKey: '' },
    notifiedUnauthorizedUserIds: [],
    standingApprovals: [],
    standingApprovalCount: 0,
  };
}

/** The run, unless it has ended; null otherwise. */
export function activeRun(pull: PullState): Run | null {
  return pull.run !== null && pull.run.phase.kind !== 'ended' ? pull.run : null;
}

/** Whether closing the pull request, or losing access to it, would end anything. */
export function hasActiveWork(pull: PullState): boolean {
  return activeRun(pull) !== null || pull.queue.length > 0 || pull.proposals.some(isOpen);
}

/** GitHub's label of a pull request on which something waits for people. */
export const WAITING_LABEL = 'countersign: waiting';

/** The check run and the label that tell people of pending changes, as the App last left them on GitHub. */
export type Published = {
  /** The App put the label there, or found it there while something waited. */
  readonly label: boolean;
  /** The newest check run of this pull request; null if there is none. */
  readonly check: PublishedCheck | null;
};

/** A check run of the App about one list of pending changes at one head. */
export type PublishedCheck = {
  readonly id: number;
  readonly head: string;
  /** The digest of its list; empty for a run that says that nothing waits. */
  readonly digest: string;
  /** Its last list had them. */
  readonly hasButtons: boolean;
};

export const NOTHING_PUBLISHED: Published = { label: false, check: null };

/** The name of the App's check run. */
export const CHECK_RUN_NAME = 'Countersign';

/** A completed check run, as GitHub shows it. Texts are Markdown of at most 65,535 characters. */
export type CheckRunPage = {
  readonly externalId: string;
  readonly detailsUrl: string;
  readonly conclusion: 'success' | 'neutral' | 'action_required';
  readonly title: string;
  readonly summary: string;
  /** Empty for none. */
  readonly text: string;
  /** The buttons. */
  readonly actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
};

/** A new content of a check run; without `externalId` it keeps its own. */
export type OutdatedCheckRunPage = Omit<CheckRunPage, 'externalId'> & Partial<Pick<CheckRunPage, 'externalId'>>;

export type FoundCheckRun = { readonly id: number; readonly externalId: string; readonly conclusion: string | null };
