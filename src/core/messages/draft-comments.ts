import type { RepoLinks } from '../../lib/format.ts';
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

/** A proposal to draft at the best placement. */
type DraftInput = { readonly proposal: Proposal; readonly context: DraftContext };

/** A proposal to draft at this placement. */
type PlacedDraftInput = DraftInput & { readonly placement: Placement };

/** The placement of a proposal and its comments there. */
export type PlacedComments = { readonly placement: Placement; readonly comments: RenderedProposal };

/**
 * Drafts the comments at the best placement. Returns null if no placement shows exactly the stored change when the
 * comments are read back: people must never approve a change that they cannot see.
 */
export function draftComments({ proposal, context }: DraftInput): PlacedComments | null {
  const { change } = proposal;
  const { memberTexts, file, path: postedOn } = context;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  if (change.op === 'set') {
    const placement = { kind: inPullRequest ? 'file' : 'conversation', path: postedOn } as const;
    return draftCommentsAt({ proposal, context, placement });
  }
  const [baseText = ''] = memberTexts;
  const placement = choosePlacement({ change, baseText, patch: file?.patch ?? null, inPullRequest });
  const drafted = draftCommentsAt({ proposal, context, placement });
  if (drafted !== null || placement.kind !== 'suggestion') return drafted;
  const { path } = placement;
  return draftCommentsAt({ proposal, context, placement: { kind: 'file', path } });
}

/** Drafts the comments at this placement; null if they would not show exactly the stored change. */
export function draftCommentsAt({
  proposal,
  placement,
  context: { runDetails, links, memberTexts },
}: PlacedDraftInput): PlacedComments | null {
  const comments = renderOpenProposal({ proposal, placement, ...runDetails, links, replacedByUrl: null });
  const { change } = proposal;
  const expected = { change, placement, memberTexts };
  if (comments === null || !proposalRoundTrips(comments, expected)) return null;
  return { placement, comments };
}
