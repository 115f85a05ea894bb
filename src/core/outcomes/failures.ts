import { withdrawApprovals } from '../actions/approvals.ts';
import { endStandingApproval } from '../actions/standing-approvals.ts';
import { endStep, startStep } from '../actions/step-builder.ts';
import { internalError } from '../messages/replies.ts';
import type { Intent, IntentOf } from '../state/intent.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Effect } from '../step/effects.ts';
import type { Facts } from '../step/facts.ts';
import type { Signal, SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/**
 * The reply about a dead letter, to its comment or else in the conversation. Null if nobody expects a reaction, or if
 * people already got a reply. `pull` is null if it could not be read; `cause` is set if another version stored it.
 */
export function deadLetterReply(
  signal: Signal,
  pull: PullState | null,
  errorId: string,
  cause?: 'stored-schema',
): Effect | null {
  if (pull !== null && pull.run === null && !isAddressedToApp(signal)) return null;
  const location = signal.type === 'intent' && isCommentIntent(signal.intent) ? signal.intent.location : null;
  const about = location === null ? 'event' : 'comment';
  return {
    type: 'reply',
    to: location ?? { at: 'pull-request' },
    reply: internalError(errorId, cause ?? about),
    onceKey: `internal-error:${errorId}`,
  };
}

/** Whether a dead letter could be a denial of a proposal. `pull` is null if it could not be read. */
export function mightBeDenial(signal: Signal, pull: PullState | null): boolean {
  return signal.type === 'intent' && POSSIBLE_DENIALS.has(signal.intent.kind) && (pull === null || pull.run !== null);
}

const POSSIBLE_DENIALS: ReadonlySet<Intent['kind']> = new Set<Intent['kind']>(['comment', 'dismissed', 'pressed']);

function isCommentIntent(intent: Intent): intent is IntentOf<'comment' | 'edited'> {
  return intent.kind === 'comment' || intent.kind === 'edited';
}

function isAddressedToApp(signal: Signal): boolean {
  if (signal.type !== 'intent' || !isCommentIntent(signal.intent)) return false;
  return signal.intent.parsed.addressedToApp;
}

/**
 * An unreadable comment could have been a denial or a `/revoke`, so earlier approvals no longer count (V4), and
 * standing approvals end. A commit attempt is left to its outcome, and is not retried.
 */
export function onDeadLettered(pull: PullState, { errorId }: SignalOf<'dead-lettered'>, facts: Facts): Step {
  const ended = pull.standingApprovals.reduce(
    (builder, one) => endStandingApproval(builder, one, { kind: 'comment-unread' }),
    startStep(pull),
  );
  const withdrawn = withdrawApprovals(ended, errorId, facts.now);
  return endStep(withdrawn, withdrawn.pull === pull ? 'outdated-result' : 'approvals-suspended');
}
