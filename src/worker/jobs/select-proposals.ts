import { NO_PROPOSALS, type ProposalSelector } from '../../core/state/facts.ts';
import type { CommentLocation, Intent, ParsedComment } from '../../core/state/intent.ts';
import type { Signal } from '../../core/state/signals.ts';

/** The proposals that a signal refers to. */
export function selectorForSignal(signal: Signal): ProposalSelector {
  switch (signal.type) {
    case 'intent':
      return selectorForIntent(signal.intent);
    case 'proposals-posted':
      return { ids: signal.proposals.map((posted) => posted.proposalId), commentId: null };
    case 'commit-preflight':
      return { ids: signal.checks.map((check) => check.proposalId), commentId: null };
    case 'committed':
    case 'commit-unverified':
    case 'commit-mismatch':
    case 'commit-head-moved':
    case 'commit-delayed':
    case 'commit-failed':
    case 'suggestions-outdated':
      return { ids: signal.proposalIds, commentId: null };
    case 'proposal-comment-updated':
    case 'thread-checked':
    case 'comment-missing':
      return { ids: [signal.proposalId], commentId: null };
    case 'run-comment-posted':
    case 'model-responded':
    case 'model-failed':
    case 'question-answered':
    case 'tools-finished':
    case 'posting-failed':
    case 'review-dismiss-refused':
    case 'dead-lettered':
    case 'deadline-reached':
    case 'caught-up':
    case 'expiry-due':
    case 'access-lost':
    case 'next-task-due':
      return NO_PROPOSALS;
  }
}

function selectorForIntent(intent: Intent): ProposalSelector {
  if (intent.kind === 'thread') return { ids: [], commentId: intent.rootId };
  if (intent.kind === 'own-comment') return { ids: [], commentId: commentIdOf(intent.location) };
  if (intent.kind === 'deleted') return { ids: [], commentId: threadRootId(intent.location) };
  if (intent.kind !== 'comment') return NO_PROPOSALS;
  const { parsed, quotedIds, location } = intent;
  return { ids: [...proposalIdsIn(parsed), ...quotedIds.map(({ id }) => id)], commentId: threadRootId(location) };
}

function proposalIdsIn(parsed: ParsedComment): readonly string[] {
  if (parsed.kind !== 'command' && parsed.kind !== 'mention') return [];
  const source = parsed.kind === 'command' ? parsed.command : parsed;
  if ('targets' in source && source.targets.by === 'ids') return source.targets.ids;
  return 'missingSlash' in source && source.missingSlash !== undefined ? [source.missingSlash.id] : [];
}

function threadRootId(location: CommentLocation): number | null {
  return location.at === 'thread' ? location.rootId : null;
}

function commentIdOf(location: CommentLocation): number | null {
  return location.at === 'review' ? null : location.commentId;
}
