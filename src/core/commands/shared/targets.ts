import { wasAskedBefore } from '../../actions/close-question.ts';
import { pathsOf } from '../../edits/change.ts';
import { nothingOnPaths, postedAfterwards } from '../../messages/change-replies.ts';
import { questionHint } from '../../messages/question-comment.ts';
import { ambiguous, nothingPending, unknownIds } from '../../messages/replies.ts';
import { globMatcher } from '../../policy/paths.ts';
import type { CommentLocation, Targets } from '../../state/intent.ts';
import { beginsThread } from '../../state/posted-comment.ts';
import { isFinal, isPending, isPostedAndOpen, type Proposal, postedChange } from '../../state/proposal.ts';
import { activeRun, type PullState } from '../../state/pull-state.ts';
import { type AgentQuestion, isAnswerable } from '../../state/question.ts';
import type { Step } from '../../step/step.ts';
import {
  type CommandContext,
  type CommentRef,
  endWithReply,
  type ResolvedTargets,
  type TargetScope,
} from './context.ts';

type TargetResolution =
  /** `postedLater` has the proposals that were posted after the comment was written. */
  | { readonly kind: 'resolved'; readonly proposals: readonly Proposal[]; readonly postedLater: readonly Proposal[] }
  /** Several of the pending proposals could be meant, or none of them. */
  | { readonly kind: 'ambiguous'; readonly pending: readonly Proposal[] }
  | { readonly kind: 'unknown-ids'; readonly ids: readonly string[] }
  | { readonly kind: 'no-match'; readonly postedLater: readonly Proposal[] };

/**
 * Finds the proposals that a command names by id, `all`, paths, the list of a button or its location. Anything uncertain is left unresolved.
 */
export function resolveTargets(
  pull: PullState,
  scope: TargetScope,
  targets: Targets,
  commentRef: CommentRef,
): TargetResolution {
  if (targets.by === 'ids') return resolveIds(pull, scope, targets.ids, commentRef);
  if (targets.by === 'all') return resolveAll(pull, scope, commentRef);
  if (targets.by === 'list') return resolveAll(pull, scope, commentRef, ({ id }) => targets.ids.includes(id));
  if (targets.by === 'paths') return resolveAll(pull, scope, commentRef, isOnPaths(scope, targets.glob));
  const proposal = isPointing(scope, commentRef) ? findAnsweredProposal(pull, commentRef) : null;
  if (proposal !== null) return resolvedTo([proposal], commentRef);
  if (!canMeanOnly(scope, commentRef))
    return { kind: 'ambiguous', pending: pull.proposals.filter((one) => isInScope(scope, one)) };
  return resolveOnly(pull, scope, commentRef);
}

/** A quote points at a change, but never for an approval: a stranger can write an id above another change. */
function isPointing({ states }: TargetScope, { location }: CommentRef): boolean {
  return states !== 'pending' || location.at === 'thread';
}

/**
 * In another thread, or below another quote, a command can't be about the only pending proposal. The quoted text might
 * be a forgery, so no approval stands below a quote at all.
 */
function canMeanOnly({ states }: TargetScope, { location, quotedIds, quote }: CommentRef): boolean {
  if (location.at === 'thread' || quotedIds.length > 0) return false;
  return states !== 'pending' || quote === null;
}

/**
 * An id that was written before its proposal was posted can mean another page, so it approves nothing. A denial holds:
 * one that meant another proposal changes no file.
 */
function resolveIds(
  pull: PullState,
  { states }: TargetScope,
  ids: readonly string[],
  commentRef: CommentRef,
): TargetResolution {
  const posted = new Map(pull.proposals.filter((one) => one.comment !== null).map((one) => [one.id, one]));
  const unknown = ids.filter((id) => !posted.has(id));
  if (unknown.length > 0) return { kind: 'unknown-ids', ids: unknown };
  const named = [...new Set(ids)].flatMap((id) => posted.get(id) ?? []);
  const postedLater = named.filter((one) => states === 'pending' && postedAt(one) > Date.parse(commentRef.createdAt));
  return resolvedTo(
    named.filter((one) => !postedLater.includes(one)),
    commentRef,
    postedLater,
  );
}

function resolvedTo(
  named: readonly Proposal[],
  commentRef: CommentRef,
  postedLater: readonly Proposal[] = [],
): TargetResolution {
  const proposals = notDecidedInThreads(named, commentRef);
  return proposals.length === 0 ? { kind: 'no-match', postedLater } : { kind: 'resolved', proposals, postedLater };
}

function notDecidedInThreads(proposals: readonly Proposal[], { decidedInThreads }: CommentRef): readonly Proposal[] {
  return proposals.filter((proposal) => !decidedInThreads.includes(proposal.id));
}

/** Every proposal in scope that is meant, was posted before the comment, and that its writer can have seen. */
export function resolveAll(
  pull: PullState,
  scope: TargetScope,
  commentRef: CommentRef,
  isMeant: (proposal: Proposal) => boolean = () => true,
): TargetResolution {
  const inScope = notDecidedInThreads(pull.proposals, commentRef).filter((one) => isInScope(scope, one));
  const open = inScope.filter(isMeant);
  const proposals = open.filter((one) => isSeen(pull, scope, one, commentRef));
  const postedLater = open.filter((proposal) => !proposals.includes(proposal));
  return resolvedTo(proposals, commentRef, postedLater);
}

/** An approval covers a change only with all of its paths; for a denial, which changes no file, one is enough. */
function isOnPaths({ states }: TargetScope, glob: string): (proposal: Proposal) => boolean {
  const matches = globMatcher(glob);
  return ({ change }) => (states === 'pending' ? pathsOf(change).every(matches) : pathsOf(change).some(matches));
}

/**
 * The only proposal that was pending when the comment was written, so that a late delivery can't change its meaning.
 */
function resolveOnly(pull: PullState, scope: TargetScope, commentRef: CommentRef): TargetResolution {
  const { createdAt } = commentRef;
  const open = notDecidedInThreads(pull.proposals, commentRef);
  const seen = open.filter((one) => isSeen(pull, scope, one, commentRef));
  const candidates = seen.filter((one) => isInScope(scope, one) || wasDecidedSince(one, createdAt));
  const postedLater = open.filter((one) => isInScope(scope, one) && !seen.includes(one));
  const [only, ...more] = candidates;
  if (only === undefined) return { kind: 'no-match', postedLater };
  if (more.length === 0) return { kind: 'resolved', proposals: [only], postedLater };
  return { kind: 'ambiguous', pending: candidates.filter((one) => isInScope(scope, one)) };
}

function isInScope({ states, includesUndos }: TargetScope, proposal: Proposal): boolean {
  if (!includesUndos && proposal.origin.kind === 'undo') return false;
  return states === 'pending' ? isPending(proposal) : isPostedAndOpen(proposal);
}

/** GitHub's times are whole seconds: a proposal posted in the same second counts as posted later. */
function postedAt({ comment }: Pick<Proposal, 'comment'>): number {
  return Date.parse(comment?.createdAt ?? '');
}

/** Time that people take from reading a page to the command that they write about it (ms). */
const READING_MS = 30_000;

/** Whether the page that the comment's writer had read shows this change for certain. */
function isSeen(pull: PullState, scope: TargetScope, one: Proposal, commentRef: CommentRef): boolean {
  const isPosted = postedAt(one) < Date.parse(commentRef.createdAt);
  return isPosted && !(scope.onlySeen && isOnNewPage(pull, one, commentRef));
}

/**
 * Whether a comment that names nothing can be about another page: this change or question is new, and another change
 * ended on the page that its writer might have read.
 */
function isOnNewPage(
  { proposals }: PullState,
  one: Pick<Proposal, 'comment'>,
  { location, createdAt }: CommentRef,
): boolean {
  const [shownAt, writtenAt] = [postedAt(one), Date.parse(createdAt)];
  if (writtenAt - shownAt >= READING_MS) return false;
  return proposals.some((other) => {
    if (!isFinal(other.state) || isDecidedInReviewOf(proposals, other, location)) return false;
    const endedAt = Date.parse(other.executedAt ?? other.decidedAt ?? '');
    return endedAt > shownAt - READING_MS && endedAt <= writtenAt;
  });
}

/** Whether its end came from another comment of the same review, and so of the same page, as a vote or own lines. */
function isDecidedInReviewOf(all: readonly Proposal[], ended: Proposal, location: CommentLocation): boolean {
  const reviewId = 'reviewId' in location ? location.reviewId : null;
  const votes = all.flatMap((one) => (one.id === ended.id || one.id === ended.replacedBy ? one.votes : []));
  return reviewId !== null && votes.some(({ thread }) => thread?.reviewId === reviewId);
}

function wasDecidedSince(proposal: Proposal, createdAt: string): boolean {
  return proposal.decidedAt !== null && Date.parse(proposal.decidedAt) >= Date.parse(createdAt);
}

/** The proposal that a comment answers by its location: that of its thread, or the only one that it quotes. */
export function findAnsweredProposal(
  pull: PullState,
  { location, quotedIds }: Pick<CommentRef, 'location' | 'quotedIds'>,
): Proposal | null {
  if (location.at === 'thread') return pull.proposals.find((one) => beginsThread(one.comment, location.rootId)) ?? null;
  const [only, ...more] = quotedIds;
  return more.length > 0 ? null : (pull.proposals.find(({ id, comment }) => id === only && comment !== null) ?? null);
}

type DecisionCommand = { readonly name: 'approve' | 'deny' | 'edit'; readonly decidesOn: TargetScope };

/** The proposals, or the step that replies why the decision is about none. */
export function resolveDecisionTargets(
  context: CommandContext,
  command: DecisionCommand,
  targets: Targets,
): ResolvedTargets | Step {
  const resolution = resolveTargets(context.pull, command.decidesOn, targets, context.commentRef);
  const glob = targets.by === 'paths' ? targets.glob : null;
  if (glob !== null && resolution.kind === 'no-match' && resolution.postedLater.length === 0)
    return endWithReply(context, nothingOnPaths(glob, context.pull.proposals.filter(isPending)), 'nothing-pending');
  if (resolution.kind !== 'resolved') return replyUnresolved(context, command.name, resolution);
  const { proposals, postedLater } = resolution;
  const question = targets.by === 'location' && command.name !== 'edit' ? findQuestionBeside(context) : null;
  if (question !== null) return endWithReply(context, ambiguous(command.name, proposals, false, question), 'ambiguous');
  const open = proposals.filter((proposal) => canDecide(command, proposal));
  return { open, alreadyDecided: proposals.filter((proposal) => !open.includes(proposal)), postedLater, glob };
}

/** A person's own text that is about to be committed can be denied, but not approved: nobody else has seen it. */
function canDecide(command: DecisionCommand, proposal: Proposal): boolean {
  if (proposal.state !== 'approved') return proposal.state === 'proposed';
  return command.name !== 'approve' || postedChange(proposal) === proposal.change;
}

/** In a thread, a first word that only looks like an id of its proposal or question, or like a glob, is text. */
export function meantTargets(
  { pull, commentRef }: CommandContext,
  targets: Targets,
  text: string,
  fullText: string,
): { readonly targets: Targets; readonly text: string } {
  if (targets.by === 'paths' && commentRef.location.at === 'thread')
    return { targets: { by: 'location' }, text: fullText };
  const isAnswer = findAnsweredProposal(pull, commentRef) !== null || findAnsweredQuestion(pull, commentRef) !== null;
  if (targets.by !== 'ids' || !isAnswer) return { targets, text };
  const known = [...pull.proposals, ...(pull.run?.questions ?? [])];
  const isKnown = targets.ids.some((id) => known.some((one) => one.id === id));
  return isKnown ? { targets, text } : { targets: { by: 'location' }, text: fullText };
}

/** The reply to a command that means no proposal for certain. */
export function replyUnresolved(
  context: CommandContext,
  command: DecisionCommand['name'] | 'show' | 'continue',
  resolution: Exclude<TargetResolution, { kind: 'resolved' }>,
): Step {
  const isBelowQuote = context.commentRef.quote !== null;
  const question = command === 'show' ? null : findQuestionBeside(context);
  switch (resolution.kind) {
    case 'ambiguous':
      return resolution.pending.length === 0
        ? endWithReply(context, nothingPending(command), 'nothing-pending')
        : endWithReply(context, ambiguous(command, resolution.pending, isBelowQuote, question), 'ambiguous');
    case 'unknown-ids':
      return endWithReply(context, unknownIds(resolution.ids, context.pull.proposals.filter(isPending)), 'unknown-ids');
    case 'no-match':
      if (resolution.postedLater.length > 0) {
        const reply = postedAfterwards(resolution.postedLater, context.intent.location.at === 'check');
        return endWithReply(context, reply, 'posted-later');
      }
      return command === 'approve' && question !== null
        ? endWithReply(context, questionHint(question), 'posted-later')
        : endWithReply(context, nothingPending(command), 'nothing-pending');
  }
}

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
  if (proposals.some((one) => beginsThread(one.comment, rootId) && isPostedAndOpen(one))) return null;
  const isThere = ({ place, comment }: AgentQuestion): boolean =>
    comment?.kind !== 'issue-comment' && place.at === 'thread' && place.rootId === rootId;
  return run?.questions.find((one) => isAnswerable(one) && isThere(one)) ?? null;
}

/** The question that is open on the pull request now; there is at most one. */
export function findOpenQuestion(pull: PullState): AgentQuestion | null {
  return activeRun(pull)?.questions.find(isAnswerable) ?? null;
}

/** The open question that a decision in the conversation could mean as well as a change. */
function findQuestionBeside({ pull, commentRef }: CommandContext): AgentQuestion | null {
  const open = findOpenQuestion(pull);
  const isPointing = commentRef.location.at === 'thread' || findAnsweredProposal(pull, commentRef) !== null;
  return open === null || isPointing || !wasAskedBefore(open, commentRef.createdAt) ? null : open;
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
  const answered = isPointing(scope, commentRef) ? findAnsweredQuestion(pull, commentRef) : null;
  if (answered !== null || commentRef.location.at === 'thread' || commentRef.quote !== null) return answered;
  const open = findOpenQuestion(pull);
  const resolution = resolveTargets(pull, scope, targets, commentRef);
  const isNothingElse = resolution.kind === 'no-match' && resolution.postedLater.length === 0;
  if (open === null || !isNothingElse || !wasAskedBefore(open, commentRef.createdAt)) return null;
  return scope.onlySeen && isOnNewPage(pull, open, commentRef) ? null : open;
}
