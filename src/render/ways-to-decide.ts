import type { Change } from '../change/change.ts';
import { type OwnPlace, ownPlace } from '../change/own-text.ts';
import type { NoSuggestion, Placement } from '../change/placement.ts';
import { codeSpan } from './markdown.ts';
import type { ProposalView } from './proposal-view.ts';

/** Every way to decide, literally. In the conversation a command needs the id, in a thread it stands for itself. */
export function waysToDecide({ placement, proposal, writable }: ProposalView): string {
  const id = placement.kind === 'conversation' ? ` ${proposal.id}` : '';
  const isUndo = proposal.origin.kind === 'undo';
  const otherwise =
    placement.kind === 'conversation'
      ? `${codeSpan(`/edit ${proposal.id} <instruction>`)}, or a reply that quotes this comment`
      : 'any other reply in this thread';
  const rows = [
    ...(writable ? [`- ${codeSpan(`/approve${id}`)} – apply exactly this change`] : []),
    ...(isUndo || !writable ? [] : ownLines(proposal.change, placement)),
    `- ${codeSpan(`/deny${id} [reason]`)} – leave the file as it is`,
    ...(isUndo ? [] : [`- ${otherwise} – say what should be done differently`]),
  ];
  const button = `- GitHub’s **Commit suggestion** button – apply it yourself; ${proposal.requiredApprovals < 2 ? 'it counts as your approval' : 'it counts as your approval, not as everybody’s'}`;
  return [
    'Nothing is changed until somebody decides:',
    '',
    ...rows,
    ...(placement.kind === 'suggestion' ? [button] : writable ? [] : [BY_HAND]),
  ].join('\n');
}

/** Where nothing is written to the branch and GitHub has no button. */
const BY_HAND = '- a push of exactly this change, applied by hand – it is recognised by its content';

/** What a person's own lines would stand in place of. */
function ownLines(change: Change, placement: Placement): readonly string[] {
  const place = ownPlace(change, placement);
  if (place === null) return [];
  const how = placement.kind === 'conversation' ? ' that quotes this comment' : '';
  return [
    `- a reply${how} with one ${codeSpan('suggestion')} block – apply those lines instead${ofLines(change, place)}`,
  ];
}

function ofLines(change: Change, { index, count: lines }: OwnPlace): string {
  if (change.base === null) return ' of this content';
  if (lines === 0) return index === 0 ? ', above line 1' : `, below line ${index}`;
  return lines === 1 ? ` of line ${index + 1}` : ` of lines ${index + 1} to ${index + lines}`;
}

/** Why GitHub's own button is not offered, so that nobody looks for it. */
const NO_BUTTON = {
  deletes: 'a suggestion cannot delete a file',
  moves: 'a suggestion cannot move a file',
  'no-text': 'the file is not text',
  'several-places': 'it changes several places',
  'carriage-return': 'these lines end with CR LF, which a suggestion cannot keep',
  'hidden-character': 'these lines hold characters that cannot be seen',
  'look-alike': 'it adds characters that look like others',
  'too-long': 'it is too long for a suggestion',
  'not-in-diff': 'these lines are not part of this pull request’s diff',
  'not-expressible': 'a suggestion cannot say exactly this change',
  outdated: 'a push has put this thread out of date',
} as const satisfies Record<NoSuggestion, string>;

/** Why there is no commit button; null where there is one. */
export function noButton({ placement, proposal }: ProposalView): string | null {
  if (placement.kind === 'suggestion') return null;
  const why = proposal.change.base === null ? 'the file is new' : NO_BUTTON[placement.why];
  return `Shown without a commit button, because ${why}.`;
}
