import type { CommandName, Intent, SaidIntent } from '../command/intent.ts';
import { mayCommand, maySign, standingOf } from '../policy/roles.ts';
import { bearing, wouldBeRead } from './bearing.ts';
import type { Facts, Need } from './facts.ts';
import { approvedTargets, isPlainApproval, mayDecideAsReview } from './in-review.ts';
import { openProposals } from './judge-head.ts';
import { type OwnComment, shownAt } from './on-own-comment.ts';
import { resumable } from './on-resume.ts';
import { waitingIn } from './on-review.ts';
import { isWithdrawal, waitingAt } from './on-thread.ts';
import { ownTextAim } from './own-text-aim.ts';
import { activeRun, type Pull } from './run.ts';
import type { Signal } from './signal.ts';
import { commentsToApprove, damageOf } from './tampered.ts';

/**
 * The next facts that the signal needs, given those that are there; empty once it can be decided.
 * Asked again after each fetch, so that nothing is asked of GitHub on behalf of somebody who may not decide.
 */
export function needs(pull: Pull, signal: Signal, facts: Facts): readonly Need[] {
  switch (signal.type) {
    case 'intent':
      return needsOfIntent(pull, signal.intent, facts);
    case 'review-posted':
      return activeRun(pull) === null ? [] : headNeeds(pull, facts);
    case 'committed':
      return activeRun(pull)?.id === signal.runId ? fileNeeds(pull, signal.sha, facts) : [];
    case 'task-due':
      return startNeeds(facts);
    case 'thread-seen':
      return isWithdrawal(pull, signal) ? headNeeds(pull, facts) : [];
    case 'run-shown':
    case 'model-replied':
    case 'model-failed':
    case 'question-answered':
    case 'tools-used':
    case 'posting-failed':
    case 'commit-starting':
    case 'commit-failed':
    case 'commit-missed':
    case 'proposal-shown':
    case 'review-kept':
    case 'comment-gone':
    case 'access-lost':
      return [];
  }
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
      return activeRun(pull) === null && pull.queue.length === 0 ? [] : pullNeed(facts);
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
    const ground = about.asks === 'approve' ? shownNeeds(pull, intent, facts) : ownTextNeeds(pull, intent, facts);
    if (ground.length > 0) return ground;
  }
  // Without a run it is not known yet whether they opened the pull request, which lets them ask at least.
  if (pull.run === null && !maySign(facts.permission) && mayCommand('author', about.asks)) return pullNeed(facts);
  if (about.asks === 'resume') return resumeNeeds(pull, intent, facts);
  if (about.asks !== 'task' || activeRun(pull) !== null || about.proposal !== null) return [];
  return maySign(facts.permission) ? startNeeds(facts) : [];
}

/** A review's body is decided after its comments; a plain approval also after what the repository says of those. */
function reviewNeeds(pull: Pull, intent: SaidIntent, asks: CommandName, facts: Facts): readonly Need[] {
  const { actor, place } = intent;
  if (place.at !== 'review' || !mayDecideAsReview(pull, intent)) return [];
  if (!mayCommand(standingOf(facts.permission, actor, pull.run?.pullAuthor ?? null), asks)) return [];
  if (isPlainApproval(intent)) {
    if (facts.settings === undefined) return maySign(facts.permission) ? [{ kind: 'settings' }] : [];
    if (approvedTargets(intent, facts) === null) return [];
  }
  return facts.reviewComments === undefined ? [{ kind: 'review-comments', reviewId: place.reviewId }] : [];
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
  if (facts.bodyHashes === undefined) return [{ kind: 'comments', comments: [proposal.comment] }];
  const tells = damageOf(proposal, facts) === 'changed' && intent.actor.type === 'User' && facts.served;
  return tells ? permissionNeed(intent, facts) : [];
}

/** What an approval relies on must stand as we wrote it. */
function shownNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const comments = facts.bodyHashes === undefined ? commentsToApprove(pull, intent, facts) : [];
  return comments.length > 0 ? [{ kind: 'comments', comments }] : [];
}

/** The same, and the file that a person's own lines are to be put into, as it was when the change was proposed. */
function ownTextNeeds(pull: Pull, intent: SaidIntent, facts: Facts): readonly Need[] {
  const own = ownTextAim(pull, intent);
  if (own === null) return [];
  const shown = shownNeeds(pull, intent, facts);
  if (shown.length > 0) return shown;
  const { head, change } = own.proposal;
  if (facts.files !== undefined || change.base === null) return [];
  return [{ kind: 'files', base: head, head, paths: [change.path] }];
}

function permissionNeed(intent: Intent, facts: Facts): readonly Need[] {
  const { login, id } = intent.actor;
  return facts.permission === undefined ? [{ kind: 'permission', login, id }] : [];
}

function pullNeed(facts: Facts): readonly Need[] {
  return facts.pull === undefined ? [{ kind: 'pull-request' }] : [];
}

function startNeeds(facts: Facts): readonly Need[] {
  if (facts.pull === undefined) return pullNeed(facts);
  if (facts.settings === undefined) return [{ kind: 'settings' }];
  return facts.pull.state === 'open' && facts.changedPaths === undefined ? [{ kind: 'changed-paths' }] : [];
}

function pushNeeds(pull: Pull, intent: Intent, facts: Facts): readonly Need[] {
  const open = openProposals(pull.proposals);
  if (intent.actor.id === facts.self.botId || activeRun(pull) === null || open.length === 0) return [];
  const permission = permissionNeed(intent, facts);
  return permission.length > 0 ? permission : headNeeds(pull, facts);
}

/** The head as it is now, and, where it moved, the files that open proposals are about. */
function headNeeds(pull: Pull, facts: Facts): readonly Need[] {
  return facts.pull === undefined ? pullNeed(facts) : fileNeeds(pull, facts.pull.headSha, facts);
}

function fileNeeds(pull: Pull, head: string, facts: Facts): readonly Need[] {
  const run = pull.run;
  if (run === null || facts.files !== undefined || head === run.head) return [];
  const paths = [...new Set(openProposals(pull.proposals).map((proposal) => proposal.change.path))];
  return paths.length === 0 ? [] : [{ kind: 'files', base: run.head, head, paths }];
}
