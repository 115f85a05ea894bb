import type { Placement } from '../change/placement.ts';
import type { Proposal } from '../run/proposal.ts';
import type { Ground, Page } from './draft-page.ts';
import type { WorkOut } from './work-out.ts';

/** An open proposal with the place and the comments it gets on the page. */
export type Draft = Page & { readonly proposal: Proposal };

/** The proposal on the highest rung of the ladder that shows it exactly; null where none does. */
export async function draftProposal(workOut: WorkOut, proposal: Proposal, ground: Ground): Promise<Draft | null> {
  const page = await workOut('pageOf', { proposal, ground });
  return page === null ? null : { proposal, ...page };
}

/** The proposal in this place; null where its comments would not show exactly what is stored. */
export async function draftAt(
  workOut: WorkOut,
  proposal: Proposal,
  placement: Placement,
  ground: Ground,
): Promise<Draft | null> {
  const page = await workOut('pageAt', { proposal, placement, ground });
  return page === null ? null : { proposal, ...page };
}
