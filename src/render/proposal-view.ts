import type { Placement } from '../change/placement.ts';
import { lineOf } from '../change/region.ts';
import type { Proposal } from '../run/proposal.ts';
import { codeSpan } from './markdown.ts';
import { type PayloadView, viewPayload } from './payload-view.ts';
import type { VerdictContext } from './verdict.ts';
import { sha7 } from './words.ts';

/** Everything that a proposal's comment shows. */
export type ProposalView = VerdictContext & {
  readonly proposal: Proposal;
  /** Where it is to stand, or stands: decides how the change and the commands are shown. */
  readonly placement: Placement;
  /** Further sentences of warning, plain text: about the run, its branch and its rules. */
  readonly warnings: readonly string[];
  /** Whether `/approve` would make it, or only people can. */
  readonly writable: boolean;
};

/** What the proposal's payload comes to, at the line where its change stands now. */
export function payloadOf({ change, movedTo }: Proposal): PayloadView {
  const line = movedTo ?? (change.region === null ? null : lineOf(change.region));
  return viewPayload(change.payload, { line, places: change.places });
}

/** What would happen, to which file. */
export function titleLine(proposal: Proposal): string {
  const { verb, extent } = payloadOf(proposal);
  const { from, path } = proposal.change;
  const source = from === null ? '' : `${codeSpan(from)} to `;
  return `**${verb}** ${source}${codeSpan(path)}${extent === null ? '' : ` (${extent})`}`;
}

/** The line by which a quote of the comment is known for the proposal's. */
export function idLine({ id, index, total, change, head }: Proposal): string {
  const digest = codeSpan(change.digest.slice(0, 12));
  return `Change ${index} of ${total} · ${codeSpan(id)} · digest ${digest} · head ${codeSpan(sha7(head))}`;
}
