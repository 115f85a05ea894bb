import type { Reply } from '../../../lib/trust.ts';
import { endStep, type StepBuilder, startStep, withEffects, withReply } from '../../actions/step-builder.ts';
import {
  cannotCommit,
  decidedBefore,
  permissionMissing,
  postedAfterwards,
  pullNotOpen,
  tooManyRuns,
} from '../../messages/replies.ts';
import type { Role } from '../../policy/may-approve.ts';
import { canCommit } from '../../state/head-branch.ts';
import type { CommentIntent } from '../../state/intent.ts';
import { type Proposal, postedChange } from '../../state/proposal.ts';
import type { PullState } from '../../state/pull-state.ts';
import type { Permission, Person, Vote } from '../../state/vote.ts';
import type { Facts } from '../../step/facts.ts';
import type { Reason } from '../../step/reasons.ts';
import type { Step } from '../../step/step.ts';
import type { CommentRef } from './targets.ts';

/** A comment, and the pull request that it is on. */
export type CommentContext = {
  readonly pull: PullState;
  readonly intent: CommentIntent;
  readonly facts: Facts;
  readonly commentRef: CommentRef;
};

/** A comment of a person who is allowed to use the command. */
export type CommandContext = CommentContext & {
  readonly deliveryId: string;
  readonly person: Person;
  readonly permission: Permission;
  readonly role: Role;
};

/** Replies to the comment and does nothing else. */
export function endWithReply(context: CommandContext, reply: Reply, reason: Reason): Step {
  return endStep(withReply(startStep(context.pull), context.intent.location, reply), reason);
}

/** Replies with the information that the person asked for. */
export function endWithInfo(context: CommandContext, reply: Reply): Step {
  const acknowledged = acknowledge(startStep(context.pull), context);
  return endStep(withReply(acknowledged, context.intent.location, reply), 'info-replied');
}

/** The reaction to an accepted comment: `+1` if it took effect, `eyes` if the agent reads it later. */
export function acknowledge(
  builder: StepBuilder,
  { intent: { location } }: CommandContext,
  content: 'eyes' | '+1' = '+1',
): StepBuilder {
  return withEffects(builder, { type: 'react', location, content });
}

/** Replies about proposals that the command named but does not change: decided before, or posted after the comment. */
export function withLeftoverReplies(
  builder: StepBuilder,
  { intent: { location } }: CommandContext,
  alreadyDecided: readonly Proposal[],
  postedLater: readonly Proposal[],
): StepBuilder {
  const replied = alreadyDecided.length === 0 ? builder : withReply(builder, location, decidedBefore(alreadyDecided));
  return postedLater.length === 0 ? replied : withReply(replied, location, postedAfterwards(postedLater));
}

export function replyAlreadyDecided(context: CommandContext, proposals: readonly Proposal[]): Step {
  return endWithReply(context, decidedBefore(proposals), 'already-decided');
}

export function replyPostedLater(context: CommandContext, postedLater: readonly Proposal[]): Step {
  return endWithReply(context, postedAfterwards(postedLater), 'posted-later');
}

/** The reply to an approval where the App can't commit; null if it can. */
export function refuseIfReadOnly(context: CommandContext): Step | null {
  const branch = context.pull.run?.branch;
  if (branch === undefined || canCommit(branch)) return null;
  return endWithReply(context, cannotCommit(branch), 'push-refused');
}

/** The reply where the App's installation lacks permissions, so that no run starts; null if it has all. */
export function refuseWithoutPermissions(context: CommandContext): Step | null {
  const { missingPermissions: permissions = [] } = context.facts;
  if (permissions.length === 0) return null;
  return endWithReply(context, permissionMissing(permissions), 'permission-missing');
}

/** The reply where the pull request is closed or merged; null if it is open. */
export function refuseIfClosed(context: CommandContext): Step | null {
  const { pullRequest } = context.facts;
  if (pullRequest === undefined || pullRequest.state === 'open') return null;
  return endWithReply(context, pullNotOpen(pullRequest.state), 'pull-not-open');
}

/**
 * The reply where the repository or the person has started as many runs as a day may have; null if one more may begin.
 */
export function refuseIfTooManyRuns(context: CommandContext): Step | null {
  const { reachedRunLimit: limit } = context.facts;
  return limit ? endWithReply(context, tooManyRuns(limit), 'runs-per-day') : null;
}

/** A vote on what the proposal's comment shows. */
export function createVote(
  context: CommandContext,
  proposal: Proposal,
  action: Vote['action'],
  text: string | null,
): Vote {
  const { location, bodyHash } = context.intent;
  return {
    proposalId: proposal.id,
    digest: postedChange(proposal).digest,
    action,
    by: context.person,
    permission: context.permission,
    surface: location.at,
    commentId: location.at === 'review' ? location.reviewId : location.commentId,
    thread: location.at === 'thread' ? { rootId: location.rootId, reviewId: location.reviewId } : null,
    bodyHash,
    deliveryId: context.deliveryId,
    headSha: proposal.headSha,
    writtenAt: context.intent.createdAt,
    at: context.facts.now,
    text: text === '' ? null : text,
    standingApproval: null,
  };
}
