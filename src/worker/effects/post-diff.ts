import type { NoSuggestionReason, Placement } from '../../core/edits/placement.ts';
import type { GitHub } from '../../core/state/ports.ts';
import type { PostedComment, Proposal } from '../../core/state/proposal.ts';
import { isPermanent, type PullContext } from '../jobs/job.ts';
import type { DraftContext, Offload, PlacedComments } from '../offload/offload.ts';

/** A pending proposal with its placement and rendered comments. */
export type ProposalDraft = PlacedComments & { readonly proposal: Proposal };

/** Drafts the proposal at the best placement that shows it exactly; null if there is none. */
export async function draftProposal(
  offload: Offload,
  proposal: Proposal,
  context: DraftContext,
): Promise<ProposalDraft | null> {
  const drafted = await offload('draftComments', { proposal, context });
  return drafted === null ? null : { proposal, ...drafted };
}

/** Drafts the proposal at this placement; null if its comments would not show exactly the stored change. */
export async function draftProposalAt(
  offload: Offload,
  proposal: Proposal,
  placement: Placement,
  context: DraftContext,
): Promise<ProposalDraft | null> {
  const drafted = await offload('draftCommentsAt', { proposal, placement, context });
  return drafted === null ? null : { proposal, ...drafted };
}

type PostedDraft = ProposalDraft & { readonly comment: PostedComment };

/**
 * Posts the first part of an exact diff as a comment on the file, or on the pull request if GitHub refuses that.
 * Returns null if the diff cannot be shown there.
 */
export async function postDiff(
  { github, offload }: PullContext,
  draft: ProposalDraft,
  context: DraftContext,
): Promise<PostedDraft | null> {
  const { proposal, placement } = draft;
  const { path } = placement;
  const onFile = await draftOnFile(offload, draft, context);
  const comment = onFile === null ? null : await tryFileComment(github, proposal.headSha, path, onFile.comments.body);
  if (onFile !== null && comment !== null) return { ...onFile, comment };
  const conversation = { kind: 'conversation', path, reason: reasonNotSuggested(placement) } as const;
  const inConversation =
    placement.kind === 'conversation' ? draft : await draftProposalAt(offload, proposal, conversation, context);
  if (inConversation === null) return null;
  return { ...inConversation, comment: await github.createComment(inConversation.comments.body) };
}

/** Reuses a draft that is already for a file, because rendering and reading back are slow. */
async function draftOnFile(
  offload: Offload,
  draft: ProposalDraft,
  context: DraftContext,
): Promise<ProposalDraft | null> {
  const { proposal, placement } = draft;
  if (placement.kind === 'conversation') return null;
  if (placement.kind === 'file') return draft;
  const onFile = { kind: 'file', path: placement.path, reason: reasonNotSuggested(placement) } as const;
  return draftProposalAt(offload, proposal, onFile, context);
}

/** Returns null if GitHub refuses the comment, because the pull request does not change the file. */
async function tryFileComment(github: GitHub, head: string, path: string, body: string): Promise<PostedComment | null> {
  try {
    return await github.createFileComment(head, path, body);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    return null;
  }
}

/**
 * Why a proposal is posted as a diff. A suggestion that was refused by GitHub has a line outside the pull request's
 * diff.
 */
function reasonNotSuggested(placement: Placement): NoSuggestionReason {
  return placement.kind === 'suggestion' ? 'not-in-diff' : placement.reason;
}
