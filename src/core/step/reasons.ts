/**
 * Why a delivery is ignored, from its payload alone: exactly one reason each, the same word in log, metric and docs.
 */
export const IGNORE_REASONS = [
  /** GitHub's test of the webhook. */
  'ping',
  /** An event, or an action of it, that the App does not handle. */
  'unknown-event',
  'unknown-action',
  /** A required field is missing or contradicts GitHub's documentation. */
  'malformed',
  'no-installation',
  /** A comment on an issue. */
  'not-a-pull-request',
  /** No account is named, for example because it was deleted. */
  'no-actor',
  /** The App itself caused it. */
  'own-event',
  'bot',
  /** An organization, a placeholder account or an unknown account type. */
  'not-a-person',
  /** An App wrote it in a person's name. */
  'posted-by-app',
  /** The author of the comment did not send the webhook. */
  'author-is-not-sender',
  /** A review without a body. Its comments arrive as separate webhooks. */
  'empty-review',
  /** An edited comment without a command or mention, or an edited pull request with the same base branch. */
  'irrelevant-edit',
  /** Another account's review was dismissed. */
  'not-our-review',
  /** The installation still has all required permissions. */
  'access-unchanged',
  /** A command for another bot. */
  'other-command',
  /** Plain text that replies to nothing by the App. */
  'not-addressed',
] as const;

export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/** Why a delivery or an outcome had its effect: exactly one reason each, the same word in log, metric and docs. */
export const REASONS = [
  // comments and commands
  'run-started',
  'runs-per-day',
  'task-queued',
  'task-queue-full',
  'approved',
  'user-edited',
  'vote-counted',
  'standing-approval-revoked',
  'standing-approval-unknown',
  'denied',
  'edit-requested',
  'continued',
  'stopped',
  'resumed',
  'resume-refused',
  'undo-proposed',
  'undo-refused',
  'side-question-queued',
  'side-question-queue-full',
  'question-answered',
  'question-rejected',
  'question-hint',
  'info-replied',
  'note-queued',
  'ambiguous',
  'nothing-pending',
  'already-decided',
  'unknown-ids',
  'posted-later',
  'malformed-command',
  'affirmation',
  'user-edit-refused',
  'undo-not-editable',
  'edited-into-command',
  'not-for-us',
  'review-without-decision',
  'not-on-github',
  'decided-in-threads',
  'addressed-to-someone-else',
  'duplicate',
  'deferred-until-posted',
  'queue-empty',
  // permissions and restrictions
  'owner-not-allowed',
  /** The App's installation lacks a permission, so that no run starts. */
  'permission-missing',
  'not-allowed',
  'author-replies-used-up',
  'approval-not-counted',
  'settings-broken',
  'pull-not-open',
  'fork',
  'push-refused',
  'no-run',
  // events of GitHub, and deadlines
  'app-push',
  'push-irrelevant',
  'push-assessed',
  'review-dismissed',
  'pull-closed',
  'reminded',
  'expired',
  'retargeted',
  'access-lost',
  // outcomes of effects
  'run-comment-posted',
  'context-read',
  'push-read',
  'tools-requested',
  'model-nudged',
  'notes-delivered',
  'run-finished',
  'turn-limit',
  'model-failed',
  /** Older readings are no longer sent, because the conversation does not fit into the model's context. */
  'readings-cleared',
  'model-attempt-failed',
  'proposals-created',
  'tool-calls-answered',
  'calls-held',
  'proposals-posted',
  /** Proposals were posted, and a standing approval approved some of them. */
  'standing-approval-used',
  'question-asked',
  'question-posted',
  'posting-failed',
  /** A commit begins, or the agent gets files that it may read. */
  'commit-started',
  'commit-aborted',
  'commit-head-moved',
  'commit-delayed',
  'proposal-comment-updated',
  'review-dismiss-refused',
  'approvals-suspended',
  'page-changed',
  'pull-reopened',
  'committed',
  'commit-unverified',
  'commit-mismatch',
  'commit-failed',
  'side-question-answered',
  'side-question-failed',
  'outdated-result',
] as const;

export type Reason = (typeof REASONS)[number];
