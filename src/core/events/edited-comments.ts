import { endStep, noop, startStep, withReply } from '../actions/step-builder.ts';
import { editedIntoCommand } from '../messages/replies.ts';
import type { Intent } from '../state/intent.ts';
import type { PullState } from '../state/pull-state.ts';
import { canApprove } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { isReadAsCommand } from './comment-relevance.ts';

/** A comment that is edited into a command has no effect. A person with write access gets one reply saying so. */
export function onCommentEdited(
  pull: PullState,
  { parsed, location }: Extract<Intent, { kind: 'edited' }>,
  facts: Facts,
): Step {
  if (!isReadAsCommand(pull, parsed) || !facts.ownerAllowed || !canApprove(facts.permission))
    return noop(pull, 'edited-into-command');
  const id = location.at === 'review' ? `review:${location.reviewId}` : `comment:${location.commentId}`;
  const replied = withReply(startStep(pull), location, editedIntoCommand(), `edited:${id}`);
  return endStep(replied, 'edited-into-command');
}
