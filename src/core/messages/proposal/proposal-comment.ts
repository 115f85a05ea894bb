import { formatList, type RepoLinks, shortSha } from '../../../lib/format.ts';
import { type FileChange, membersOf } from '../../edits/change.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { type Proposal, postedChange, writerOf } from '../../state/proposal.ts';
import {
  codeBlock,
  codeSpan,
  escapeText,
  fileUrl,
  joinBlocks,
  link,
  MAX_POSTED_BODY_BYTES,
  partMarker,
  proposalMarker,
  quoteModelText,
} from '../shared/markdown.ts';
import {
  createDiffView,
  type DiffPart,
  type DiffView,
  MAX_FIRST_PART_BYTES,
  renderDiff,
  renderDiffPart,
  renderFoldedDiff,
  renderOpenDiff,
  splitDiff,
} from './diff-markdown.ts';
import { fileWarnings, syntaxWarning } from './diff-warnings.ts';
import {
  approvalsLine,
  decisionLine,
  noButtonLine,
  proposalHeader,
  replacesLine,
  undoLine,
  viewProposalPayload,
} from './proposal-header.ts';
import { escapeLogin, type ProposalView, proposalStatus } from './proposal-status.ts';
import { createSetView, introductionBytes, renderSetDiff, setIntroduction } from './set-page.ts';

/**
 * The Markdown of a proposal's comments: its own, and the further parts of a long diff, in order. All their links are
 * below `links`.
 */
export type RenderedProposal = { readonly body: string; readonly parts: readonly string[]; readonly links: RepoLinks };

/** Free bytes in a pending proposal's comment, so that the outcome fits later. */
const RESERVED_STATUS_BYTES = 4_000;

/** Free bytes for fences (which grow with backticks in the content) and for the fold around the diff. */
const RESERVED_FRAME_BYTES = 1_000;

/**
 * The comments of a proposal in its current state: pending with the ways to decide, or decided with the outcome. Each
 * has at most 60,000 bytes. A pending change that does not fit is announced without the ways to decide.
 */
export function renderProposal(view: ProposalView): RenderedProposal {
  const { proposal, links } = view;
  if (proposal.state !== 'proposed')
    return { body: renderDecidedBody(view), parts: renderDecidedParts(proposal), links };
  return renderOpenProposal(view) ?? renderUnshowable(view);
}

/** The comments that ask for a decision; null where they cannot hold the whole change. */
export function renderOpenProposal(view: ProposalView): RenderedProposal | null {
  const { proposal, placement } = view;
  const diff = proposalDiff(proposal);
  const diffParts = diff === null || placement.kind === 'suggestion' ? [] : splitIntoParts(proposal, diff);
  if (diffParts === null) return null;
  const parts = diff === null ? [] : renderFurtherParts(proposal, diff, diffParts);
  if (parts.some((part) => byteLength(part) > MAX_POSTED_BODY_BYTES)) return null;
  // A comment that is already posted needs no reserve.
  const reserved = proposal.comment === null ? RESERVED_STATUS_BYTES : 0;
  const body = renderOpenBody(view, diff, diffParts);
  return byteLength(body) > MAX_POSTED_BODY_BYTES - reserved ? null : { body, parts, links: view.links };
}

/** A comment in place of a change that cannot be shown exactly. Without commands, so that no one approves it unseen. */
export function renderUnshowable({ proposal, links }: ProposalView): RenderedProposal {
  const body = joinBlocks(
    proposalMarker(proposal.id),
    proposalHeader(proposal),
    'This change cannot be shown whole, so you cannot decide on it here. Nothing was changed.',
  );
  return { body, parts: [], links };
}

/** Number of comments that the proposal's diff takes; 1 without a diff. */
export function countParts(proposal: Proposal): number {
  const posted = { ...proposal, change: postedChange(proposal) };
  const diff = proposalDiff(posted);
  return diff === null ? 1 : (splitIntoParts(posted, diff)?.length ?? 1);
}

/** The parts of a diff, one for each comment; null if a line has room in none. */
function splitIntoParts(proposal: Proposal, diff: DiffView): readonly DiffPart[] | null {
  return splitDiff(diff, firstPartBytes(proposal, diff));
}

/**
 * The room for a diff in the first comment. That of a set also lists the members, and warns of each. Depends on the
 * posted change alone, so that a comment written again is cut at the same lines.
 */
function firstPartBytes(proposal: Proposal, diff: DiffView): number {
  const { change } = proposal;
  if (change.op !== 'set') return MAX_FIRST_PART_BYTES;
  return (
    MAX_FIRST_PART_BYTES -
    introductionBytes(change) -
    byteLength(warningLines({ proposal, warnings: [], protectedPaths: EVERY_PATH }, diff))
  );
}

/** Settings can protect further paths after the first comment was cut, so there is room for a warning of each path. */
const EVERY_PATH: readonly string[] = ['**'];

function renderOpenBody(view: ProposalView, diff: DiffView | null, parts: readonly DiffPart[]): string {
  const { proposal } = view;
  return joinBlocks(
    proposalMarker(proposal.id),
    proposalHeader(proposal),
    warningLines(view, diff),
    setIntroduction(proposal),
    firstPartNote(parts.length),
    changeBlock(view, diff, parts),
    diffNotes(diff),
    noButtonLine(view),
    replacesLine(view),
    undoLine(proposal),
    userEditLine(proposal),
    approvalsLine(view),
    reasonBlock(proposal),
    wholeFileLinks(view),
    decisionLine(view),
  );
}

/** The outcome first, then the change in a fold. A suggestion block becomes a diff, so that its button is gone. */
function renderDecidedBody(view: ProposalView): string {
  const { proposal } = view;
  const head = joinBlocks(
    proposalMarker(proposal.id),
    proposalHeader(proposal),
    proposalStatus(proposal, view),
    setIntroduction(proposal),
  );
  const rest = joinBlocks(replacesLine(view), undoLine(proposal), reasonBlock(proposal), wholeFileLinks(view));
  const room = MAX_POSTED_BODY_BYTES - byteLength(head) - byteLength(rest) - RESERVED_FRAME_BYTES;
  return joinBlocks(head, renderDecidedChange(proposal, room), rest);
}

/** A person's own lines are first shown here, so they stay open and keep their warnings. */
function renderDecidedChange(proposal: Proposal, room: number): string {
  const diff = proposalDiff(proposal);
  if (diff === null) return escapeText(viewProposalPayload(proposal).decidedText);
  if (postedChange(proposal) === proposal.change) return renderDecidedDiff(proposal, diff, room);
  const warnings = formatWarnings(diff.warnings);
  const notes = diffNotes(diff);
  return joinBlocks(warnings, renderOpenDiff(diff, room - byteLength(warnings) - byteLength(notes)), notes);
}

/** A diff in several parts is cut at the same lines as before, so that no line is repeated or missing. */
function renderDecidedDiff(proposal: Proposal, diff: DiffView, room: number): string {
  const [first, ...further] = splitIntoParts(proposal, diff) ?? [];
  const part = first === undefined || further.length === 0 ? '' : renderDiffPart(diff, first, false);
  return part === '' || byteLength(part) > room ? renderFoldedDiff(diff, room) : part;
}

/** The further parts of a decided proposal still show the posted change, folded. */
function renderDecidedParts(proposal: Proposal): readonly string[] {
  const posted = { ...proposal, change: postedChange(proposal) };
  const diff = proposalDiff(posted);
  return diff === null ? [] : renderFurtherParts(posted, diff, splitIntoParts(posted, diff) ?? []);
}

/** The comments after the first part. A quote of one counts as a quote of the proposal. */
function renderFurtherParts(proposal: Proposal, diff: DiffView, parts: readonly DiffPart[]): readonly string[] {
  return parts.slice(1).map((part, index) => {
    const number = index + 2;
    return joinBlocks(
      partMarker(proposal.id, number, parts.length),
      proposalHeader(proposal),
      `**Part ${number} of ${parts.length}.** ${number < parts.length ? `The diff continues in part ${number + 1}.` : 'The diff ends here.'}`,
      renderDiffPart(diff, part, proposal.state === 'proposed'),
    );
  });
}

function firstPartNote(parts: number): string {
  if (parts < 2) return '';
  return `**Part 1 of ${parts}.** The diff continues in ${parts === 2 ? 'part 2' : `parts 2 to ${parts}`}. Read all parts before you decide.`;
}

function proposalDiff(proposal: Proposal): DiffView | null {
  if (proposal.change.op === 'set') return createSetView(proposal.change);
  const { diff } = viewProposalPayload(proposal);
  return diff === null ? null : createDiffView(diff);
}

/** The change itself; the payload's description where it has no diff. */
function changeBlock({ placement, proposal }: ProposalView, diff: DiffView | null, parts: readonly DiffPart[]): string {
  if (placement.kind === 'suggestion') return codeBlock('suggestion', placement.lines);
  const [first, ...further] = parts;
  if (diff === null || first === undefined) return escapeText(viewProposalPayload(proposal).text);
  if (further.length > 0) return renderDiffPart(diff, first, true);
  const room = firstPartBytes(proposal, diff);
  return proposal.change.op === 'set' ? renderSetDiff(proposal.change, diff, room) : renderDiff(diff, room);
}

function warningLines(
  { proposal, warnings, protectedPaths }: Pick<ProposalView, 'proposal' | 'warnings' | 'protectedPaths'>,
  diff: DiffView | null,
): string {
  const members = membersOf(proposal.change).filter(({ op }) => op !== 'read');
  return formatWarnings([
    ...viewProposalPayload(proposal).warnings,
    ...new Set(members.flatMap((one) => fileWarnings(one, protectedPaths))),
    ...proposal.syntaxProblems.map(syntaxWarning),
    ...warnings,
    ...(diff?.warnings ?? []),
  ]);
}

/** What the rows of the diff cannot show, below it. */
function diffNotes(diff: DiffView | null): string {
  return joinBlocks(...(diff?.notes ?? []).map(escapeText));
}

function formatWarnings(warnings: readonly string[]): string {
  return joinBlocks(...warnings.map((text) => `⚠️ ${escapeText(text)}`));
}

/** Names the person whose lines replace the model's. */
function userEditLine(proposal: Proposal): string {
  const writer = writerOf(proposal);
  return writer === null ? '' : `${escapeLogin(writer)} wrote these lines in place of the model’s.`;
}

/** The tools cut a reason before, but placeholders of secrets can lengthen it again. */
const MAX_QUOTED_REASON_CHARACTERS = 300;

function reasonBlock({ modelReason }: Proposal): string {
  return modelReason === null ? '' : quoteModelText('Reason', modelReason, MAX_QUOTED_REASON_CHARACTERS);
}

/** Links to the files at the head that the change is based on; a new file has none. */
function wholeFileLinks({ proposal, links }: ProposalView): string | null {
  const { change, headSha } = proposal;
  const bases = membersOf(change).filter(({ base }) => base !== null);
  const sha = codeSpan(shortSha(headSha));
  if (change.op === 'set') return setFileLinks(bases, `at ${sha}`, { links, headSha });
  const [only] = bases;
  if (only === undefined) return null;
  const { region } = only;
  const lines =
    region === null || region.old.length === 0
      ? null
      : { first: region.oldStart, last: region.oldStart + region.old.length - 1 };
  return link(`The whole file at ${sha}`, fileUrl(links, headSha, only.from ?? only.path, lines));
}

const MAX_FILES_LINKED = 5;

const MAX_LINKED_PATH_CHARACTERS = 100;

function setFileLinks(
  members: readonly FileChange[],
  version: string,
  { links, headSha }: { readonly links: RepoLinks; readonly headSha: string },
): string | null {
  const paths = [...new Set(members.map(({ from, path }) => from ?? path))];
  const short = paths.filter((path) => path.length <= MAX_LINKED_PATH_CHARACTERS).slice(0, MAX_FILES_LINKED);
  const others = paths.length - short.length;
  if (short.length === 0) return null;
  const named = short.map((path) => link(codeSpan(path), fileUrl(links, headSha, path)));
  const list = formatList([...named, ...(others > 0 ? [`${others} more`] : [])]);
  return `The whole ${paths.length === 1 ? 'file' : 'files'} ${version}: ${list}.`;
}
