import { endStep, startStep, withReply } from '../actions/step-builder.ts';
import type { CommandContext } from '../commands/shared/context.ts';
import { unknownHere } from '../messages/approval-replies.ts';
import type { CommentIntent } from '../state/intent.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { decisionTargets } from './review-comments.ts';

// After a transfer the repository has another installation, whose pull requests have other keys, and so no state. (R12)

/** Whether a command decides on a change although nothing is known of this pull request. */
export function canMeanUnknown({ run }: PullState, intent: CommentIntent): boolean {
  if (run !== null || decisionTargets(intent.parsed) === null) return false;
  return namesChange(intent) || beganThread(intent) !== null;
}

function namesChange({ parsed, quotedIds }: CommentIntent): boolean {
  return quotedIds.length > 0 || decisionTargets(parsed)?.by === 'ids';
}

/** The first comment of the thread that this one replies to; null elsewhere. */
function beganThread({ location }: CommentIntent): number | null {
  return location.at === 'thread' && location.rootId !== location.commentId ? location.rootId : null;
}

/** Only a command that names no change depends on who began its thread. */
export function unknownChangeNeeds(intent: CommentIntent, { threadAuthor }: Facts): readonly Need[] {
  const rootId = beganThread(intent);
  return namesChange(intent) || rootId === null || threadAuthor !== undefined
    ? []
    : [{ kind: 'thread-author', rootId }];
}

/** Says so, once per pull request; null if the command is about nothing of the App’s. */
export function onUnknownChange(context: CommandContext): Step | null {
  const { intent, facts } = context;
  if (!namesChange(intent) && facts.threadAuthor !== facts.app.botId) return null;
  return endStep(withReply(startStep(context.pull), intent.location, unknownHere(), 'unknown-here'), 'unknown-here');
}
