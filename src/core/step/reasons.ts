import type { Proposal } from '../state/proposal.ts';
import type { ApproverRole } from '../state/settings.ts';
import type { Person, VoteProblem } from '../state/vote.ts';

/**
 * Why a delivery is ignored, from its payload alone: exactly one reason each, the same word in log, metric and docs.
 */
export const IGNORE_REASONS = [
  /** GitHub's test of the webhook. */
  'ping',
  /** An event, or an action of it, that the App does not handle. */
  'unknown-event',
  /** A required field is missing or contradicts GitHub's documentation. */
  'malformed',
  /** A comment on an issue. */
  'not-a-pull-request',
  /** The App itself caused it. */
  'own-event',
  'bot',
  /** An organization, a placeholder account or an unknown account type. */
  'not-a-person',
  /** A review without a body. Its comments arrive as separate webhooks. */
  'empty-review',
  /** An edited comment without a command or mention, or an edited pull request with the same base branch. */
  'irrelevant-edit',
  /** Plain text that replies to nothing by the App. */
  'not-addressed',
] as const;

export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/** Why a delivery or an outcome had its effect: exactly one reason each, the same word in log, metric and docs. */
export const REASONS = [
  // comments and commands
  'run-started',
  'runs-per-day',
  'queued',
  'queue-full',
  'enough-replies',
  'approved',
  'user-edited',
  'vote-counted',
  'standing-approval-revoked',
  'denied',
  'edit-requested',
  'continued',
  'stopped',
  'resumed',
  'resume-refused',
  'undo-refused',
  'question-answered',
  'info-replied',
  'note-queued',
  'ambiguous',
  'nothing-pending',
  'already-decided',
  'unknown-ids',
  'unknown-here',
  'posted-later',
  'malformed-command',
  'user-edit-refused',
  'edited-into-command',
  'not-for-us',
  'duplicate',
  'deferred-until-posted',
  // permissions and restrictions
  'owner-not-allowed',
  /** The App's installation lacks a permission, so that no run starts. */
  'permission-missing',
  'not-allowed',
  'approval-not-counted',
  'pull-not-open',
  'push-refused',
  'no-run',
  // events of GitHub, and deadlines
  'app-push',
  /** A button of a list that is not the current one any more. */
  'list-outdated',
  'pull-opened',
  'merge-queued',
  'push-assessed',
  'review-dismissed',
  'pull-closed',
  'reminded',
  'expired',
  'retargeted',
  'access-lost',
  // outcomes of effects
  'comment-posted',
  'context-read',
  'push-read',
  /** The run waits for the checks of its commit. */
  'checks-awaited',
  'checks-changed',
  'checks-read',
  'model-asked-again',
  'tools-requested',
  'run-finished',
  'model-failed',
  /** Older readings are no longer sent, because the conversation does not fit into the model's context. */
  'readings-cleared',
  'model-attempt-failed',
  'proposals-created',
  'tool-calls-answered',
  'proposals-posted',
  'question-asked',
  'waiting-published',
  'posting-failed',
  /** A commit begins, or the agent gets files that it may read. */
  'commit-started',
  'commit-aborted',
  'commit-delayed',
  'review-dismiss-refused',
  'approvals-suspended',
  'page-changed',
  'committed',
  'commit-unverified',
  'commit-mismatch',
  'commit-failed',
  'side-question-answered',
  'outdated-result',
] as const;

export type Reason = (typeof REASONS)[number];

/** Why approvals have no effect. */
export type ApprovalBlock =
  /** The repository's settings are broken, so it is unknown who can approve. */
  | { readonly kind: 'settings-broken'; readonly problems: readonly string[] }
  /** This person's approval is not on the page any more as it was counted. */
  | { readonly kind: 'vote-problem'; readonly login: string; readonly problem: VoteProblem }
  /** A later comment or event could be a denial and was not read: by this internal error, or its webhook is lost. */
  | { readonly kind: 'comment-unread'; readonly errorId: string | null }
  | ApproverRefusal
  | ApprovalsMissing;

/** Why a person's approval of a change does not count. */
export type ApproverRefusal =
  /** A rule denies this path now, so that nobody's approval counts. */
  | { readonly kind: 'denied-path'; readonly path: string; readonly rule: string }
  /** The person lacks this role. */
  | { readonly kind: 'role-missing'; readonly login: string; readonly role: ApproverRole }
  /** The person is no known owner of this path, or of another one of the change. */
  | { readonly kind: 'not-owner'; readonly login: string; readonly path: string; readonly isTeamUnread: boolean }
  /** The author of the pull request, or the requester of the change, does not count here. */
  | { readonly kind: 'is-author' | 'is-requester'; readonly login: string };

/** The approvals count, but more people are needed, or an owner of this path. */
export type ApprovalsMissing = {
  readonly kind: 'approvals-missing';
  readonly missing: number;
  readonly path: string | null;
};

/** Why `/approve always` approves one change only. */
export type StandingObstacle =
  | 'switched-off'
  | 'not-your-run'
  /** A rule asks for other people's approval too. */
  | 'needs-others'
  /** Each such change needs a person who looks at it. */
  | 'needs-a-look'
  | 'unclear-scope'
  | 'too-many';

/** Why a standing approval ended before its time: a person took it back, or might have. */
export type StandingEnd = { readonly kind: 'revoked'; readonly by: Person } | { readonly kind: 'comment-unread' };

/** Why an `/undo` leads to no proposal. */
export type UndoRefusal =
  /** It touches the lines or paths of an open change, which can be an undo of the same change. */
  | { readonly kind: 'pending'; readonly other: Proposal }
  /** The file already has the content of before the change. */
  | { readonly kind: 'already-undone'; readonly path: string }
  /** The changed lines are gone or ambiguous, or another file is in the way. */
  | { readonly kind: 'changed-since'; readonly path: string }
  /** Our own sentence, which is safe to show to people. */
  | { readonly kind: 'refused'; readonly message: string };
