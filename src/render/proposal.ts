import type { Change } from '../change/change.ts';
import { protectedAs } from '../policy/protected-path.ts';
import { type Proposal, shownChange } from '../run/proposal.ts';
import { renderDiff, renderFoldedDiff, renderOpenDiff, renderPart, renderWrapped } from './diff-blocks.ts';
import { type DiffPart, diffParts } from './diff-parts.ts';
import { type DiffView, pathWarning, viewDiff } from './diff-view.ts';
import { BODY_LIMIT, blocks, byteLength, codeSpan, escapeText, fence, link, modelWords } from './markdown.ts';
import { proposalMarker } from './markers.ts';
import { firstOf, furtherParts } from './proposal-parts.ts';
import { idLine, type ProposalView, payloadOf, titleLine } from './proposal-view.ts';
import { undoLine } from './undo-words.ts';
import { approverNames, loginText, verdict } from './verdict.ts';
import { noButton, waysToDecide } from './ways-to-decide.ts';
import { fileLink, listOf, people, type RepoLinks, sha7 } from './words.ts';

/**
 * The Markdown of a proposal's comments: its own, and those in which a diff too long for one goes on, in order; and
 * below which address all that they link to lies.
 */
export type RenderedProposal = { readonly body: string; readonly parts: readonly string[]; readonly links: RepoLinks };

/** The model's reason is at most this long by its tool's schema; nothing longer is shown either. */
const REASON_CAP = 300;

/** Kept free in an open proposal's comment for what is said in it once it is decided. */
const ROOM_FOR_VERDICT = 4_000;

/** For fences, the fold around the diff, and a fence that grows with the content's own backticks. */
const ROOM_FOR_FRAME = 1_000;

function warningLines(view: ProposalView, diff: DiffView | null): string {
  const { proposal } = view;
  const texts = [
    ...payloadOf(proposal).warnings,
    ...newPathWarnings(proposal.change),
    ...protectedWarnings(proposal.change),
    ...view.warnings,
    ...(diff?.warnings ?? []),
  ];
  return blocks(...texts.map((text) => `⚠️ ${escapeText(text)}`));
}

/** A name that comes into the repository with this change: of a new file, or where one is moved. */
function newPathWarnings({ path, base, from }: Change): readonly string[] {
  const warning = base === null || from !== null ? pathWarning(path) : null;
  return warning === null ? [] : [warning];
}

/** Files that run code by themselves are named for what they are (E9). */
function protectedWarnings({ path, from }: Change): readonly string[] {
  return [path, ...(from === null ? [] : [from])].flatMap((one) => {
    const what = protectedAs(one);
    return what === null ? [] : [`${one} is ${what}: what it says can run as code.`];
  });
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

function diffOf(proposal: Proposal): DiffView | null {
  const { diff } = payloadOf(proposal);
  return diff === null ? null : viewDiff(diff);
}

/** The change itself, from its bytes; where a payload has no diff, its own description. */
function changeBlock({ placement, proposal }: ProposalView, diff: DiffView | null, parts: readonly DiffPart[]): string {
  if (placement.kind === 'suggestion') return fence('suggestion', placement.lines);
  const [first, ...further] = parts;
  if (diff === null || first === undefined) return escapeText(payloadOf(proposal).words);
  return further.length === 0 ? renderDiff(diff) : renderPart(diff, first, true);
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

function openBody(view: ProposalView, diff: DiffView | null, parts: readonly DiffPart[], wrapped: string): string {
  const { proposal } = view;
  return blocks(
    proposalMarker(proposal.id),
    `${titleLine(proposal)}\n${idLine(proposal)}`,
    warningLines(view, diff),
    firstOf(parts.length),
    changeBlock(view, diff, parts),
    wrapped,
    noButton(view),
    undoLine(proposal),
    writer(view),
    votesLine(view.proposal),
    reason(view),
    wholeFile(view),
    waysToDecide(view),
  );
}

/** Once decided: what became of it first, and the change folded, as a diff, so that no button is left. */
function decidedBody(view: ProposalView): string {
  const { proposal } = view;
  const diff = diffOf(proposal);
  const head = blocks(
    proposalMarker(proposal.id),
    `${titleLine(proposal)}\n${idLine(proposal)}`,
    verdict(proposal, view),
  );
  const rest = blocks(undoLine(proposal), reason(view), wholeFile(view));
  const room = BODY_LIMIT - byteLength(head) - byteLength(rest) - ROOM_FOR_FRAME;
  return blocks(head, decidedChange(proposal, diff, room), rest);
}

/** A person's own lines are seen here for the first time: they stand open, with what a reader might overlook. */
function decidedChange(proposal: Proposal, diff: DiffView | null, room: number): string {
  if (diff === null) return escapeText(payloadOf(proposal).words);
  if (shownChange(proposal) === proposal.change) return decidedDiff(diff, room);
  const warnings = blocks(...diff.warnings.map((text) => `⚠️ ${escapeText(text)}`));
  return blocks(warnings, renderOpenDiff(diff, room - byteLength(warnings)));
}

/** The first of several parts ends where the next one begins, decided or not: no line stands twice, and none is left out. */
function decidedDiff(diff: DiffView, room: number): string {
  const [first, ...further] = diffParts(diff) ?? [];
  const part = first === undefined || further.length === 0 ? '' : renderPart(diff, first, false);
  return part === '' || byteLength(part) > room ? renderFoldedDiff(diff, room) : part;
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

/**
 * What stands in place of a change that cannot be shown whole: it cannot be decided, so nobody approves what he has not
 * seen.
 */
function tooLongBody({ proposal }: ProposalView): string {
  return blocks(
    proposalMarker(proposal.id),
    `${titleLine(proposal)}\n${idLine(proposal)}`,
    'This change cannot be shown whole, so it cannot be decided here. Nothing was changed.',
  );
}

/**
 * What is shown as a diff, in as many parts as it takes; none beside a suggestion block. Null where a line is too long.
 */
function partsOf({ placement }: ProposalView, diff: DiffView | null): readonly DiffPart[] | null {
  return diff === null || placement.kind === 'suggestion' ? [] : diffParts(diff);
}

/**
 * The comments that ask for a decision; null where they cannot hold the whole change. What stands already needs no more
 * room.
 */
export function renderOpen(view: ProposalView): RenderedProposal | null {
  const { proposal } = view;
  const diff = diffOf(proposal);
  const shown = partsOf(view, diff);
  if (shown === null) return null;
  const parts = diff === null ? [] : furtherParts(proposal, diff, shown);
  const room = proposal.comment === null ? ROOM_FOR_VERDICT : 0;
  if (parts.some((part) => byteLength(part) > BODY_LIMIT)) return null;
  // Wrapped copies of long lines are a help only: where there is no room for them, the lines themselves are enough.
  const bodies = [diff === null ? '' : renderWrapped(diff), ''].map((wrapped) => openBody(view, diff, shown, wrapped));
  const body = bodies.find((one) => byteLength(one) <= BODY_LIMIT - room);
  return body === undefined ? null : { body, parts, links: view.links };
}

/** The parts of one that is decided still show what was proposed, folded. */
function decidedParts(proposal: Proposal): readonly string[] {
  const proposed = { ...proposal, change: shownChange(proposal) };
  const diff = diffOf(proposed);
  return diff === null ? [] : furtherParts(proposed, diff, diffParts(diff) ?? []);
}

/**
 * The comments of a proposal as its state has it: open with the commands, or decided with the outcome. Each has at
 * most 60,000 bytes of UTF-8. An open one that `renderOpen` cannot show whole
 * holds no command.
 */
export function renderProposal(view: ProposalView): RenderedProposal {
  const { proposal, links } = view;
  if (proposal.state !== 'proposed') return { body: decidedBody(view), parts: decidedParts(proposal), links };
  return renderOpen(view) ?? renderUnshown(view);
}

/** What stands there instead of a change that cannot be shown exactly. */
export function renderUnshown(view: ProposalView): RenderedProposal {
  return { body: tooLongBody(view), parts: [], links: view.links };
}
