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
