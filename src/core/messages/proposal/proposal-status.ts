import { commitUrl, firstOf, formatList, type RepoLinks, shortSha } from '../../../lib/format.ts';
import { isReading } from '../../edits/change.ts';
import type { Placement } from '../../edits/placement.ts';
import {
  decidingVotes,
  describeProposal,
  isInstructed,
  isPending,
  type Proposal,
  type ProposalState,
  rejectingVote,
  writerOf,
} from '../../state/proposal.ts';
import type { Settings } from '../../state/settings.ts';
import { approvalVotes, type Person, usesStandingApproval, type Vote } from '../../state/vote.ts';
import { blockQuote, codeSpan, escapeText, joinBlocks, link, truncate } from '../shared/markdown.ts';

/** Everything that a proposal's comment shows. */
export type ProposalView = ProposalStatusContext & {
  readonly proposal: Proposal;
  /** Where the comment is, or is about to be posted. */
  readonly placement: Placement;
  /** Warnings about the run, its branch and its rules, as plain text. */
  readonly warnings: readonly string[];
  /** True where the App can commit; false where only people can apply the change. */
  readonly writable: boolean;
  readonly protectedPaths: Settings['protectedPaths'];
  /** The line of the head that the task was given on; its rows stay open in a long diff. */
  readonly asked?: AskedLine | null;
};

export type RunDetails = Pick<ProposalView, 'warnings' | 'writable' | 'protectedPaths' | 'asked'>;

/** A line of a file, 1-based. */
export type AskedLine = { readonly path: string; readonly line: number };

type ProposalStatusContext = {
  readonly links: RepoLinks;
  /** URL of the comment of the proposal that replaced this one. */
  readonly replacedByUrl: string | null;
};

/** Starts the line with the ways to decide, which only the comment of a pending proposal has. */
export const PENDING_LABEL = '**Pending:**';

/** Starts the status line of a proposal whose change is on the branch. */
export const APPLIED_LABEL = '**Completed:** applied';

/** Starts the status line of an approved reading. */
const READ_LABEL = '**Completed:** reading approved';

/** Starts the status line of a denied proposal. */
export const REJECTED_LABEL = '**Rejected by user**';

/**
 * Starts the status line of a proposal instead of which a person asked for something else. It is stored as rejected.
 */
const INSTRUCTED_LABEL = '**Asked for something else**';

/** States as tables and pages name them, in the order of a proposal's life. */
export const STATE_LABELS = {
  proposed: 'pending',
  approved: 'approved',
  executing: 'executing',
  completed: 'completed',
  rejected: 'rejected',
  failed: 'failed',
  superseded: 'withdrawn',
  expired: 'expired',
  cancelled: 'cancelled',
} as const satisfies Record<ProposalState, string>;

/** The state as a table names it. */
export function stateLabel(proposal: Proposal): string {
  return isInstructed(proposal) ? 'asked for something else' : STATE_LABELS[proposal.state];
}

const STATUS_TEXT = {
  proposed: () => '',
  approved: (proposal) =>
    `**Approved**${byDeciders(proposal)}${userEditClause(proposal)}. ${isReading(proposal.change) ? 'The agent gets the file once the approvals are checked again' : 'It will be committed shortly'}.`,
  executing: (proposal) =>
    `**Executing**, approved${byDeciders(proposal)}${userEditClause(proposal)}. It is being committed now.`,
  completed: completedText,
  rejected: rejectedText,
  failed: failedText,
  superseded: (proposal) => uncommittedText('Withdrawn', proposal),
  expired: (proposal) => uncommittedText('Expired', proposal),
  cancelled: (proposal) => uncommittedText('Cancelled', proposal),
} as const satisfies Record<ProposalState, (proposal: Proposal, context: ProposalStatusContext) => string>;

/** The outcome of a proposal and who decided it; empty while it is pending. */
export function proposalStatus(proposal: Proposal, context: ProposalStatusContext): string {
  return joinBlocks(STATUS_TEXT[proposal.state](proposal, context), replacedByText(proposal, context));
}

/** An approved change can still be withdrawn, for example by a push. */
function uncommittedText(outcome: string, proposal: Proposal): string {
  const decision =
    findVote(proposal, 'approve', 'approve-always') === undefined ? 'without a decision' : 'after it was approved';
  return `**${outcome}** ${decision}. Nothing was changed.${noteSentence(proposal.note)}`;
}

function completedText(proposal: Proposal, { links }: ProposalStatusContext): string {
  if (isReading(proposal.change))
    return `${READ_LABEL}${byDeciders(proposal)}. The agent may read this version of the file for the rest of the run. Nothing was changed.`;
  const commit = commitText(proposal, links);
  const commitVote = findVote(proposal, 'commit');
  if (commitVote !== undefined)
    return `${APPLIED_LABEL} by ${escapeLogin(commitVote.by)}${commit}.${noteSentence(proposal.note)}`;
  const approved = deciderNames(proposal) === null ? '' : `, approved${byDeciders(proposal)}`;
  return `${APPLIED_LABEL}${commit}${userEditClause(proposal)}${approved}.${noteSentence(proposal.note)}`;
}

function rejectedText(proposal: Proposal): string {
  const vote = rejectingVote(proposal);
  const label = isInstructed(proposal) ? `${INSTRUCTED_LABEL} by` : REJECTED_LABEL;
  const reason = vote?.text ?? '';
  return joinBlocks(
    `${vote === undefined ? REJECTED_LABEL : `${label} ${escapeLogin(vote.by)}`}. Nothing was changed.`,
    reason === '' ? '' : blockQuote(reason, MAX_VOTE_TEXT_CHARACTERS),
  );
}

const MAX_VOTE_TEXT_CHARACTERS = 1_000;

/** A failed proposal with a commit is one whose commit does not hold what was approved. */
function failedText(proposal: Proposal, { links }: ProposalStatusContext): string {
  return proposal.commitSha === null
    ? `**Failed.** Nothing was changed.${noteSentence(proposal.note)}`
    : `⚠️ **Failed: not as approved.** The commit${commitText(proposal, links)} is not exactly what was approved.${noteSentence(proposal.note)} A maintainer must check it; Countersign commits nothing further.`;
}

function replacedByText(proposal: Proposal, { replacedByUrl }: ProposalStatusContext): string | null {
  if (proposal.replacedBy === null) return null;
  const id = codeSpan(proposal.replacedBy);
  return `Replaced by ${replacedByUrl === null ? id : link(id, replacedByUrl)}.`;
}

function byDeciders(proposal: Proposal): string {
  const names = deciderNames(proposal);
  return names === null ? '' : ` by ${names}`;
}

/** Names the person whose lines replaced the model's. */
function userEditClause(proposal: Proposal): string {
  const writer = writerOf(proposal);
  return writer === null ? '' : ` as ${escapeLogin(writer)} wrote it instead`;
}

function commitText({ commitSha }: Proposal, links: RepoLinks): string {
  return commitSha === null ? '' : ` in ${link(codeSpan(shortSha(commitSha)), commitUrl(links, commitSha))}`;
}

const MAX_NOTE_CHARACTERS = 500;

/** A note of the App or of GitHub as a sentence. */
function noteSentence(note: string | null): string {
  if (note === null || note.trim() === '') return '';
  const text = escapeText(truncate(note.trim(), MAX_NOTE_CHARACTERS));
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? ` ${sentence}` : ` ${sentence}.`;
}

/** The last vote with one of these actions. */
function findVote(proposal: Proposal, ...actions: readonly Vote['action'][]): Vote | undefined {
  return proposal.votes.findLast((vote) => actions.includes(vote.action));
}

/** Everyone whose vote led to the outcome, each once, as a list; null where there is no such vote. */
export function deciderNames(proposal: Proposal): string | null {
  const names = distinctNames(decidingVotes(proposal));
  return names.length === 0 ? null : formatList(names);
}

/** Everyone who has approved so far, each once. */
export function approverNames(proposal: Proposal): readonly string[] {
  return distinctNames(approvalVotes(proposal));
}

function distinctNames(votes: readonly Vote[]): readonly string[] {
  return [...new Map(votes.map((vote) => [vote.by.id, voterName(vote)])).values()];
}

/** Names the standing approval too: its author did not see this change. */
function voterName(vote: Vote): string {
  const name = escapeLogin(vote.by);
  return usesStandingApproval(vote) ? `${name} (standing approval ${vote.standingApproval?.number})` : name;
}

const MAX_LOGIN_CHARACTERS = 100;

/** A login as text; it never becomes a mention. */
export function escapeLogin({ login }: Pick<Person, 'login'>): string {
  return escapeText(login.slice(0, MAX_LOGIN_CHARACTERS));
}

const OUTCOME_CLAUSES = {
  proposed: 'is still pending',
  approved: 'was already approved',
  executing: 'is being applied right now, as approved',
  completed: 'was already applied',
  rejected: 'was already rejected',
  failed: 'could not be applied, though approved',
  superseded: 'was already withdrawn',
  expired: 'had already expired',
  cancelled: 'was already cancelled',
} as const satisfies Record<ProposalState, string>;

/** The outcome of a proposal as a clause: `k7q2 was already applied by ana in 1a2b3c4` (T12). */
export function describeOutcome(proposal: Proposal): string {
  const { id, state, commitSha, replacedBy } = proposal;
  const by = decidingVotes(proposal).at(-1)?.by;
  const person = by === undefined || state === 'proposed' ? '' : ` by ${escapeLogin(by)}`;
  const commit = commitSha === null ? '' : ` in ${shortSha(commitSha)}`;
  const replaced = replacedBy === null ? '' : ` and replaced by ${codeSpan(replacedBy)}`;
  const [clause, wish] = isInstructed(proposal)
    ? ['was already sent back', ' for something else']
    : [OUTCOME_CLAUSES[state], ''];
  return `${escapeText(id)} ${clause}${person}${wish}${commit}${replaced}${withdrawalReason(proposal)}`;
}

/** In parentheses, because outcomes stand in lists. */
function withdrawalReason({ state, note }: Proposal): string {
  const isUndecided = state === 'superseded' || state === 'cancelled';
  return isUndecided && note !== null && note.trim() !== ''
    ? ` (${escapeText(truncate(note.trim(), MAX_NOTE_CHARACTERS))})`
    : '';
}

const MAX_PROPOSALS_LISTED = 30;

const MAX_TITLE_CHARACTERS = 200;

/** Proposals as a Markdown list with links; those beyond 30 are counted. */
export function formatProposalList(proposals: readonly Proposal[], numberOf: NumberText = () => ''): string {
  const row = (one: Proposal): string =>
    `- ${numberOf(one)}${linkedId(one)} ${escapeText(truncate(describeProposal(one), MAX_TITLE_CHARACTERS))}`;
  return firstOf(proposals, MAX_PROPOSALS_LISTED, row, '- and ').join('\n');
}

/** Stands above the App’s own list in a comment with text of the model, which could claim something else. (R70) */
export function byOwnRecords(what: 'Pending' | 'Proposed' | 'Changes', list: string): string {
  return joinBlocks(`${what} by Countersign’s own records:`, list);
}

type NumberText = (proposal: Proposal) => string;

/** The number that the page of a change has among those that were posted with it. */
export function numberOf({ index, total }: Proposal): string {
  return `${index} of ${total} · `;
}

/** Ends a comment with text of the model. */
export function pendingText(proposals: readonly Proposal[]): string {
  const pending = proposals.filter(isPending);
  return pending.length === 0 ? 'No change is pending.' : byOwnRecords('Pending', formatProposalList(pending));
}

/** The id of a proposal or a question, linked to its comment. */
export function linkedId({ id, comment }: Pick<Proposal, 'id' | 'comment'>): string {
  return comment === null ? codeSpan(id) : link(codeSpan(id), comment.url);
}
