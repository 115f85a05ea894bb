import type { CommandName, Intent, SaidIntent } from '../command/intent.ts';
import { mayCommand, maySign, standingOf } from '../policy/roles.ts';
import { mayCount } from './approvals.ts';
import { bearing, wouldBeRead } from './bearing.ts';
import { type Draft, draftOf } from './draft.ts';
import type { Facts, Need } from './facts.ts';
import { approvedTargets, isPlainApproval, reviewToKnow } from './in-review.ts';
import { toJudge } from './judging.ts';
import { withBaseKnown } from './on-caught-up.ts';
import { withLanded } from './on-commit.ts';
import { isOwnPush, type Pushed } from './on-event.ts';
import { type OwnComment, shownAt } from './on-own-comment.ts';
import { withPlaced } from './on-posted.ts';
import { resumable } from './on-resume.ts';
import { waitingIn } from './on-review.ts';
import { isWithdrawal, waitingAt } from './on-thread.ts';
import { toUndo } from './on-undo.ts';
import { openProposals } from './open-proposals.ts';
import { ownTextAim, ownTextOf } from './own-text-aim.ts';
import { commentsOf } from './proposal.ts';
import { needsItsCommit } from './reverse.ts';
import { activeRun, goesOn, type Pull } from './run.ts';
import type { Signal } from './signal.ts';
import { commentsToApprove, damageOf, proposalsToApprove } from './tampered.ts';
import { undoingOf } from './work-out-undo.ts';

/**
 * The next facts that the signal needs, given those that are there; empty once it can be decided.
 * Asked again after each fetch, so that nothing is asked of GitHub on behalf of somebody who may not decide.
 */
export function needs(pull: Pull, signal: Signal, facts: Facts): readonly Need[] {
  switch (signal.type) {
    case 'intent':
      return needsOfIntent(pull, signal.intent, facts);
    case 'review-posted':
      return openProposals(pull.proposals).length === 0
        ? []
        : headNeeds(pull, facts, () => withPlaced(pull, signal, facts));
    case 'committed':
      return committedNeeds(pull, signal, facts);
    case 'task-due':
      return startNeeds(facts);
    case 'caught-up':
      return signal.read && goesOn(pull) ? headNeeds(pull, facts, () => withBaseKnown(pull, facts)) : [];
    case 'thread-seen':
      return isWithdrawal(pull, signal) ? headNeeds(pull, facts) : [];
    case 'run-shown':
    case 'model-replied':
    case 'model-failed':
    case 'question-answered':
    case 'tools-used':
    case 'posting-failed':
    case 'commit-starting':
    case 'commit-unread':
    case 'commit-differs':
    case 'commit-failed':
    case 'commit-missed':
    case 'commit-delayed':
    case 'proposal-shown':
    case 'threads-outdated':
    case 'deadline-reached':
    case 'expiring':
    case 'review-kept':
    case 'put-aside':
    case 'comment-gone':
    case 'access-lost':
      return [];
  }
}

/** A commit that somebody pushed away leaves the head as it is now. */
function committedNeeds(pull: Pull, signal: Extract<Signal, { type: 'committed' }>, facts: Facts): readonly Need[] {
  const landed = () => withLanded(pull, signal, facts);
  if (!signal.away) return fileNeeds(pull, signal.sha, facts, landed);
  return openProposals(pull.proposals).length === 0 ? [] : headNeeds(pull, facts, landed);
}

function needsOfIntent(pull: Pull, intent: Intent, facts: Facts): readonly Need[] {
  switch (intent.kind) {
    case 'said':
      return saidNeeds(pull, intent, facts);
    case 'edited':
      return wouldBeRead(pull, intent.utterance) && facts.served ? permissionNeed(intent, facts) : [];
    case 'own-comment':
      return ownCommentNeeds(pull, intent, facts);
    case 'deleted':
    case 'retargeted':
      return [];
    case 'pushed':
      return pushNeeds(pull, intent, facts);
    case 'closed':
      return goesOn(pull) ? pullNeed(facts) : [];
    case 'dismissed':
      return waitingIn(pull, intent.reviewId).length > 0 ? permissionNeed(intent, facts) : [];
    case 'thread':
      return intent.resolved && waitingAt(pull, intent.rootId) !== null ? permissionNeed(intent, facts) : [];
  }
}

function saidNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const about = bearing(pull, intent);
  if (about.kind !== 'ours' || !facts.served) return [];
  const permission = permissionNeed(intent, facts);
  if (permission.length > 0) return permission;
  const review = reviewNeeds(pull, intent, about.asks, facts);
  if (review.length > 0) return review;
  if (maySign(facts.permission)) {
    const ground = about.asks === 'approve' ? approvalNeeds(pull, intent, facts) : ownTextNeeds(pull, intent, facts);
    if (ground.length > 0) return ground;
  }
  // Without a run it is not known yet whether they opened the pull request, which lets them ask at least.
  if (mayBeAuthor(pull, intent, facts) && mayCommand('author', about.asks)) return pullNeed(facts);
  if (about.asks === 'undo') return undoNeeds(pull, intent, facts);
  if (about.asks === 'resume') return resumeNeeds(pull, intent, facts);
  if (about.asks !== 'task' || activeRun(pull) !== null || about.proposal !== null) return [];
  return maySign(facts.permission) ? startNeeds(facts) : [];
}

/** Whoever was told that they may not is not the author: that was looked up then. */
function mayBeAuthor({ run, refused }: Pull, { actor }: SaidIntent, { permission }: Facts): boolean {
  return run === null && !maySign(permission) && !refused.includes(actor.id);
}

/** A review's body is decided after its comments; a plain approval also after what the repository says of those. */
function reviewNeeds(pull: Pull, intent: SaidIntent, asks: CommandName, facts: Facts): readonly Need[] {
  const { actor } = intent;
  const reviewId = reviewToKnow(pull, intent);
  if (reviewId === null) return [];
  if (!mayCommand(standingOf(facts.permission, actor, pull.run?.pullAuthor ?? null), asks)) return [];
  if (isPlainApproval(intent)) {
    if (facts.settings === undefined) return maySign(facts.permission) ? [{ kind: 'settings' }] : [];
    if (approvedTargets(intent, facts) === null) return [];
  }
  return facts.reviewComments === undefined ? [{ kind: 'review-comments', reviewId }] : [];
}

/** Who may approve by the settings of now, and, where that is this person, what our comments show. */
function approvalNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const proposals = maySign(facts.permission) ? proposalsToApprove(pull, intent, facts) : [];
  if (proposals.length === 0) return [];
  const settings = settingsNeed(facts);
  if (settings.length > 0) return settings;
  const comments = commentsToApprove(proposals);
  const wanted =
    facts.bodyHashes === undefined && comments.length > 0 && mayCount(facts, intent.actor, proposals, pull.run);
  return wanted ? [{ kind: 'comments', comments }] : [];
}

/** The head, what else waits there, and the file as the change left it and as it is now. */
function undoNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const { utterance } = intent;
  const isUndo = utterance.kind === 'command' && utterance.command.name === 'undo';
  const found = isUndo && maySign(facts.permission) ? toUndo(pull, utterance.command.targets, intent) : null;
  if (found === null) return [];
  if (facts.pull === undefined) return pullNeed(facts);
  if (facts.pull.state !== 'open') return [];
  const head = facts.pull.headSha;
  const others = fileNeeds(pull, head, facts);
  if (others.length > 0 || facts.reverse !== undefined) return others;
  const commit = needsItsCommit(found.proposal.change) ? found.commit : null;
  return [{ kind: 'undone', commit, head, undoing: undoingOf(pull, found) }];
}

/** Only where a run would go on is the pull request looked at. */
function resumeNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const mayGoOn = maySign(facts.permission) && typeof resumable(pull, intent.createdAt) !== 'string';
  return mayGoOn ? pullNeed(facts) : [];
}

/** First what stands there now; who did it matters only where that person is to be told something. */
function ownCommentNeeds(pull: Pull, intent: OwnComment, facts: Facts): readonly Need[] {
  const proposal = shownAt(pull, intent.place);
  if (proposal?.comment == null || proposal.state !== 'proposed') return [];
  if (facts.bodyHashes === undefined) return [{ kind: 'comments', comments: commentsOf(proposal) }];
  const tells = damageOf(proposal, facts) === 'changed' && intent.actor.type === 'User' && facts.served;
  return tells ? permissionNeed(intent, facts) : [];
}

/** What an approval needs, and the change that a person's own lines make of the file as it was when the change was proposed. */
function ownTextNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const own = ownTextAim(pull, intent);
  if (own === null) return [];
  const approving = approvalNeeds(pull, intent, facts);
  if (approving.length > 0) return approving;
  if (!mayCount(facts, intent.actor, [own.proposal], pull.run)) return [];
  return facts.ownText === undefined ? [{ kind: 'own-text', head: own.proposal.head, own: ownTextOf(own) }] : [];
}

function permissionNeed(intent: Intent, facts: Facts): readonly Need[] {
  const { login, id } = intent.actor;
  return facts.permission === undefined ? [{ kind: 'permission', login, id }] : [];
}

function settingsNeed(facts: Facts): readonly Need[] {
  return facts.settings === undefined ? [{ kind: 'settings' }] : [];
}

function pullNeed(facts: Facts): readonly Need[] {
  return facts.pull === undefined ? [{ kind: 'pull-request' }] : [];
}

function startNeeds(facts: Facts): readonly Need[] {
  if (facts.pull === undefined) return pullNeed(facts);
  const { state, fork, headRef, baseRef } = facts.pull;
  if (state !== 'open') return [];
  const settings = settingsNeed(facts);
  if (settings.length > 0) return settings;
  if (facts.rules === undefined) return [{ kind: 'rules', headRef: fork ? null : headRef, baseRef }];
  // Into a fork nothing is written, so nobody else's pull request changes with this one.
  if (!fork && facts.sameBranch === undefined) return [{ kind: 'same-branch', headRef }];
  return facts.changedPaths === undefined ? [{ kind: 'changed-paths' }] : [];
}

function pushNeeds(pull: Pull, intent: Pushed, facts: Facts): readonly Need[] {
  const open = openProposals(pull.proposals);
  if (open.length === 0 || isOwnPush(pull, intent, facts)) return [];
  if (intent.actor.id === facts.self.botId) return headNeeds(pull, facts);
  const permission = permissionNeed(intent, facts);
  if (permission.length > 0) return permission;
  const head = headNeeds(pull, facts);
  // Whether a pusher may approve is asked only where something may have been approved.
  return head.length > 0 || facts.judged === undefined || !maySign(facts.permission) ? head : settingsNeed(facts);
}

/** The head as it is now, and, where it moved, how open proposals stand there. */
function headNeeds(pull: Pull, facts: Facts, before?: () => Draft): readonly Need[] {
  return facts.pull === undefined ? pullNeed(facts) : fileNeeds(pull, facts.pull.headSha, facts, before);
}

/**
 * `before` is the pull request right before it is judged, by the same function as when it is decided: what a signal tells
 * of comes first, so that nothing else is judged than what that is applied to.
 */
function fileNeeds(pull: Pull, head: string, facts: Facts, before = () => draftOf(pull)): readonly Need[] {
  const run = pull.run;
  if (run === null || facts.judged !== undefined || head === run.head) return [];
  if (openProposals(pull.proposals).length === 0) return [];
  return [{ kind: 'files', base: run.head, head, judging: toJudge(before().pull) }];
}
