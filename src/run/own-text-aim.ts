import { type OwnTextInput, ownPlace } from '../change/own-text.ts';
import type { Placement } from '../change/placement.ts';
import type { SaidIntent } from '../command/intent.ts';
import type { Proposal } from './proposal.ts';
import type { Pull } from './run.ts';
import { answered } from './targets.ts';

/** A reply whose one suggestion block is to stand in place of a proposal's lines. */
export type OwnTextAim = {
  readonly proposal: Proposal;
  readonly placement: Placement;
  readonly lines: readonly string[];
};

/** What a reply with a suggestion block is about; null where it is about nothing that own lines could stand for now. */
export function ownTextAim(pull: Pull, intent: SaidIntent): OwnTextAim | null {
  const { utterance, place } = intent;
  if (utterance.kind !== 'remark' || utterance.toSomebodyElse || place.at === 'review') return null;
  if (utterance.unclosedSuggestion) return null;
  const [lines, ...more] = utterance.suggestions;
  const proposal = answered(pull, intent);
  if (lines === undefined || more.length > 0 || proposal === null || !takesOwnText(proposal)) return null;
  const { change, placement } = proposal;
  return placement === null || ownPlace(change, placement) === null ? null : { proposal, placement, lines };
}

/** Still open, and nobody's own text on its way into the branch: the first one given is made, or denied. */
export function takesOwnText({ origin, state, modified }: Proposal): boolean {
  return origin.kind === 'call' && (state === 'proposed' || (state === 'approved' && modified === null));
}

/** What the change of these lines is made from, beside the very file that the proposal is for. */
export function ownTextOf({ proposal, placement, lines }: OwnTextAim): Omit<OwnTextInput, 'baseText'> {
  const { change, modified } = proposal;
  return { change, proposed: modified?.proposed ?? change, placement, lines };
}
