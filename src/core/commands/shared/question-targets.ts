import { wasAskedBefore } from '../../actions/close-question.ts';
import type { Targets } from '../../state/intent.ts';
import { activeRun, type PullState } from '../../state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../../state/question.ts';
import { type CommentRef, isPostedAndOpen, isThreadOf, resolveTargets, type TargetScope } from './targets.ts';

/** The question that a comment answers by its location: the open one of its thread, or the only one that it quotes. */
export function findAnsweredQuestion(
  pull: PullState,
  { location, quotedIds }: Pick<CommentRef, 'location' | 'quotedIds'>,
): AgentQuestion | null {
  if (location.at === 'thread') return findOpenInThread(pull, location.rootId);
  const [only, ...more] = quotedIds;
  if (only === undefined || more.length > 0) return null;
  return pull.run?.questions.find(({ id }) => id === only) ?? null;
}

/** In the thread of an open change, people write about the change. */
function findOpenInThread({ run, proposals }: PullState, rootId: number): AgentQuestion | null {
  if (proposals.some((one) => isThreadOf(one, rootId) && isPostedAndOpen(one))) return null;
  const isThere = ({ place, comment }: AgentQuestion): boolean =>
    comment?.kind !== 'issue-comment' && place.at === 'thread' && place.rootId === rootId;
  return run?.questions.find((one) => isAnswerable(one) && isThere(one)) ?? null;
}

/** The question that is open on the pull request now; there is at most one. */
export function findOpenQuestion(pull: PullState): AgentQuestion | null {
  return activeRun(pull)?.questions.find(isAnswerable) ?? null;
}

export function findQuestionById({ run }: PullState, targets: Targets): AgentQuestion | null {
  const [id, ...more] = targets.by === 'ids' ? targets.ids : [];
  if (id === undefined || more.length > 0) return null;
  return run?.questions.find((one) => one.id === id && one.comment !== null) ?? null;
}

/**
 * The question that `/approve` or `/deny` means: by its id or location, or, without either, the open one if no change
 * was pending when the command was written.
 */
export function findDecidedQuestion(
  pull: PullState,
  scope: TargetScope,
  targets: Targets,
  commentRef: CommentRef,
): AgentQuestion | null {
  if (targets.by !== 'location') return findQuestionById(pull, targets);
  const canPoint = scope.quotePoints || commentRef.location.at === 'thread';
  const answered = canPoint ? findAnsweredQuestion(pull, commentRef) : null;
  if (answered !== null || commentRef.location.at === 'thread' || commentRef.quote !== null) return answered;
  const open = findOpenQuestion(pull);
  const resolution = resolveTargets(pull, scope, targets, commentRef);
  const isNothingElse = resolution.kind === 'no-match' && resolution.postedLater.length === 0;
  return open !== null && isNothingElse && wasAskedBefore(open, commentRef.createdAt) ? open : null;
}
