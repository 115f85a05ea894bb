import type { PostedComment } from '../run/proposal.ts';
import { isLasting } from './backoff.ts';
import { type Ground, whyNot } from './draft-page.ts';
import { type Draft, draftAt } from './draft-proposal.ts';
import type { FoundComment, GitHub } from './ports.ts';
import type { WorkOut } from './work-out.ts';

/** Where drafts are posted, and what makes them anew for another place. */
export type Site = { readonly github: GitHub; readonly workOut: WorkOut };

/** A draft in the place where it was put, with the comment that it has there. */
export type PostedDraft = Draft & { readonly comment: PostedComment };

/**
 * The first part of an exact diff in a comment of its file, or, where GitHub has no such place, in the conversation. Null
 * where it cannot be shown there.
 */
export async function postDiff({ github, workOut }: Site, draft: Draft, ground: Ground): Promise<PostedDraft | null> {
  const { proposal, placement } = draft;
  const { path } = placement;
  const onFile = await draftOnFile(workOut, draft, ground);
  const comment = onFile === null ? null : await fileComment(github, proposal.head, path, onFile.comments.body);
  if (onFile !== null && comment !== null) return { ...onFile, comment };
  const last =
    placement.kind === 'conversation'
      ? draft
      : await draftAt(workOut, proposal, { kind: 'conversation', path, why: whyNot(placement) }, ground);
  return last === null ? null : { ...last, comment: await github.createComment(last.comments.body) };
}

/** A draft is rendered and read back once: one that is made for this place is taken as it is. */
async function draftOnFile(workOut: WorkOut, draft: Draft, ground: Ground): Promise<Draft | null> {
  const { proposal, placement } = draft;
  switch (placement.kind) {
    case 'conversation':
      return null;
    case 'file':
      return draft;
    case 'suggestion':
      return draftAt(workOut, proposal, { kind: 'file', path: placement.path, why: whyNot(placement) }, ground);
  }
}

async function fileComment(github: GitHub, head: string, path: string, body: string): Promise<PostedComment | null> {
  try {
    return await github.createFileComment(head, path, body);
  } catch (error) {
    if (!isLasting(error)) throw error;
    return null;
  }
}

/** Comments of ours that stand on the page already, by their markers. */
export type Found = ReadonlyMap<string, FoundComment>;

/** The further parts below the first: what stands already is taken, what is missing is added, in order. */
export async function postParts(
  github: GitHub,
  first: PostedComment,
  bodies: readonly string[],
  found: Found,
): Promise<readonly PostedComment[]> {
  const parts: PostedComment[] = [];
  for (const body of bodies) {
    const standing = found.get(body.split('\n', 1)[0] ?? '');
    parts.push(await (standing === undefined ? postBelow(github, first, body) : writeAnew(github, standing, body)));
  }
  return parts;
}

function postBelow(github: GitHub, first: PostedComment, body: string): Promise<PostedComment> {
  return first.kind === 'issue-comment' ? github.createComment(body) : github.reply(first.id, body);
}

/** A comment that was found, showing what it must: whoever changed it did so before anybody could decide by it. */
export async function writeAnew(
  github: GitHub,
  { body: stands, ...comment }: FoundComment,
  body: string,
): Promise<PostedComment> {
  if (stands === body) return comment;
  const { bodyHash } = await github.updateComment(comment, body);
  return { ...comment, bodyHash };
}
