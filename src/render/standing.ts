import { type RenderedProposal, renderProposal, renderUnshown } from './proposal.ts';
import type { ProposalView } from './proposal-view.ts';
import { saysExactly } from './shows-exactly.ts';

/**
 * The comments of a proposal that stand already, as its state has it now. An open one is read back like before it was first
 * posted: where it would say anything else than what is stored, it holds neither block nor command.
 */
export function renderStanding(view: ProposalView): RenderedProposal {
  const rendered = renderProposal(view);
  const { proposal, placement } = view;
  const isFit = proposal.state !== 'proposed' || saysExactly(rendered, { change: proposal.change, placement });
  return isFit ? rendered : renderUnshown(view);
}
