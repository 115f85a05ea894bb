import type { Placement } from '../change/placement.ts';
import { proposalMarker } from '../render/markers.ts';
import type { PostedComment, Proposal } from '../run/proposal.ts';
import type { PostedProposal } from '../run/signal.ts';
import type { GitHub } from './ports.ts';

/**
 * What an earlier try left on the page, by the markers of our own comments. `intended` says where an open proposal was
 * to stand; of one that is decided meanwhile only the comment matters.
 */
export async function alreadyPosted(
  github: GitHub,
  proposals: readonly Proposal[],
  intended: (proposal: Proposal) => Placement | null,
): Promise<PostedProposal[]> {
  if (proposals.length === 0) return [];
  const found = await github.findByMarker(proposals.map(({ id }) => proposalMarker(id)));
  return proposals.flatMap((proposal) => {
    const comment = found.get(proposalMarker(proposal.id));
    if (comment === undefined) return [];
    return [{ proposalId: proposal.id, placement: placementOf(comment, proposal, intended(proposal)), comment }];
  });
}

/** The place where a comment really is: a review that was refused left its changes one rung lower. */
function placementOf(comment: PostedComment, { change }: Proposal, intended: Placement | null): Placement {
  const { path } = change;
  switch (comment.kind) {
    case 'issue-comment':
      return intended?.kind === 'conversation' ? intended : { kind: 'conversation', path, why: 'not-in-diff' };
    case 'file-comment':
      return intended?.kind === 'file' ? intended : { kind: 'file', path, why: 'not-in-diff' };
    case 'review-comment':
      return intended ?? { kind: 'file', path, why: 'not-in-diff' };
  }
}
