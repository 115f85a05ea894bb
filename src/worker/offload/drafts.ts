import { choosePlacement, type Placement } from '../../core/edits/placement.ts';
import { type RenderedProposal, renderOpenProposal } from '../../core/messages/proposal-comment.ts';
import type { ProposalView } from '../../core/messages/proposal-status.ts';
import { proposalRoundTrips } from '../../core/messages/read-back.ts';
import type { PullRequestFile } from '../../core/state/ports.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { RepoLinks } from '../../lib/format.ts';

/**
 * The surroundings of a proposal: the warnings of its run, the text of its file at the head (empty if there is none),
 * and the entry of that file in the pull request's diff.
 */
export type DraftContext = {
  readonly runDetails: Pick<ProposalView, 'warnings' | 'writable' | 'decideIn'>;
  readonly links: RepoLinks;
  readonly baseText: string;
  readonly file: PullRequestFile | undefined;
};

/** A proposal to draft at the best placement. */
export type DraftInput = { readonly proposal: Proposal; readonly context: DraftContext };

/** A proposal to draft at this placement. */
export type PlacedDraftInput = DraftInput & { readonly placement: Placement };

/** The placement of a proposal and its comments there. */
export type PlacedComments = { readonly placement: Placement; readonly comments: RenderedProposal };

/**
 * Drafts the comments at the best placement. Returns null if no placement shows exactly the stored change when the
 * comments are read back: people must never approve a change that they cannot see.
 */
export function draftComments({ proposal, context }: DraftInput): PlacedComments | null {
  const { change } = proposal;
  const { baseText, file } = context;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  const placement = choosePlacement({ change, baseText, patch: file?.patch ?? null, inPullRequest });
  const drafted = draftCommentsAt({ proposal, context, placement });
  if (drafted !== null || placement.kind !== 'suggestion') return drafted;
  const { path } = placement;
  return draftCommentsAt({ proposal, context, placement: { kind: 'file', path, reason: 'not-expressible' } });
}

/** Drafts the comments at this placement; null if they would not show exactly the stored change. */
export function draftCommentsAt({
  proposal,
  placement,
  context: { runDetails, links, baseText },
}: PlacedDraftInput): PlacedComments | null {
  const comments = renderOpenProposal({ proposal, placement, ...runDetails, links, replacedByUrl: null });
  if (comments === null || !proposalRoundTrips(comments, { change: proposal.change, placement, baseText })) return null;
  return { placement, comments };
}
