import type { CommentLocation, Targets } from '../../state/intent.ts';
import { beginsThread } from '../../state/posted-comment.ts';
import type { Proposal } from '../../state/proposal.ts';
import { isOpen, isPending } from '../../state/proposal-lifecycle.ts';
import type { PullState } from '../../state/pull-state.ts';

/** The position of a comment: all that tells which proposals it is about, besides its text. */
export type CommentRef = {
  readonly location: CommentLocation;
  readonly quotedIds: readonly string[];
  readonly quote: string | null;
  /** GitHub's `created_at`. */
  readonly createdAt: string;
  /** Ids of proposals that other comments of the same review decide on; those take precedence over its body. */
  readonly decidedInThreads: readonly string[];
};

/** Which proposals a command can be about. */
export type TargetScope = {
  /** Only undecided proposals, or every proposal that is not committed yet. */
  readonly states: 'pending' | 'uncommitted';
  readonly includesUndos: boolean;
  /** Whether a quote of a proposal's id points at it. A stranger can write that id above another change. */
  readonly quotePoints: boolean;
  /**
   * Whether an id also names a proposal that was posted after the comment. It can be the same one, whose first comment
   * was deleted, so a denial holds: one that meant another proposal changes no file.
   */
  readonly idsNameLaterPosts: boolean;
};

export type TargetResolution =
  /** `postedLater` has the proposals that were posted after the comment was written. */
  | { readonly kind: 'resolved'; readonly proposals: readonly Proposal[]; readonly postedLater: readonly Proposal[] }
  /** Several of the pending proposals could be meant, or none of them. */
  | { readonly kind: 'ambiguous'; readonly pending: readonly Proposal[] }
  | { readonly kind: 'unknown-ids'; readonly ids: readonly string[] }
  /** Other comments of the same review decide on all that this one could mean. */
  | { readonly kind: 'decided-in-threads' }
  | { readonly kind: 'no-match'; readonly postedLater: readonly Proposal[] };

/**
 * Finds the proposals that a command names by id, by `all` or by its location. Anything uncertain is left unresolved.
 */
export function resolveTargets(
  pull: PullState,
  scope: TargetScope,
  targets: Targets,
  commentRef: CommentRef,
): TargetResolution {
  if (targets.by === 'ids') return resolveIds(pull, scope, targets.ids, commentRef);
  if (targets.by === 'all') return resolveAll(pull, scope, commentRef);
  const canPoint = scope.quotePoints || commentRef.location.at === 'thread';
  const proposal = canPoint ? findAnsweredProposal(pull, commentRef) : null;
  if (proposal !== null) return withoutDecidedInThreads([proposal], commentRef);
  if (!canMeanOnly(scope, commentRef))
    return { kind: 'ambiguous', pending: pull.proposals.filter((one) => isInScope(scope, one)) };
  return resolveOnly(pull, scope, commentRef);
}

/**
 * In another thread, or below another quote, a command can't be about the only pending proposal. The quoted text might
 * be a forgery, so no approval stands below a quote at all.
 */
function canMeanOnly({ states }: TargetScope, { location, quotedIds, quote }: CommentRef): boolean {
  if (location.at === 'thread' || quotedIds.length > 0) return false;
  return states !== 'pending' || quote === null;
}

function resolveIds(
  pull: PullState,
  { idsNameLaterPosts }: TargetScope,
  ids: readonly string[],
  commentRef: CommentRef,
): TargetResolution {
  const posted = new Map(pull.proposals.filter((one) => one.comment !== null).map((one) => [one.id, one]));
  const unknown = ids.filter((id) => !posted.has(id));
  if (unknown.length > 0) return { kind: 'unknown-ids', ids: unknown };
  const named = [...new Set(ids)].flatMap((id) => posted.get(id) ?? []);
  const postedLater = idsNameLaterPosts ? [] : named.filter((one) => wasPostedAfter(one, commentRef.createdAt));
  if (postedLater.length === named.length) return { kind: 'no-match', postedLater };
  return withoutDecidedInThreads(
    named.filter((one) => !postedLater.includes(one)),
    commentRef,
    postedLater,
  );
}

function withoutDecidedInThreads(
  named: readonly Proposal[],
  commentRef: CommentRef,
  postedLater: readonly Proposal[] = [],
): TargetResolution {
  const proposals = notDecidedInThreads(named, commentRef);
  return proposals.length === 0 ? { kind: 'decided-in-threads' } : { kind: 'resolved', proposals, postedLater };
}

function notDecidedInThreads(proposals: readonly Proposal[], { decidedInThreads }: CommentRef): readonly Proposal[] {
  return proposals.filter((proposal) => !decidedInThreads.includes(proposal.id));
}

/** Every proposal in scope that was posted before the comment. */
export function resolveAll(pull: PullState, scope: TargetScope, commentRef: CommentRef): TargetResolution {
  const open = notDecidedInThreads(pull.proposals, commentRef).filter((one) => isInScope(scope, one));
  const proposals = open.filter((proposal) => wasPostedBefore(proposal, commentRef.createdAt));
  const postedLater = open.filter((proposal) => !proposals.includes(proposal));
  return proposals.length === 0 ? noMatch(postedLater, commentRef) : { kind: 'resolved', proposals, postedLater };
}

/**
 * The only proposal that was pending when the comment was written, so that a late delivery can't change its meaning.
 */
function resolveOnly(pull: PullState, scope: TargetScope, commentRef: CommentRef): TargetResolution {
  const { createdAt } = commentRef;
  const open = notDecidedInThreads(pull.proposals, commentRef);
  const candidates = open.filter(
    (one) => wasPostedBefore(one, createdAt) && (isInScope(scope, one) || wasDecidedSince(one, createdAt)),
  );
  const postedLater = open.filter((one) => isInScope(scope, one) && !wasPostedBefore(one, createdAt));
  const [only, ...more] = candidates;
  if (only === undefined) return noMatch(postedLater, commentRef);
  if (more.length === 0) return { kind: 'resolved', proposals: [only], postedLater };
  return { kind: 'ambiguous', pending: candidates.filter((one) => isInScope(scope, one)) };
}

function noMatch(postedLater: readonly Proposal[], { decidedInThreads }: CommentRef): TargetResolution {
  return postedLater.length === 0 && decidedInThreads.length > 0
    ? { kind: 'decided-in-threads' }
    : { kind: 'no-match', postedLater };
}

function isInScope({ states, includesUndos }: TargetScope, proposal: Proposal): boolean {
  if (!includesUndos && proposal.origin.kind === 'undo') return false;
  return states === 'pending' ? isPending(proposal) : isPostedAndOpen(proposal);
}

/** Whether people can still deny it or ask for changes, even while a commit attempt is in flight. */
export function isPostedAndOpen(proposal: Proposal): boolean {
  return isOpen(proposal) && proposal.comment !== null;
}

/** GitHub's times are whole seconds: a proposal posted in the same second counts as posted later. */
function wasPostedBefore(proposal: Proposal, createdAt: string): boolean {
  const postedAt = proposal.comment?.createdAt ?? null;
  return postedAt !== null && Date.parse(postedAt) < Date.parse(createdAt);
}

/**
 * An id that was written before its proposal was posted means another one: a restored database gives ids anew.
 */
function wasPostedAfter(proposal: Proposal, createdAt: string): boolean {
  const postedAt = proposal.comment?.createdAt ?? null;
  return postedAt !== null && Date.parse(postedAt) > Date.parse(createdAt);
}

function wasDecidedSince(proposal: Proposal, createdAt: string): boolean {
  return proposal.decidedAt !== null && Date.parse(proposal.decidedAt) >= Date.parse(createdAt);
}

/** The proposal that a comment answers by its location: that of its thread, or the only one that it quotes. */
export function findAnsweredProposal(
  pull: PullState,
  { location, quotedIds }: Pick<CommentRef, 'location' | 'quotedIds'>,
): Proposal | null {
  if (location.at === 'thread') return pull.proposals.find((one) => isThreadOf(one, location.rootId)) ?? null;
  const [only, ...more] = quotedIds;
  return more.length > 0 ? null : (pull.proposals.find(({ id, comment }) => id === only && comment !== null) ?? null);
}

/** Whether this comment began the thread of the proposal. */
export function isThreadOf({ comment }: Proposal, rootId: number): boolean {
  return beginsThread(comment, rootId);
}
