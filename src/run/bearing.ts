import type { CommandName, SaidIntent, Utterance } from '../command/intent.ts';
import type { Proposal } from './proposal.ts';
import type { Reason } from './reason.ts';
import { activeRun, type Pull } from './run.ts';
import { aimAtAll, answered } from './targets.ts';
import { isVerdict } from './verdict-command.ts';

/** Whether words concern us at all, told from what we have stored; only then is anything asked of GitHub. */
export type Bearing =
  | { readonly kind: 'none'; readonly reason: Reason }
  /** They stand in a thread that may be one we are just posting. */
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'ours';
      /** What the person must be allowed to do. */
      readonly asks: CommandName;
      /** The proposal that the words answer by where they stand. */
      readonly proposal: Proposal | null;
      /** Refused without a word: nobody addressed us. */
      readonly quietly: boolean;
    };

type Ours = Extract<Bearing, { kind: 'ours' }>;

export function bearing(pull: Pull, intent: SaidIntent): Bearing {
  const { utterance, place, quotedIds, createdAt } = intent;
  const proposal = answered(pull, { place, quotedIds, createdAt });
  const ours = (asks: CommandName, quietly = false): Ours => ({ kind: 'ours', asks, proposal, quietly });
  switch (utterance.kind) {
    case 'command': {
      const { name } = utterance.command;
      if (name === 'task') return ours('task');
      return afterPosting(pull, intent, proposal, () => ifRead(pull, utterance, ours(name), ours('help')));
    }
    case 'misfit':
      return ifRead(pull, utterance, ours('help'), ours('help'));
    case 'unknown-command':
      return isForUs(pull, utterance, proposal) ? ours('help') : none('not-ours');
    case 'mention':
      return afterPosting(pull, intent, proposal, () => ours('task'));
    case 'remark':
      if (utterance.toSomebodyElse) return none('between-people');
      if (intent.reviewState !== null && proposal === null) return plainReview(pull, intent, ours);
      return afterPosting(pull, intent, proposal, () => (proposal === null ? none('not-ours') : ours('edit', true)));
  }
}

/** What a review without a command may mean; one that only comments, or quotes something else, is none of our business. */
const PLAIN_REVIEWS = { commented: null, approved: 'approve', changes_requested: 'edit' } as const;

function plainReview(pull: Pull, intent: SaidIntent, ours: (asks: CommandName, quietly: boolean) => Bearing): Bearing {
  const { utterance, reviewState, quotedIds } = intent;
  const asks = PLAIN_REVIEWS[reviewState ?? 'commented'];
  if (asks === null || quotedIds.length > 0 || utterance.kind !== 'remark') return none('not-ours');
  if (asks === 'edit' && (utterance.text === '' || utterance.affirmation)) return none('review-decides-nothing');
  return afterPosting(pull, intent, null, () => {
    const waiting = aimAtAll(pull, asks, { ...intent, inline: [] });
    return activeRun(pull) !== null && waiting.kind === 'these' ? ours(asks, true) : none('not-ours');
  });
}

function none(reason: Reason): Bearing {
  return { kind: 'none', reason };
}

type Commanding = Extract<Utterance, { addressed: boolean }>;

/**
 * Whether a command's line is read as one: behind our name always; else not where there never was a run, so that
 * other bots' commands stay theirs, nor where the repository wants our name before each.
 */
export function reading(pull: Pull, { addressed }: Commanding): 'read' | 'no-run' | 'prefixed' {
  if (addressed) return 'read';
  if (pull.run === null) return 'no-run';
  return pull.run.settings.commands === 'prefixed' ? 'prefixed' : 'read';
}

/** Whether words to us would be read here, were they new. */
export function wouldBeRead(pull: Pull, utterance: Utterance): boolean {
  return 'addressed' in utterance ? reading(pull, utterance) === 'read' : utterance.kind === 'mention';
}

/** Where our name has to stand before a command, one without it gets a hint if it answers a proposal. */
function ifRead(pull: Pull, utterance: Commanding, read: Ours, hinted: Ours): Bearing {
  const how = reading(pull, utterance);
  if (how === 'read') return read;
  if (how === 'no-run') return none('no-run');
  return hinted.proposal === null ? none('not-ours') : hinted;
}

/** Words can arrive before we learn the ids of what we posted: a reply and a verdict then wait for them. */
function afterPosting(pull: Pull, intent: SaidIntent, proposal: Proposal | null, judge: () => Bearing): Bearing {
  const posting = pull.proposals.some(({ state, comment }) => state === 'proposed' && comment === null);
  const mayMeanPosted = intent.place.at === 'thread' || isVerdict(intent.utterance) || intent.reviewState !== null;
  return posting && proposal === null && mayMeanPosted ? { kind: 'wait' } : judge();
}

/** Other bots' commands stay theirs: ours is only what was addressed to us, answers a proposal, or is one letter away. */
function isForUs(
  pull: Pull,
  utterance: Extract<SaidIntent['utterance'], { kind: 'unknown-command' }>,
  proposal: Proposal | null,
): boolean {
  if (utterance.addressed || proposal !== null) return true;
  return utterance.nearest !== null && reading(pull, utterance) === 'read';
}
