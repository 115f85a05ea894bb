import type { Intent, Place, Utterance } from '../command/intent.ts';
import { type NamedProposals, NONE_NAMED } from '../run/named-proposals.ts';
import type { Signal } from '../run/signal.ts';

/** What a signal names. */
export function namedBy(signal: Signal): NamedProposals {
  switch (signal.type) {
    case 'intent':
      return namedByIntent(signal.intent);
    case 'review-posted':
      return { ids: signal.proposals.map((posted) => posted.proposalId), commentId: null };
    case 'commit-starting':
      return { ids: signal.checks.map((check) => check.proposalId), commentId: null };
    case 'committed':
    case 'commit-unread':
    case 'commit-differs':
    case 'commit-missed':
    case 'commit-delayed':
    case 'commit-failed':
    case 'threads-outdated':
      return { ids: signal.proposalIds, commentId: null };
    case 'proposal-shown':
    case 'thread-seen':
    case 'comment-gone':
      return { ids: [signal.proposalId], commentId: null };
    case 'run-shown':
    case 'model-replied':
    case 'model-failed':
    case 'question-answered':
    case 'tools-used':
    case 'posting-failed':
    case 'review-kept':
    case 'put-aside':
    case 'deadline-reached':
    case 'caught-up':
    case 'expiring':
    case 'access-lost':
    case 'task-due':
      return NONE_NAMED;
  }
}

function namedByIntent(intent: Intent): NamedProposals {
  if (intent.kind === 'thread') return { ids: [], commentId: intent.rootId };
  if (intent.kind === 'own-comment') return { ids: [], commentId: commentOf(intent.place) };
  if (intent.kind === 'deleted') return { ids: [], commentId: rootOf(intent.place) };
  if (intent.kind !== 'said') return NONE_NAMED;
  const { utterance, quotedIds, place } = intent;
  return { ids: [...idsIn(utterance), ...quotedIds.map(({ id }) => id)], commentId: rootOf(place) };
}

function idsIn(utterance: Utterance): readonly string[] {
  if (utterance.kind !== 'command' && utterance.kind !== 'mention') return [];
  const said = utterance.kind === 'command' ? utterance.command : utterance;
  const slashless = 'slashless' in said && said.slashless !== undefined ? [said.slashless.id] : [];
  return 'targets' in said && said.targets.by === 'ids' ? said.targets.ids : slashless;
}

function rootOf(place: Place): number | null {
  return place.at === 'thread' ? place.rootId : null;
}

function commentOf(place: Place): number | null {
  return place.at === 'review' ? null : place.commentId;
}
