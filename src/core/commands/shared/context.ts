import type { Reply } from '../../../lib/trust.ts';
import { endStep, type StepBuilder, startStep, withEffects, withReply } from '../../actions/step-builder.ts';
import type { CommandNamed, CommandSyntax } from '../../comments/command-line.ts';
import { postedAfterwards, takenByGlob } from '../../messages/change-replies.ts';
import {
  type CommandHelp,
  cannotCommit,
  decidedBefore,
  permissionMissing,
  pullNotOpen,
  tooManyRuns,
} from '../../messages/replies.ts';
import type { Role } from '../../policy/may-approve.ts';
import { canCommit } from '../../state/head-branch.ts';
import type { CommandName, CommentIntent } from '../../state/intent.ts';
import { type Proposal, postedChange } from '../../state/proposal.ts';
import type { PullState } from '../../state/pull-state.ts';
import type { Permission, Person, Vote } from '../../state/vote.ts';
import type { CommandNeed, Facts, Need } from '../../step/facts.ts';
import type { Reason } from '../../step/reasons.ts';
import type { Step } from '../../step/step.ts';

/** The position of a comment: all that tells which proposals it is about, besides its text. */
export type CommentRef = Pick<CommentIntent, 'location' | 'quotedIds' | 'quote' | 'createdAt'> & {
  /** Ids of proposals that other comments of the same review decide on; those take precedence over its body. */
  readonly decidedInThreads: readonly string[];
};

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

/** Which proposals a command can be about. */
export type TargetScope = {
  /** Only undecided proposals, or every proposal that is not committed yet. */
  readonly states: 'pending' | 'uncommitted';
  readonly includesUndos: boolean;
  /** Without an id, not what was posted right before, while another change ended. */
  readonly onlySeen?: true;
};

/** Everything about one command: how it is written, who can use it, what it needs and what it does. */
export type CommandDefinition<Name extends CommandName> = CommandSyntax<Name> &
  CommandHelp & {
    /** The proposals that the command can decide on; absent if it decides on none. */
    readonly decidesOn?: TargetScope;
    /** The facts for a person who may use it, besides their permission; absent if the command needs none. */
    readonly needs?: CommandNeeds;
    readonly run: (context: CommandContext, command: CommandNamed<Name>) => Step;
  };

/** The facts that a command needs, as people read about them and as the App fetches them. */
type CommandNeeds = {
  /** The condition on which it needs them, to follow “if”. */
  readonly condition: string;
  /** Every kind that `next` can return, in the order of fetching. */
  readonly kinds: readonly CommandNeed[];
  /**
   * The next facts; empty if there are enough. Also called for a mention, a reply or a review that means this command.
   */
  readonly next: (context: CommentContext) => readonly Need[];
};

/** Replies to the comment and does nothing else. */
export function endWithReply(context: CommandContext, reply: Reply, reason: Reason): Step {
  return endStep(withReply(startStep(context.pull), context.intent.location, reply), reason);
}

/** Replies with a hint, each once for a person and a place. */
export function endWithHint({ pull, person, intent: { location } }: CommandContext, hint: string, reply: Reply): Step {
  const place = location.at === 'thread' ? location.rootId : location.at;
  const once = `hint:${hint}:${person.id}:${place}`;
  return endStep(withReply(startStep(pull), location, reply, once), 'malformed-command');
}

/** Replies with the information that the person asked for. */
export function endWithInfo(context: CommandContext, reply: Reply): Step {
  const acknowledged = acknowledge(startStep(context.pull), context);
  return endStep(withReply(acknowledged, context.intent.location, reply), 'info-replied');
}

/** The reaction to an accepted comment: `+1` if it took effect, `eyes` if the agent reads it later. */
export function acknowledge(
  builder: StepBuilder,
  { intent: { location, createdAt: askedAt } }: CommandContext,
  content: 'eyes' | '+1' = '+1',
): StepBuilder {
  // A button has no comment; its check run shows the rest of the list at once.
  if (location.at === 'check') return builder;
  return withEffects(builder, { type: 'react', location, content, askedAt });
}

/** The proposals that a decision is about; `postedLater` were posted after the comment, and stay as they are. */
export type ResolvedTargets = {
  readonly open: readonly Proposal[];
  readonly alreadyDecided: readonly Proposal[];
  readonly postedLater: readonly Proposal[];
  /** The glob that named them; null if nothing or their ids did. */
  readonly glob: string | null;
};

/**
 * Replies with the proposals that a glob named, and about those that the command does not change: decided before, or
 * posted after the comment.
 */
export function withLeftoverReplies(
  builder: StepBuilder,
  { intent: { location } }: CommandContext,
  { open, alreadyDecided, postedLater, glob }: ResolvedTargets,
): StepBuilder {
  const listed = glob === null || open.length === 0 ? builder : withReply(builder, location, takenByGlob(glob, open));
  const replied = alreadyDecided.length === 0 ? listed : withReply(listed, location, decidedBefore(alreadyDecided));
  return postedLater.length === 0
    ? replied
    : withReply(replied, location, postedAfterwards(postedLater, location.at === 'check'));
}

export function replyAlreadyDecided(context: CommandContext, proposals: readonly Proposal[]): Step {
  return endWithReply(context, decidedBefore(proposals), 'already-decided');
}

/** The reply to an approval where the App can't commit; null if it can. */
export function refuseIfReadOnly(context: CommandContext): Step | null {
  const branch = context.pull.run?.branch;
  if (branch === undefined || canCommit(branch)) return null;
  return endWithReply(context, cannotCommit(branch), 'push-refused');
}

/** Why no run can start or go on here now; null if one can. */
export function whyNoRun(facts: Facts): { readonly reply: Reply; readonly reason: Reason } | null {
  const { missingPermissions = [], pullRequest, reachedRunLimit: limit } = facts;
  if (missingPermissions.length > 0)
    return { reply: permissionMissing(missingPermissions), reason: 'permission-missing' };
  if (pullRequest !== undefined && pullRequest.state !== 'open')
    return { reply: pullNotOpen(pullRequest.state), reason: 'pull-not-open' };
  return limit ? { reply: tooManyRuns(limit), reason: 'runs-per-day' } : null;
}

/** The reply where no run can start or go on; null if one can. */
export function refuseToRun(context: CommandContext): Step | null {
  const refusal = whyNoRun(context.facts);
  return refusal === null ? null : endWithReply(context, refusal.reply, refusal.reason);
}

/** A vote on what the proposal's comment shows. */
export function createVote(
  context: CommandContext,
  proposal: Proposal,
  action: Vote['action'],
  text: string | null,
): Vote {
  const { location, bodyHash, parsed } = context.intent;
  const targets = parsed.kind === 'command' && 'targets' in parsed.command ? parsed.command.targets : null;
  return {
    proposalId: proposal.id,
    digest: postedChange(proposal).digest,
    ...(targets?.by === 'list' ? { list: targets.digest } : {}),
    action,
    by: context.person,
    permission: context.permission,
    surface: location.at,
    commentId: location.at === 'review' ? location.reviewId : location.commentId,
    thread: location.at === 'thread' ? { rootId: location.rootId, reviewId: location.reviewId } : null,
    bodyHash: location.at === 'check' ? null : bodyHash,
    deliveryId: context.deliveryId,
    headSha: proposal.headSha,
    writtenAt: context.intent.createdAt,
    at: context.facts.now,
    text: text === '' ? null : text,
    standingApproval: null,
  };
}
