import { approvalsOf, decidingVotes } from '../policy/approvals.ts';
import type { Person, Proposal, ProposalState, Vote } from '../run/proposal.ts';
import { blocks, codeSpan, escapeText, link, quote } from './markdown.ts';
import { commitLink, listOf, type RepoLinks, sha7 } from './words.ts';

/** A state in one or two words, as tables and links show it. */
export const STATE_WORDS = {
  proposed: 'waiting',
  approved: 'approved',
  executing: 'being applied',
  completed: 'applied',
  rejected: 'rejected',
  failed: 'failed',
  superseded: 'withdrawn',
  expired: 'expired',
  cancelled: 'cancelled',
} as const satisfies Record<ProposalState, string>;

/** What is known beside the proposal itself. */
export type VerdictContext = {
  readonly links: RepoLinks;
  /** Address of the comment of the proposal that replaced this one. */
  readonly replacedByUrl: string | null;
};

const QUOTE_CAP = 1_000;
const NOTE_CAP = 500;

/** A login as text; it never becomes a mention. GitHub's are at most 39 characters and a suffix. */
export function loginText(person: Person): string {
  return escapeText(person.login.slice(0, 100));
}

function votesFor(proposal: Proposal, ...actions: readonly Vote['action'][]): readonly Vote[] {
  return proposal.votes.filter((vote) => actions.includes(vote.action));
}

/** Everybody whose vote led here, each once, as a list in words; null where nobody's did. */
export function deciders(proposal: Proposal): string | null {
  const people = new Map(decidingVotes(proposal).map((vote) => [vote.by.id, loginText(vote.by)]));
  return people.size === 0 ? null : listOf([...people.values()]);
}

/** Everybody who approved it so far, each once. */
export function approverNames(proposal: Proposal): readonly string[] {
  return [...new Map(approvalsOf(proposal).map((vote) => [vote.by.id, loginText(vote.by)])).values()];
}

function bySomebody(proposal: Proposal): string {
  const people = deciders(proposal);
  return people === null ? '' : ` by ${people}`;
}

/** A phrase of ours or of GitHub's, made safe and ended with a full stop. */
function noteSentence(note: string | null): string {
  if (note === null || note.trim() === '') return '';
  const text = escapeText([...note.trim()].slice(0, NOTE_CAP).join(''));
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? ` ${sentence}` : ` ${sentence}.`;
}

function commitText(proposal: Proposal, links: RepoLinks): string {
  return proposal.commit === null
    ? ''
    : ` in ${link(codeSpan(sha7(proposal.commit)), commitLink(links, proposal.commit))}`;
}

/** Whose lines were made, where they are not the model's. */
function asWritten(proposal: Proposal): string {
  const writer = proposal.modified === null ? undefined : votesFor(proposal, 'modify').at(-1)?.by;
  return writer === undefined ? '' : ` as ${loginText(writer)} wrote it instead`;
}

function completed(proposal: Proposal, { links }: VerdictContext): string {
  const pressed = votesFor(proposal, 'commit').at(-1);
  if (pressed === undefined) {
    const approved = deciders(proposal) === null ? '' : `, approved${bySomebody(proposal)}`;
    return `**Applied**${commitText(proposal, links)}${asWritten(proposal)}${approved}.${noteSentence(proposal.note)}`;
  }
  return `**Applied** by ${loginText(pressed.by)}${commitText(proposal, links)}.${noteSentence(proposal.note)}`;
}

function rejected(proposal: Proposal): string {
  const last = votesFor(proposal, 'deny', 'edit').at(-1);
  const who = last === undefined ? '' : ` ${loginText(last.by)}`;
  const wish = last?.action === 'edit' ? ', who asked for something else' : '';
  const words = last?.text ?? '';
  const unchanged = 'Nothing was changed.';
  const head = `**Rejected by user**${who}${wish}. ${unchanged}`;
  return words === '' ? head : blocks(head, quote(words, QUOTE_CAP));
}

function replacement(proposal: Proposal, context: VerdictContext): string | null {
  if (proposal.replacedBy === null) return null;
  const id = codeSpan(proposal.replacedBy);
  return `Replaced by ${context.replacedByUrl === null ? id : link(id, context.replacedByUrl)}.`;
}

/** A commit of one that failed is one that GitHub made, and that holds something else. */
function failed(proposal: Proposal, { links }: VerdictContext): string {
  return proposal.commit === null
    ? `**Failed.** Nothing was changed.${noteSentence(proposal.note)}`
    : `⚠️ **Not as approved.** GitHub made a commit of this${commitText(proposal, links)} that does not hold exactly what was approved.${noteSentence(proposal.note)} Somebody has to look at it; nothing further is committed.`;
}

const VERDICTS = {
  proposed: () => '',
  approved: (proposal) => `**Approved**${bySomebody(proposal)}${asWritten(proposal)}. It will be applied in a moment.`,
  executing: (proposal) => `**Approved**${bySomebody(proposal)}${asWritten(proposal)}. It is being applied now.`,
  completed,
  rejected,
  failed,
  superseded: (proposal) => `**Withdrawn** without a decision. Nothing was changed.${noteSentence(proposal.note)}`,
  expired: (proposal) => `**Expired** before it was decided. Nothing was changed.${noteSentence(proposal.note)}`,
  cancelled: (proposal) => `**Cancelled** without a decision. Nothing was changed.${noteSentence(proposal.note)}`,
} as const satisfies Record<ProposalState, (proposal: Proposal, context: VerdictContext) => string>;

/** What became of a proposal and by whom; empty while it waits. */
export function verdict(proposal: Proposal, context: VerdictContext): string {
  return blocks(VERDICTS[proposal.state](proposal, context), replacement(proposal, context));
}
