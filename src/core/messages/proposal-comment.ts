import { type RepoLinks, shortSha } from '../../lib/format.ts';
import { type FileChange, membersOf } from '../edits/change.ts';
import { byteLength } from '../edits/text/characters.ts';
import { findProtectingGlob } from '../policy/path-policy.ts';
import { matchProtectedFiles, type ProtectedEffect } from '../policy/path-tables.ts';
import { type Proposal, postedChange, type SyntaxProblem, writerOf } from '../state/proposal.ts';
import {
  createDiffView,
  type DiffPart,
  type DiffView,
  renderDiff,
  renderDiffPart,
  renderFoldedDiff,
  renderOpenDiff,
  renderWrappedLines,
  splitDiff,
} from './diff-markdown.ts';
import { pathWarning } from './diff-warnings.ts';
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
} from './markdown.ts';
import {
  approvalsLine,
  decisionLine,
  noButtonLine,
  proposalHeader,
  undoLine,
  viewProposalPayload,
} from './proposal-header.ts';
import { escapeLogin, type ProposalView, proposalStatus } from './proposal-status.ts';
import { createSetView, renderSetDiff, setIntroduction } from './set-page.ts';

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
  const diffParts = diff === null || placement.kind === 'suggestion' ? [] : splitDiff(diff);
  if (diffParts === null) return null;
  const parts = diff === null ? [] : renderFurtherParts(proposal, diff, diffParts);
  if (parts.some((part) => byteLength(part) > MAX_POSTED_BODY_BYTES)) return null;
  // A comment that is already posted needs no reserve.
  const reserved = proposal.comment === null ? RESERVED_STATUS_BYTES : 0;
  // Wrapped copies of long lines only help to read: they are dropped if they do not fit.
  const bodies = [diff === null ? '' : renderWrappedLines(diff), ''].map((wrapped) =>
    renderOpenBody(view, diff, diffParts, wrapped),
  );
  const body = bodies.find((one) => byteLength(one) <= MAX_POSTED_BODY_BYTES - reserved);
  return body === undefined ? null : { body, parts, links: view.links };
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
  const diff = proposalDiff({ ...proposal, change: postedChange(proposal) });
  return diff === null ? 1 : (splitDiff(diff)?.length ?? 1);
}

function renderOpenBody(
  view: ProposalView,
  diff: DiffView | null,
  parts: readonly DiffPart[],
  wrapped: string,
): string {
  const { proposal } = view;
  return joinBlocks(
    proposalMarker(proposal.id),
    proposalHeader(proposal),
    warningLines(view, diff),
    setIntroduction(proposal.change),
    firstPartNote(parts.length),
    changeBlock(view, diff, parts),
    wrapped,
    noButtonLine(view),
    undoLine(proposal),
    userEditLine(proposal),
    approvalsLine(view),
    reasonBlock(proposal),
    wholeFileLink(view),
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
    setIntroduction(proposal.change),
  );
  const rest = joinBlocks(undoLine(proposal), reasonBlock(proposal), wholeFileLink(view));
  const room = MAX_POSTED_BODY_BYTES - byteLength(head) - byteLength(rest) - RESERVED_FRAME_BYTES;
  return joinBlocks(head, renderDecidedChange(proposal, room), rest);
}

/** A person's own lines are first shown here, so they stay open and keep their warnings. */
function renderDecidedChange(proposal: Proposal, room: number): string {
  const diff = proposalDiff(proposal);
  if (diff === null) return escapeText(viewProposalPayload(proposal).text);
  if (postedChange(proposal) === proposal.change) return renderDecidedDiff(diff, room);
  const warnings = formatWarnings(diff.warnings);
  return joinBlocks(warnings, renderOpenDiff(diff, room - byteLength(warnings)));
}

/** A diff in several parts is cut at the same lines as before, so that no line is repeated or missing. */
function renderDecidedDiff(diff: DiffView, room: number): string {
  const [first, ...further] = splitDiff(diff) ?? [];
  const part = first === undefined || further.length === 0 ? '' : renderDiffPart(diff, first, false);
  return part === '' || byteLength(part) > room ? renderFoldedDiff(diff, room) : part;
}

/** The further parts of a decided proposal still show the posted change, folded. */
function renderDecidedParts(proposal: Proposal): readonly string[] {
  const posted = { ...proposal, change: postedChange(proposal) };
  const diff = proposalDiff(posted);
  return diff === null ? [] : renderFurtherParts(posted, diff, splitDiff(diff) ?? []);
}

/** The comments after the first part. A quote of one counts as a quote of the proposal. */
function renderFurtherParts(proposal: Proposal, diff: DiffView, parts: readonly DiffPart[]): readonly string[] {
  return parts.slice(1).map((part, index) => {
    const number = index + 2;
    return joinBlocks(
      partMarker(proposal.id, number, parts.length),
      proposalHeader(proposal),
      `**Part ${number} of ${parts.length}.** ${number < parts.length ? 'The diff continues below.' : 'The diff ends here.'}`,
      renderDiffPart(diff, part, proposal.state === 'proposed'),
    );
  });
}

function firstPartNote(parts: number): string {
  if (parts < 2) return '';
  return `**Part 1 of ${parts}.** The diff continues below in ${parts === 2 ? 'part 2' : `parts 2 to ${parts}`}. Read all parts before you decide.`;
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
  if (further.length === 0 && proposal.change.op === 'set') return renderSetDiff(proposal.change, diff);
  return further.length === 0 ? renderDiff(diff) : renderDiffPart(diff, first, true);
}

function warningLines({ proposal, warnings, protectedPaths }: ProposalView, diff: DiffView | null): string {
  const members = membersOf(proposal.change).filter(({ op }) => op !== 'read');
  return formatWarnings([
    ...viewProposalPayload(proposal).warnings,
    ...new Set(members.flatMap((one) => [...newPathWarnings(one), ...protectedPathWarnings(one, protectedPaths)])),
    ...proposal.syntaxProblems.map(syntaxWarning),
    ...warnings,
    ...(diff?.warnings ?? []),
  ]);
}

function formatWarnings(warnings: readonly string[]): string {
  return joinBlocks(...warnings.map((text) => `⚠️ ${escapeText(text)}`));
}

/** The model was told of the error and sent the change again, which can be right: grammars can be old. */
function syntaxWarning({ path, line, what }: SyntaxProblem): string {
  return `With this change ${path} does not seem to parse: line ${line}: ${what}. The agent was told, and insists.`;
}

/** Only a path that this change adds to the repository is checked for look-alike characters. */
function newPathWarnings({ path, base, from }: FileChange): readonly string[] {
  const warning = base === null || from !== null ? pathWarning(path) : null;
  return warning === null ? [] : [warning];
}

/** Warns about files that act without anyone calling them, and about those that the settings name. */
function protectedPathWarnings(
  { path, from }: FileChange,
  protectedPaths: ProposalView['protectedPaths'],
): readonly string[] {
  return [path, ...(from === null ? [] : [from])].flatMap((one) => {
    const found = matchProtectedFiles(one);
    if (found === null)
      return findProtectingGlob(one, protectedPaths) === null
        ? []
        : [`${one} is one of the protected_paths of the settings.`];
    const { row, byLikeness } = found;
    return [`${one} ${byLikeness ? 'looks like' : 'is'} ${row.kind}: its content ${EFFECT_TEXT[row.effect]}.`];
  });
}

const EFFECT_TEXT = {
  'runs code': 'can run as code',
  'steers coding agents': 'steers coding agents',
  'steers coding agents and runs code': 'steers coding agents and can run as code',
} as const satisfies Record<ProtectedEffect, string>;

/** Names the person whose lines replace the model's. */
function userEditLine(proposal: Proposal): string {
  const writer = writerOf(proposal);
  return writer === null ? '' : `${escapeLogin(writer)} wrote these lines in place of the model’s.`;
}

/** Longer than any reason that the tools accept. */
const MAX_REASON_CHARACTERS = 300;

function reasonBlock({ modelReason }: Proposal): string {
  return modelReason === null ? '' : quoteModelText('Reason', modelReason, MAX_REASON_CHARACTERS);
}

/** Link to the file at the head that the change is based on; a new file has none. */
function wholeFileLink({ proposal, links }: ProposalView): string | null {
  const { change, headSha } = proposal;
  if (change.op === 'set' || change.base === null) return null;
  const { region } = change;
  const lines =
    region === null || region.old.length === 0
      ? null
      : { first: region.oldStart, last: region.oldStart + region.old.length - 1 };
  return link(
    `The whole file at ${codeSpan(shortSha(headSha))}`,
    fileUrl(links, headSha, change.from ?? change.path, lines),
  );
}
