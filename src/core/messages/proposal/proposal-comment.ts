import type { RepoLinks } from '../../../lib/format.ts';
import { isSet, sourcePath } from '../../edits/change.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { type Proposal, postedChange, writerOf } from '../../state/proposal.ts';
import {
  codeBlock,
  codeSpan,
  escapeText,
  joinBlocks,
  MAX_POSTED_BODY_BYTES,
  proposalMarker,
  quoteModelText,
} from '../shared/markdown.ts';
import {
  type DiffView,
  fileWarnings,
  joinViews,
  renderDiff,
  renderFoldedDiff,
  renderOpenDiff,
  syntaxWarning,
} from './diff-markdown.ts';
import {
  answersLine,
  approvalsLine,
  createFileViews,
  decisionLine,
  membersByFile,
  renderSetDiff,
  replacesLine,
  setIntroduction,
  titleLine,
  undoLine,
  versionLine,
  viewProposalPayload,
} from './proposal-header.ts';
import { escapeLogin, type ProposalView, proposalStatus } from './proposal-status.ts';

/** The Markdown of a proposal's page. All its links are below `links`. */
export type RenderedProposal = { readonly body: string; readonly links: RepoLinks };

/** Free bytes in a pending proposal's comment, so that the outcome fits later. */
const RESERVED_STATUS_BYTES = 4_000;

/** Free bytes for fences (which grow with backticks in the content) and for the fold around the diff. */
const RESERVED_FRAME_BYTES = 1_000;

/**
 * The page of a proposal in its current state: pending with the ways to decide, or decided with the outcome. It has at
 * most 60,000 bytes. A pending change that does not fit is announced without the ways to decide.
 */
export function renderProposal(view: ProposalView): RenderedProposal {
  if (view.proposal.state !== 'proposed') return { body: renderDecidedBody(view), links: view.links };
  return renderOpenProposal(view) ?? renderUnshowable(view);
}

/** The page that asks for a decision; null where a comment cannot hold the whole change. */
export function renderOpenProposal(view: ProposalView): RenderedProposal | null {
  const body = renderOpenBody(view, createFileViews(view.proposal.change));
  // A comment that is already posted needs no reserve.
  const reserved = view.proposal.comment === null ? RESERVED_STATUS_BYTES : 0;
  return byteLength(body) > MAX_POSTED_BODY_BYTES - reserved ? null : { body, links: view.links };
}

/** A comment in place of a change that cannot be shown exactly. Without commands, so that no one approves it unseen. */
export function renderUnshowable({ proposal, links }: ProposalView): RenderedProposal {
  const body = joinBlocks(
    proposalMarker(proposal.id),
    titleLine(proposal),
    'This change cannot be shown whole, so you cannot decide on it here. Nothing was changed.',
  );
  return { body, links };
}

function renderOpenBody(view: ProposalView, diffs: FileDiffs): string {
  const { proposal } = view;
  return joinBlocks(
    proposalMarker(proposal.id),
    titleLine(proposal),
    warningLines(view, diffs),
    setIntroduction(proposal),
    changeBlock(view, diffs),
    refusalLine(view),
    diffNotes(diffs),
    replacesLine(view),
    answersLine(view),
    undoLine(proposal),
    userEditLine(proposal),
    approvalsLine(view),
    reasonBlock(proposal),
    decisionLine(view),
    versionLine(view),
  );
}

/** The outcome first, then the change in a fold. A suggestion block becomes a diff, so that its button is gone. */
function renderDecidedBody(view: ProposalView): string {
  const { proposal } = view;
  const head = joinBlocks(
    proposalMarker(proposal.id),
    titleLine(proposal),
    proposalStatus(proposal, view),
    setIntroduction(proposal),
  );
  const rest = joinBlocks(
    ...[replacesLine(view), answersLine(view), undoLine(proposal), reasonBlock(proposal), versionLine(view)],
  );
  const room = MAX_POSTED_BODY_BYTES - byteLength(head) - byteLength(rest) - RESERVED_FRAME_BYTES;
  return joinBlocks(head, renderDecidedChange(proposal, room), rest);
}

/** A person's own lines are first shown here, so they stay open and keep their warnings. */
function renderDecidedChange(proposal: Proposal, room: number): string {
  const diffs = createFileViews(proposal.change);
  const diff = joinViews(diffs);
  if (diff === null) return escapeText(viewProposalPayload(proposal).text);
  if (postedChange(proposal) === proposal.change) return renderFoldedDiff(diff, room);
  const warnings = formatWarnings(diff.warnings);
  const notes = diffNotes(diffs);
  return joinBlocks(warnings, renderOpenDiff(diff, room - byteLength(warnings) - byteLength(notes)), notes);
}

/** The diff of each file of a change, in order; null for a file without one. */
type FileDiffs = readonly (DiffView | null)[];

/** The change itself; the payload's description where it has no diff. */
function changeBlock({ placement, proposal, asked = null }: ProposalView, diffs: FileDiffs): string {
  if (placement.kind === 'suggestion') return codeBlock('suggestion', placement.lines);
  const { change } = proposal;
  const lines = membersByFile(change).map(([one]) =>
    one !== undefined && sourcePath(one) === asked?.path ? asked.line : null,
  );
  if (isSet(change)) return renderSetDiff(diffs, lines);
  const [first = null] = diffs;
  return first === null ? escapeText(viewProposalPayload(proposal).text) : renderDiff(first, lines[0]);
}

/** Why there is no button, where GitHub refused it. */
function refusalLine({ placement }: ProposalView): string {
  const refusal = placement.kind === 'suggestion' ? '' : (placement.refusal ?? '');
  return refusal === '' ? '' : `GitHub refused to show this as a suggestion: ${codeSpan(refusal)}`;
}

function warningLines({ proposal, warnings, protectedPaths }: ProposalView, diffs: FileDiffs): string {
  const members = proposal.change.members.filter(({ op }) => op !== 'read');
  return formatWarnings([
    ...viewProposalPayload(proposal).warnings,
    ...new Set(members.flatMap((one) => fileWarnings(one, protectedPaths))),
    ...proposal.syntaxProblems.map(syntaxWarning),
    ...warnings,
    ...diffs.flatMap((diff) => diff?.warnings ?? []),
  ]);
}

/** What the rows of the diffs cannot show, below them. */
function diffNotes(diffs: FileDiffs): string {
  return joinBlocks(...diffs.flatMap((diff) => (diff?.notes ?? []).map(escapeText)));
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
