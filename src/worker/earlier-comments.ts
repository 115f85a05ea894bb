import type { Placement } from '../change/placement.ts';
import { partMarker, proposalMarker } from '../render/markers.ts';
import type { PostedComment, Proposal } from '../run/proposal.ts';
import type { PostedProposal } from '../run/signal.ts';
import type { Ground } from './draft-page.ts';
import { type Draft, draftAt } from './draft-proposal.ts';
import type { FoundComment, GitHub } from './ports.ts';
import { type Found, postParts, type Site, writeAnew } from './post-diff.ts';
import type { WorkOut } from './work-out.ts';

/** Where comments are looked for. */
type Sought = { readonly github: Pick<GitHub, 'findByMarker'>; readonly workOut: WorkOut };

/** Looks for every comment of these proposals, those of their parts included; none stood before `since` (null: not known). */
export async function findEarlier(
  { github, workOut }: Sought,
  proposals: readonly Proposal[],
  since: string | null,
): Promise<Found> {
  const markers: string[] = [];
  for (const proposal of proposals) markers.push(...(await markersOf(workOut, proposal)));
  return markers.length === 0 ? new Map() : github.findByMarker(markers, since);
}

async function markersOf(workOut: WorkOut, proposal: Proposal): Promise<readonly string[]> {
  const { id } = proposal;
  const parts = await workOut('countParts', proposal);
  const further = Array.from({ length: Math.max(0, parts - 1) }, (_, index) => partMarker(id, index + 2, parts));
  return [proposalMarker(id), ...further];
}

/** Whether the proposal's own comment stands already. */
export function standsIn(found: Found, { id }: Proposal): boolean {
  return found.has(proposalMarker(id));
}

/**
 * Takes what stands for the proposal's, wherever it was put: what somebody changed in it meanwhile is written anew, and
 * parts that are missing are added. Of one that nobody decides on any more only its being there is told. Null where
 * nothing of it stands.
 */
export async function takeOver(
  { github, workOut }: Site,
  proposal: Proposal,
  found: Found,
  open: { readonly draft: Draft | null; readonly ground: Ground } | null,
): Promise<PostedProposal | null> {
  const own = found.get(proposalMarker(proposal.id));
  if (own === undefined) return null;
  const placement = placementOf(own, proposal, open?.draft?.placement ?? null);
  const draft = open === null ? null : await draftAt(workOut, proposal, placement, open.ground);
  const proposalId = proposal.id;
  if (draft === null)
    return { proposalId, placement, comment: plain(own), parts: await partsIn(workOut, found, proposal) };
  const comment = await writeAnew(github, own, draft.comments.body);
  const parts = await postParts(github, comment, draft.comments.parts, found);
  return { proposalId, placement, comment, parts };
}

async function partsIn(workOut: WorkOut, found: Found, proposal: Proposal): Promise<readonly PostedComment[]> {
  const [, ...further] = await markersOf(workOut, proposal);
  return further.flatMap((marker) => found.get(marker) ?? []).map(plain);
}

function plain({ body: _, ...comment }: FoundComment): PostedComment {
  return comment;
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
