import { type Proposal, shownChange } from '../run/proposal.ts';
import { renderPart } from './diff-blocks.ts';
import { type DiffPart, diffParts } from './diff-parts.ts';
import { type DiffView, viewDiff } from './diff-view.ts';
import { blocks } from './markdown.ts';
import { partMarker } from './markers.ts';
import { idLine, payloadOf, titleLine } from './proposal-view.ts';

/** Said in the proposal's own comment where its diff goes on; empty for one that does not. */
export function firstOf(parts: number): string {
  if (parts < 2) return '';
  return `**Part 1 of ${parts}.** The diff goes on in ${parts === 2 ? 'part 2' : `parts 2 to ${parts}`}, right below. Read all of them before you decide.`;
}

/** How many comments show what the proposal's diff changes; 1 for one without a diff. */
export function countParts(proposal: Proposal): number {
  const { diff } = payloadOf({ ...proposal, change: shownChange(proposal) });
  return diff === null ? 1 : (diffParts(viewDiff(diff))?.length ?? 1);
}

/** The comments in which the diff goes on after its first part. Quoting one counts as quoting the proposal. */
export function furtherParts(proposal: Proposal, diff: DiffView, parts: readonly DiffPart[]): readonly string[] {
  return parts.slice(1).map((part, index) => {
    const number = index + 2;
    return blocks(
      partMarker(proposal.id, number, parts.length),
      `${titleLine(proposal)}\n${idLine(proposal)}`,
      `**Part ${number} of ${parts.length}.** ${number < parts.length ? 'The diff goes on below.' : 'The diff ends here.'}`,
      renderPart(diff, part, proposal.state === 'proposed'),
    );
  });
}
