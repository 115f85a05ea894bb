import type { RepoLinks } from '../../lib/format.ts';
import { onlyMember } from '../edits/change.ts';
import { choosePlacement, type Placement } from '../edits/placement.ts';
import type { Proposal } from '../state/proposal.ts';
import type { PullRequestFile } from '../step/ports.ts';
import { type RenderedProposal, renderOpenProposal } from './proposal/proposal-comment.ts';
import { proposalRoundTrips } from './proposal/read-back.ts';
import type { RunDetails } from './run-warnings.ts';

/**
 * The surroundings of a proposal: the warnings of its run, the texts of its members' files at the head (empty if there
 * is none), the path to post it on, and the entry of that path in the pull request's diff.
 */
export type DraftContext = {
  readonly runDetails: RunDetails;
  readonly links: RepoLinks;
  readonly memberTexts: readonly string[];
  readonly file: PullRequestFile | undefined;
  readonly path: string;
};

/** The placement of a proposal and its page there. */
export type PlacedComments = { readonly placement: Placement; readonly comments: RenderedProposal };

/**
 * Drafts the page at the best placement. Returns null if no placement shows exactly the stored change when the page is
 * read back: people must never approve a change that they cannot see.
 */
export function draftComments(proposal: Proposal, context: DraftContext): PlacedComments | null {
  const { memberTexts, file, path } = context;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  const [baseText = ''] = memberTexts;
  const only = onlyMember(proposal.change);
  const placement: Placement =
    only === null
      ? { kind: inPullRequest ? 'file' : 'conversation', path }
      : choosePlacement({ change: only, baseText, patch: file?.patch ?? null, inPullRequest });
  const drafted = draftCommentsAt(proposal, placement, context);
  if (drafted !== null || placement.kind !== 'suggestion') return drafted;
  return draftCommentsAt(proposal, { kind: 'file', path: placement.path }, context);
}

/** Drafts the page at this placement; null if it would not show exactly the stored change. */
export function draftCommentsAt(
  proposal: Proposal,
  placement: Placement,
  { runDetails, links, memberTexts }: DraftContext,
): PlacedComments | null {
  const comments = renderOpenProposal({ proposal, placement, ...runDetails, links, replacedByUrl: null });
  const expected = { change: proposal.change, placement, memberTexts };
  return comments === null || !proposalRoundTrips(comments, expected) ? null : { placement, comments };
}
