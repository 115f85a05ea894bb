import type { SaidIntent, Targets, Utterance } from '../command/intent.ts';
import { readComment } from '../command/read-comment.ts';
import type { Facts, ReviewComment } from './facts.ts';
import { isUnmade } from './proposal.ts';
import type { Pull } from './run.ts';
import { isThreadOf, type Words } from './targets.ts';
import { isVerdict } from './verdict-command.ts';

/** What the words point with; of a review's body, and of a comment of it about everything, also what its other comments speak of. */
export function wordsOf(pull: Pull, { place, quotedIds, createdAt }: SaidIntent, facts: Facts): Words {
  const comments = facts.reviewComments ?? [];
  const heard = { slug: facts.self.slug, submittedAt: createdAt };
  const others = place.at === 'thread' ? comments.filter(({ rootId }) => rootId !== place.rootId) : comments;
  // Of two comments that are both about everything none comes before the other.
  const everything = place.at === 'thread' ? [] : pull.proposals.map(({ id }) => id);
  return { place, quotedIds, createdAt, inline: others.flatMap((one) => spokenOf(pull, one, heard, everything)) };
}

/** The review whose other comments must be known before these words can decide on proposals; null where they need not be. */
export function reviewToKnow(pull: Pull, intent: SaidIntent): number | null {
  const { place, utterance } = intent;
  if (place.at === 'review') return mayDecideAsReview(pull, intent) ? place.reviewId : null;
  const isAboutAll = targetsOf(utterance)?.by === 'all' && pull.proposals.some(isUnmade);
  return place.at === 'thread' && isAboutAll ? place.reviewId : null;
}

/** Whether a review's own body can decide on proposals, so that its comments must be known first. */
function mayDecideAsReview(pull: Pull, { place, utterance }: SaidIntent): boolean {
  if (place.at !== 'review' || !pull.proposals.some(isUnmade)) return false;
  return utterance.kind === 'remark' || isVerdict(utterance);
}

/** A review that was sent with *Approve* and no command: it approves only where the repository says so. */
export function isPlainApproval({ reviewState, utterance }: SaidIntent): boolean {
  return reviewState === 'approved' && utterance.kind === 'remark';
}

/** What somebody approves with these words; null where they approve nothing. */
export function approvedTargets(intent: SaidIntent, { settings }: Facts): Targets | null {
  const { utterance } = intent;
  if (utterance.kind === 'command') return utterance.command.name === 'approve' ? utterance.command.targets : null;
  const means = settings?.kind === 'settings' && settings.settings.reviewApproval === 'approve-all';
  return means && isPlainApproval(intent) ? { by: 'all' } : null;
}

type Heard = { readonly slug: string; readonly submittedAt: string };

/**
 * The proposals that one comment of a review speaks of: there it counts, whether it was heard yet or not, and the
 * review's body leaves them alone. What says nothing clear in a thread keeps the body away from it too.
 */
function spokenOf(
  pull: Pull,
  { rootId, body, updatedAt }: ReviewComment,
  heard: Heard,
  everything: readonly string[],
): readonly string[] {
  const here = pull.proposals.filter((one) => isThreadOf(one, rootId)).map(({ id }) => id);
  // What was edited since is not what we heard; a draft may be changed until it is submitted.
  if (Date.parse(updatedAt) > Date.parse(heard.submittedAt)) return here;
  const { utterance } = readComment(body, heard.slug);
  const targets = targetsOf(utterance);
  if (targets === null) return saysNothing(utterance) ? [] : here;
  switch (targets.by) {
    case 'place':
      return here;
    case 'all':
      return everything;
    case 'ids':
      return [...targets.ids, ...here];
  }
}

function targetsOf(utterance: Utterance): Targets | null {
  if (!isVerdict(utterance)) return null;
  // `/continue` is about all that waits, wherever it stands.
  return 'targets' in utterance.command ? utterance.command.targets : { by: 'all' };
}

/** Talk between people, an empty reply, and commands that are about no proposal. */
function saysNothing(utterance: Utterance): boolean {
  if (utterance.kind === 'command') return true;
  if (utterance.kind !== 'remark') return false;
  const { toSomebodyElse, text, suggestions, unclosedSuggestion } = utterance;
  return toSomebodyElse || (text === '' && suggestions.length === 0 && !unclosedSuggestion);
}
