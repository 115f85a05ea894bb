import { mainPath } from '../../core/edits/change.ts';
import type { Placement } from '../../core/edits/placement.ts';
import type { DraftContext, PlacedComments } from '../../core/messages/draft-comments.ts';
import { draftComments, draftCommentsAt } from '../../core/messages/draft-comments.ts';
import { proposalMarker } from '../../core/messages/shared/markdown.ts';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { FoundComment, GitHub } from '../../core/step/ports.ts';
import type { PostedProposal } from '../../core/step/signals.ts';
import type { PullContext } from '../jobs/job.ts';
import { isPermanent } from '../jobs/retries.ts';

/** A pending proposal with its placement and rendered comments. */
export type ProposalDraft = PlacedComments & { readonly proposal: Proposal };

/** Drafts the proposal at the best placement that shows it exactly; null if there is none. */
export async function draftProposal(proposal: Proposal, context: DraftContext): Promise<ProposalDraft | null> {
  const drafted = draftComments({ proposal, context });
  return drafted === null ? null : { proposal, ...drafted };
}

/** Drafts the proposal at this placement; null if its comments would not show exactly the stored change. */
async function draftProposalAt(
  proposal: Proposal,
  placement: Placement,
  context: DraftContext,
): Promise<ProposalDraft | null> {
  const drafted = draftCommentsAt({ proposal, placement, context });
  return drafted === null ? null : { proposal, ...drafted };
}

type PostedDraft = ProposalDraft & { readonly comment: PostedComment };

/**
 * Posts an exact diff as a comment on the file, or on the pull request if GitHub refuses that.
 * Returns null if the diff cannot be shown there.
 */
export async function postDiff(
  { github }: PullContext,
  draft: ProposalDraft,
  context: DraftContext,
): Promise<PostedDraft | null> {
  const { proposal, placement } = draft;
  const { path } = placement;
  const onFile = await draftOnFile(draft, context);
  const comment = onFile === null ? null : await tryFileComment(github, proposal.headSha, path, onFile.comments.body);
  if (onFile !== null && comment !== null) return { ...onFile, comment };
  const conversation = { kind: 'conversation', path } as const;
  const inConversation =
    placement.kind === 'conversation' ? draft : await draftProposalAt(proposal, conversation, context);
  if (inConversation === null) return null;
  return { ...inConversation, comment: await github.createComment(inConversation.comments.body) };
}

/** Reuses a draft that is already for a file, because rendering and reading back are slow. */
async function draftOnFile(draft: ProposalDraft, context: DraftContext): Promise<ProposalDraft | null> {
  const { proposal, placement } = draft;
  if (placement.kind === 'conversation') return null;
  if (placement.kind === 'file') return draft;
  const onFile = { kind: 'file', path: placement.path } as const;
  return draftProposalAt(proposal, onFile, context);
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

/** Comments of the App that exist on GitHub, by marker. */
export type FoundComments = ReadonlyMap<string, FoundComment>;

type CommentSearch = { readonly github: Pick<GitHub, 'findCommentsByMarker'> };

/** Finds all comments of these proposals, created since `since` (ISO 8601; null if unknown). */
export async function findPostedComments(
  { github }: CommentSearch,
  proposals: readonly Proposal[],
  since: string | null,
): Promise<FoundComments> {
  const markers = proposals.map(({ id }) => proposalMarker(id));
  return markers.length === 0 ? new Map() : github.findCommentsByMarker(markers, since);
}

/** Whether the page of the proposal exists. */
export function isPosted(found: FoundComments, { id }: Proposal): boolean {
  return found.has(proposalMarker(id));
}

/**
 * Adopts the comments of an earlier attempt, wherever they are. An edited page of a pending proposal is restored;
 * that of a decided one is only reported. Returns null if there are none.
 */
export async function adoptPostedComments(
  { github }: PullContext,
  proposal: Proposal,
  found: FoundComments,
  open: { readonly draft: ProposalDraft | null; readonly draftContext: DraftContext } | null,
): Promise<PostedProposal | null> {
  const existing = found.get(proposalMarker(proposal.id));
  if (existing === undefined) return null;
  const proposalId = proposal.id;
  const placement = actualPlacement(existing, proposal, open?.draft?.placement ?? null);
  const draft = open === null ? null : await draftProposalAt(proposal, placement, open.draftContext);
  if (draft === null) return { proposalId, placement, comment: withoutBody(existing) };
  const comment = await rewriteComment(github, existing, draft.comments.body);
  return { proposalId, placement, comment };
}

/** The real placement of a comment: it differs from the intended one if GitHub refused the review. */
function actualPlacement(comment: PostedComment, { change }: Proposal, intended: Placement | null): Placement {
  const path = intended?.path ?? mainPath(change);
  if (comment.kind === 'issue-comment') return { kind: 'conversation', path };
  return comment.kind === 'review-comment' && intended !== null ? intended : { kind: 'file', path };
}

function withoutBody({ body: _, ...comment }: FoundComment): PostedComment {
  return comment;
}

/** Restores the body of a comment if someone edited it. No decision depends on the edit yet. */
async function rewriteComment(
  github: GitHub,
  { body: currentBody, ...comment }: FoundComment,
  body: string,
): Promise<PostedComment> {
  if (currentBody === body) return comment;
  const { bodyHash } = await github.updateComment(comment, body);
  return { ...comment, bodyHash };
}
