import type { Change } from '../change/change.ts';
import { type OwnPlace, ownPlace } from '../change/own-text.ts';
import type { NoSuggestion, Placement } from '../change/placement.ts';
import { lineOf } from '../change/region.ts';
import { type Proposal, shownChange } from '../run/proposal.ts';
import { type DiffView, renderDiff, renderFoldedDiff, renderOpenDiff, viewDiff } from './diff-view.ts';
import { BODY_LIMIT, blocks, byteLength, codeSpan, escapeText, fence, link, modelWords } from './markdown.ts';
import { proposalMarker } from './markers.ts';
import { approverNames, loginText, type VerdictContext, verdict } from './verdict.ts';
import { count, fileLink, listOf, people, sha7 } from './words.ts';

/** Everything that a proposal's comment shows. */
export type ProposalView = VerdictContext & {
  readonly proposal: Proposal;
  /** Where it is to stand, or stands: decides how the change and the commands are shown. */
  readonly placement: Placement;
  /** Further sentences of warning, plain text: a protected path, a file that runs. */
  readonly warnings: readonly string[];
};

/** A comment's Markdown. */
export type RenderedProposal = { readonly body: string };

/** The model's reason is at most this long by its tool's schema; nothing longer is shown either. */
const REASON_CAP = 300;

/** Kept free in an open proposal's comment for what is said in it once it is decided. */
const ROOM_FOR_VERDICT = 4_000;

const OPERATIONS = { edit: 'Edit', write: 'Write', delete: 'Delete', move: 'Move' } as const satisfies Record<
  Change['op'],
  string
>;

function extent({ change, movedTo }: Proposal): string {
  const { payload, region } = change;
  if (payload.type === 'write') {
    return ` (${count(payload.content_lines, 'line')}${payload.file_exists ? '' : ', new file'})`;
  }
  if (payload.type !== 'edit') return '';
  const line = movedTo ?? (region === null ? payload.match_line : lineOf(region));
  return change.places > 1 ? ` (${change.places} places, the first at line ${line})` : ` (line ${line})`;
}

function titleLine(proposal: Proposal): string {
  const { change } = proposal;
  const from = change.from === null ? '' : `${codeSpan(change.from)} to `;
  return `**${OPERATIONS[change.op]}** ${from}${codeSpan(change.path)}${extent(proposal)}`;
}

function idLine({ proposal }: ProposalView): string {
  const { id, index, total, change, head } = proposal;
  const digest = codeSpan(change.digest.slice(0, 12));
  return `Change ${index} of ${total} · ${codeSpan(id)} · digest ${digest} · head ${codeSpan(sha7(head))}`;
}

function overwriteWarning({ payload }: Change): string | null {
  if (payload.type !== 'write' || !payload.file_exists || payload.existing_lines === null) return null;
  const lines = (amount: number): string => `${amount} line${amount === 1 ? '' : 's'}`;
  return `⚠️ This will overwrite existing file (was ${lines(payload.existing_lines)}, now ${lines(payload.content_lines)})`;
}

function warningLines(view: ProposalView, diff: DiffView | null): string {
  const texts = [...view.warnings, ...(diff?.warnings ?? [])].map((text) => `⚠️ ${escapeText(text)}`);
  return blocks(overwriteWarning(view.proposal.change), ...texts);
}

/** The file's page at the head the change was made for; a new file has none there. */
function wholeFile({ proposal, links }: ProposalView): string | null {
  const { change, head } = proposal;
  if (change.base === null) return null;
  const { region } = change;
  const lines =
    region === null || region.old.length === 0
      ? null
      : { first: region.oldStart, last: region.oldStart + region.old.length - 1 };
  return link(`The whole file at ${codeSpan(sha7(head))}`, fileLink(links, head, change.from ?? change.path, lines));
}

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

/** Every way to decide, literally. In the conversation a command needs the id, in a thread it stands for itself. */
function commands({ placement, proposal }: ProposalView): string {
  const id = placement.kind === 'conversation' ? ` ${proposal.id}` : '';
  const otherwise =
    placement.kind === 'conversation'
      ? `${codeSpan(`/edit ${proposal.id} <instruction>`)}, or a reply that quotes this comment`
      : 'any other reply in this thread';
  const rows = [
    `- ${codeSpan(`/approve${id}`)} – apply exactly this change`,
    ...ownLines(proposal.change, placement),
    `- ${codeSpan(`/deny${id} [reason]`)} – leave the file as it is`,
    `- ${otherwise} – say what should be done differently`,
  ];
  const button = `- GitHub’s **Commit suggestion** button – apply it yourself; ${proposal.requiredApprovals < 2 ? 'it counts as your approval' : 'it counts as your approval, not as everybody’s'}`;
  return [
    'Nothing is changed until somebody decides:',
    '',
    ...rows,
    ...(placement.kind === 'suggestion' ? [button] : []),
  ].join('\n');
}

function diffOf(change: Change): DiffView | null {
  return 'unified_diff' in change.payload ? viewDiff(change.payload.unified_diff) : null;
}

/** Why GitHub's own button is not offered, so that nobody looks for it. */
const NO_BUTTON = {
  'no-text': 'the file is not text',
  'several-places': 'it changes several places',
  'carriage-return': 'these lines end with CR LF, which a suggestion cannot keep',
  'hidden-character': 'it adds characters that cannot be seen',
  'too-long': 'it is too long for a suggestion',
  'not-in-diff': 'these lines are not part of this pull request’s diff',
  'not-expressible': 'a suggestion cannot say exactly this change',
} as const satisfies Record<NoSuggestion, string>;

function noButton({ placement, proposal }: ProposalView): string | null {
  if (placement.kind === 'suggestion') return null;
  const why = proposal.change.base === null ? 'the file is new' : NO_BUTTON[placement.why];
  return `Shown without a commit button, because ${why}.`;
}

/** The change itself, from its bytes; where a payload has no diff, its own description. */
function changeBlock({ placement, proposal }: ProposalView, diff: DiffView | null): string {
  if (placement.kind === 'suggestion') return fence('suggestion', placement.lines);
  return diff === null ? escapeText(proposal.change.payload.description) : renderDiff(diff);
}

function reason({ proposal }: ProposalView): string {
  return proposal.modelReason === null ? '' : modelWords('Reason', proposal.modelReason, REASON_CAP);
}

/** Whose own lines these are, where they were put in place of the model's. */
function writer({ proposal }: ProposalView): string {
  const vote = proposal.votes.findLast(({ action }) => action === 'modify');
  if (proposal.modified === null || vote === undefined) return '';
  return `These lines are ${loginText(vote.by)}’s own, instead of what the model proposed.`;
}

function openBody(view: ProposalView): string {
  const { proposal } = view;
  const diff = diffOf(proposal.change);
  return blocks(
    proposalMarker(proposal.id),
    `${titleLine(proposal)}\n${idLine(view)}`,
    warningLines(view, diff),
    changeBlock(view, diff),
    noButton(view),
    writer(view),
    votesLine(view.proposal),
    reason(view),
    wholeFile(view),
    commands(view),
  );
}

/** Once decided: what became of it first, and the change folded, as a diff, so that no button is left. */
function decidedBody(view: ProposalView): string {
  const { proposal } = view;
  const diff = diffOf(proposal.change);
  const head = blocks(proposalMarker(proposal.id), `${titleLine(proposal)}\n${idLine(view)}`, verdict(proposal, view));
  const rest = blocks(reason(view), wholeFile(view));
  const room = BODY_LIMIT - byteLength(head) - byteLength(rest) - ROOM_FOR_FRAME;
  return blocks(head, decidedChange(proposal, diff, room), rest);
}

/** A person's own lines are seen here for the first time: they stand open, with what a reader might overlook. */
function decidedChange(proposal: Proposal, diff: DiffView | null, room: number): string {
  if (diff === null) return escapeText(proposal.change.payload.description);
  if (shownChange(proposal) === proposal.change) return renderFoldedDiff(diff, room);
  const warnings = blocks(...diff.warnings.map((text) => `⚠️ ${escapeText(text)}`));
  return blocks(warnings, renderOpenDiff(diff, room - byteLength(warnings)));
}

/** How many have to approve, and who has; nothing where one is enough. */
function votesLine(proposal: Proposal): string {
  const { requiredApprovals } = proposal;
  if (requiredApprovals < 2) return '';
  const names = approverNames(proposal);
  const given = `**${names.length} of ${requiredApprovals} approvals**`;
  return names.length === 0
    ? `${given}: ${requiredApprovals} people have to approve before this is applied.`
    : `${given}: ${listOf(names)}. ${people(Math.max(1, requiredApprovals - names.length), 'more', 'has', 'have')} to approve before this is applied.`;
}

/** For fences, the fold around the diff, and a fence that grows with the content's own backticks. */
const ROOM_FOR_FRAME = 1_000;

/** What stands in place of a change that one comment cannot hold: it cannot be decided, so nobody approves what he has not seen. */
function tooLongBody(view: ProposalView): string {
  const { proposal } = view;
  return blocks(
    proposalMarker(proposal.id),
    `${titleLine(proposal)}\n${idLine(view)}`,
    'The diff of this change is too long for one comment, so it cannot be decided here. Nothing was changed.',
  );
}

/** Whether one comment can hold the whole change, so that it may be posted for a decision; one that stands needs no more room. */
export function fits(view: ProposalView): boolean {
  const room = view.proposal.comment === null ? ROOM_FOR_VERDICT : 0;
  return byteLength(openBody(view)) <= BODY_LIMIT - room;
}

/**
 * The comment of a proposal as its state has it: open with the commands, or decided with the outcome.
 * At most 60,000 bytes of UTF-8. An open one that does not `fits` holds no command: it must not be posted for a decision.
 */
export function renderProposal(view: ProposalView): RenderedProposal {
  if (view.proposal.state !== 'proposed') return { body: decidedBody(view) };
  return { body: fits(view) ? openBody(view) : tooLongBody(view) };
}
