import type { CommandName, SaidIntent } from '../command/intent.ts';
import type { Proposal } from './proposal.ts';
import type { Reason } from './reason.ts';
import { activeRun, type Pull } from './run.ts';
import { answered } from './targets.ts';

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

export function bearing(pull: Pull, intent: SaidIntent): Bearing {
  const { utterance, place, quotedIds, createdAt } = intent;
  const proposal = answered(pull, { place, quotedIds, createdAt });
  const ours = (asks: CommandName, quietly = false): Bearing => ({ kind: 'ours', asks, proposal, quietly });
  switch (utterance.kind) {
    case 'command':
      if (utterance.command.name === 'task') return ours('task');
      return afterPosting(pull, intent, proposal, () => (pull.run === null ? none('no-run') : ours(asksOf(intent))));
    case 'misfit':
      return utterance.command === 'task' || pull.run !== null ? ours('help') : none('no-run');
    case 'unknown-command':
      return isForUs(pull, utterance, proposal) ? ours('help') : none('not-ours');
    case 'mention':
      return afterPosting(pull, intent, proposal, () => ours('task'));
    case 'remark':
      if (utterance.toSomebodyElse) return none('between-people');
      return afterPosting(pull, intent, proposal, () => (proposal === null ? none('not-ours') : ours('edit', true)));
  }
}

function none(reason: Reason): Bearing {
  return { kind: 'none', reason };
}

function asksOf(intent: SaidIntent): CommandName {
  return intent.utterance.kind === 'command' ? intent.utterance.command.name : 'task';
}

/** Words can arrive before we learn the ids of what we posted: a reply and a verdict then wait for them. */
function afterPosting(pull: Pull, intent: SaidIntent, proposal: Proposal | null, judge: () => Bearing): Bearing {
  const posting = activeRun(pull)?.phase.kind === 'posting';
  const mayMeanPosted = intent.place.at === 'thread' || isVerdict(intent);
  return posting && proposal === null && mayMeanPosted ? { kind: 'wait' } : judge();
}

const VERDICTS: ReadonlySet<CommandName> = new Set<CommandName>(['approve', 'deny', 'edit', 'continue']);

function isVerdict(intent: SaidIntent): boolean {
  return intent.utterance.kind === 'command' && VERDICTS.has(intent.utterance.command.name);
}

/** Other bots' commands stay theirs: ours is only what was addressed to us, answers a proposal, or is one letter away. */
function isForUs(
  pull: Pull,
  utterance: Extract<SaidIntent['utterance'], { kind: 'unknown-command' }>,
  proposal: Proposal | null,
): boolean {
  if (utterance.addressed || proposal !== null) return true;
  return pull.run !== null && utterance.nearest !== null;
}
