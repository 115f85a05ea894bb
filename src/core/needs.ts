import { votingOwnerNeeds } from './actions/approvals.ts';
import {
  headNeeds,
  permissionNeeds,
  pullRequestNeeds,
  runStartNeeds,
  settingsNeeds,
  stalenessNeeds,
} from './actions/fact-needs.ts';
import { proposalsBeforeCommit, stalenessInput } from './actions/head-assessment.ts';
import { withoutPusher } from './actions/head-moved.ts';
import { standingApprovalNeeds } from './actions/standing-approvals.ts';
import { COMMANDS } from './commands/all-commands.ts';
import { approve, approvedTargets, isApprovalWithoutCommand } from './commands/approve.ts';
import { commandOfPress, requiredCheckNeeds } from './events/check-run.ts';
import { isReadAsCommand, relevanceOf, unknownChangeNeeds } from './events/comment-relevance.ts';
import { isAppPush } from './events/pull-request.ts';
import { commentRefOf, openProposalsOfReview, reviewToFetch } from './events/review.ts';
import { recordCommitted } from './outcomes/commit.ts';
import { recordAtHead, recordPostedProposals } from './outcomes/posting.ts';
import { isAllowed, type RequiredRole, roleOf } from './policy/may-approve.ts';
import { buttonOf } from './policy/waiting.ts';
import type { CommentIntent, Intent, IntentOf } from './state/intent.ts';
import type { Proposal } from './state/proposal.ts';
import { hasActiveWork, type PullState } from './state/pull-state.ts';
import { canApprove } from './state/vote.ts';
import type { Facts, Need } from './step/facts.ts';
import type { Signal, SignalOf } from './step/signals.ts';

/**
 * The next facts that the signal needs, given those that are there; empty once it can be decided.
 * It is called again after each fetch, so that a person who is not allowed causes as few requests as possible.
 */
export function needs(pull: PullState, signal: Signal, facts: Facts): readonly Need[] {
  return needsOfSignal(pull, signal.type, signal, facts);
}

function needsOfSignal<Type extends Signal['type']>(
  pull: PullState,
  type: Type,
  signal: SignalOf<Type>,
  facts: Facts,
): readonly Need[] {
  return SIGNAL_NEEDS[type]?.(pull, signal, facts) ?? [];
}

/** All other signals need no facts. */
const SIGNAL_NEEDS: {
  readonly [Type in Signal['type']]?: (pull: PullState, signal: SignalOf<Type>, facts: Facts) => readonly Need[];
} = {
  intent: (pull, { intent }, facts) => needsOfIntent(pull, intent.kind, intent, facts),
  'proposals-posted': postedNeeds,
  committed: committedNeeds,
  'next-task-due': ({ queue: [next] }, _signal, facts) => (next === undefined ? [] : runStartNeeds(facts, next.by)),
};

/** Standing approvals matter only to proposals that are still there at the head of now. */
function postedNeeds(pull: PullState, signal: SignalOf<'proposals-posted'>, facts: Facts): readonly Need[] {
  if (proposalsBeforeCommit(pull.proposals).length === 0) return [];
  const isAtHead = signal.head !== undefined && signal.head === pull.run?.assessed.headSha;
  const head = isAtHead ? [] : headNeeds(pull, facts, () => recordPostedProposals(pull, signal, facts));
  return head.length > 0 ? head : standingApprovalNeeds(recordAtHead(pull, signal, facts).pull, signal, facts);
}

/** After a commit that was pushed away, the head is another one than the commit. */
function committedNeeds(pull: PullState, signal: SignalOf<'committed'>, facts: Facts): readonly Need[] {
  // A merge can have overtaken the commit.
  if (signal.isPullOpen !== true && facts.pullRequest === undefined) return pullRequestNeeds(facts);
  const committed = () => recordCommitted(pull, signal, facts);
  if (!signal.overwritten) return stalenessNeeds(pull, signal.sha, facts, committed);
  return proposalsBeforeCommit(pull.proposals).length === 0 ? [] : headNeeds(pull, facts, committed);
}

function needsOfIntent<Kind extends Intent['kind']>(
  pull: PullState,
  kind: Kind,
  intent: IntentOf<Kind>,
  facts: Facts,
): readonly Need[] {
  return INTENT_NEEDS[kind]?.(pull, intent, facts) ?? [];
}

const INTENT_NEEDS: {
  readonly [Kind in Intent['kind']]?: (pull: PullState, intent: IntentOf<Kind>, facts: Facts) => readonly Need[];
} = {
  comment: commentNeeds,
  edited: (pull, { parsed, actor }, facts) =>
    isReadAsCommand(pull, parsed) && facts.ownerAllowed ? permissionNeeds(actor, facts) : [],
  pushed: pushNeeds,
  pressed: pressNeeds,
  opened: (_pull, _intent, facts) => requiredCheckNeeds(facts),
  'merge-queued': (_pull, _intent, facts) => requiredCheckNeeds(facts),
  closed: (pull, _intent, facts) => (hasActiveWork(pull) ? pullRequestNeeds(facts) : []),
  dismissed: (pull, { reviewId, actor }, facts) =>
    openProposalsOfReview(pull, reviewId).length > 0 ? permissionNeeds(actor, facts) : [],
};

function commentNeeds(pull: PullState, intent: CommentIntent, facts: Facts): readonly Need[] {
  // The webhook of the close is late or lost, or the pull request was opened again.
  if (intent.isPullClosed === true && facts.pullRequest === undefined && hasActiveWork(pull) && facts.ownerAllowed)
    return pullRequestNeeds(facts);
  const relevance = relevanceOf(pull, intent);
  if (relevance.kind !== 'relevant' || !facts.ownerAllowed) return [];
  const permission = permissionNeeds(intent.actor, facts);
  if (permission.length > 0) return permission;
  const command = COMMANDS[relevance.command];
  if (relevance.canBeUnknown) return canApprove(facts.permission) ? unknownChangeNeeds(intent, facts) : [];
  const ofCommand = () =>
    command.needs?.next({ pull, intent, facts, commentRef: commentRefOf(pull, intent, facts) }) ?? [];
  const review = reviewNeeds(pull, intent, command.allowedTo, facts);
  if (review.length > 0) return review;
  if (facts.reviewComments === null) return [];
  if (canApprove(facts.permission)) return ofCommand();
  if (!isAllowed('author', command.allowedTo)) return [];
  const author = couldBeAuthor(pull, intent) ? pullRequestNeeds(facts) : [];
  const pullAuthor = pull.run?.pullAuthor ?? facts.pullRequest?.author ?? null;
  return author.length > 0 || roleOf(facts.permission, intent.actor, pullAuthor) !== 'author' ? author : ofCommand();
}

/** Without a run the pull request's author is unknown. A person who was refused before is not the author. */
function couldBeAuthor({ run, notifiedUnauthorizedUserIds }: PullState, { actor }: CommentIntent): boolean {
  return run === null && !notifiedUnauthorizedUserIds.includes(actor.id);
}

/**
 * A review's body takes effect after its comments, and without a command only if the repository's settings allow it.
 */
function reviewNeeds(pull: PullState, intent: CommentIntent, allowedTo: RequiredRole, facts: Facts): readonly Need[] {
  const reviewId = reviewToFetch(pull, intent);
  if (reviewId === null) return [];
  if (!isAllowed(roleOf(facts.permission, intent.actor, pull.run?.pullAuthor ?? null), allowedTo)) return [];
  if (isApprovalWithoutCommand(intent)) {
    if (facts.settings === undefined) return canApprove(facts.permission) ? settingsNeeds(facts) : [];
    if (approvedTargets(intent, facts) === null) return [];
  }
  return facts.reviewComments === undefined ? [{ kind: 'review-comments', reviewId }] : [];
}

/** A press needs what its command needs; of a list that is not the current one, only who pressed. */
function pressNeeds(pull: PullState, press: IntentOf<'pressed'>, facts: Facts): readonly Need[] {
  if (pull.run === null || buttonOf(press) === null || !facts.ownerAllowed) return [];
  const permission = permissionNeeds(press.actor, facts);
  if (permission.length > 0 || buttonOf(press) !== 'approve' || !canApprove(facts.permission)) return permission;
  const intent = commandOfPress(pull, press, facts);
  return approve.needs.next({ pull, intent, facts, commentRef: commentRefOf(pull, intent, facts) });
}

function pushNeeds(pull: PullState, intent: IntentOf<'pushed'>, facts: Facts): readonly Need[] {
  const open = proposalsBeforeCommit(pull.proposals);
  const unnamed = withoutPusher(pull.proposals);
  if (isAppPush(pull, intent, facts)) return [];
  if (open.length + unnamed.length === 0) return requiredCheckNeeds(facts);
  if (intent.actor.id === facts.app.botId) return open.length === 0 ? [] : headNeeds(pull, facts);
  const permission = permissionNeeds(intent.actor, facts);
  if (permission.length > 0) return permission;
  const head = open.length === 0 ? [] : headNeeds(pull, facts);
  if (head.length > 0) return head;
  const isOutrun = facts.pullRequest !== undefined && facts.pullRequest.headSha !== intent.after;
  const found = isOutrun ? [...open, ...unnamed] : unnamed;
  if (found.length > 0 && facts.broughtByPush === undefined) return [broughtNeed(pull, intent, found)];
  // The settings say whether the push counts as an approval, which matters only if it contains a change.
  const containsNone = facts.staleness === undefined && facts.broughtByPush === undefined;
  if (containsNone || !canApprove(facts.permission)) return [];
  const settings = settingsNeeds(facts);
  return settings.length > 0 ? settings : votingOwnerNeeds(intent.actor, [...open, ...unnamed], facts);
}

/** What a push brought of changes that were found at a later head, or before its webhook came. */
function broughtNeed({ run }: PullState, { before, after }: IntentOf<'pushed'>, found: readonly Proposal[]): Need {
  return { kind: 'brought-by-push', fromSha: before, head: after, staleness: stalenessInput(run, found) };
}
