import { COMMAND_LIST } from '../../core/commands/all-commands.ts';
import { choosePlacement, type NoSuggestionReason, type Placement } from '../../core/edits/placement.ts';
import { type RenderedProposal, renderOpenProposal } from '../../core/messages/proposal-comment.ts';
import type { ProposalView } from '../../core/messages/proposal-status.ts';
import { proposalRoundTrips } from '../../core/messages/read-back.ts';
import { renderReply, renderReplyContinuations } from '../../core/messages/replies.ts';
import type { PullRequestFile } from '../../core/state/ports.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { Reply } from '../../core/state/replies.ts';
import type { RepoLinks } from '../../lib/format.ts';

export type ReplyToRender = { readonly reply: Reply; readonly links: RepoLinks };

/** Renders a reply as comment bodies, in order. Most replies need one. */
export function renderReplyPages({ reply, links }: ReplyToRender): readonly string[] {
  return [renderReply(reply, { links, commands: COMMAND_LIST }), ...renderReplyContinuations(reply)];
}

/**
 * The surroundings of a proposal: the warnings of its run, the text of its file at the head (empty if there is none),
 * and the entry of that file in the pull request's diff.
 */
export type DraftContext = {
  readonly runDetails: Pick<ProposalView, 'warnings' | 'writable'>;
  readonly links: RepoLinks;
  readonly baseText: string;
  readonly file: PullRequestFile | undefined;
};

/** A proposal without a placement. */
export type ProposalToDraft = { readonly proposal: Proposal; readonly context: DraftContext };

/** A proposal with a fixed placement. */
export type ProposalToPlace = ProposalToDraft & { readonly placement: Placement };

/** The placement of a proposal and its comments there. */
export type DraftedComments = { readonly placement: Placement; readonly comments: RenderedProposal };

/**
 * Drafts the comments at the best placement. Returns null if no placement shows exactly the stored change when the
 * comments are read back: people must never approve a change that they cannot see.
 */
export function draftComments({ proposal, context }: ProposalToDraft): DraftedComments | null {
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
}: ProposalToPlace): DraftedComments | null {
  const comments = renderOpenProposal({ proposal, placement, ...runDetails, links, replacedByUrl: null });
  if (comments === null || !proposalRoundTrips(comments, { change: proposal.change, placement, baseText })) return null;
  return { placement, comments };
}

/**
 * Why a proposal is posted as a diff. A suggestion that was refused by GitHub has a line outside the pull request's
 * diff.
 */
export function reasonNotSuggested(placement: Placement): NoSuggestionReason {
  return placement.kind === 'suggestion' ? 'not-in-diff' : placement.reason;
}
