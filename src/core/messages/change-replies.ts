import { formatList, pluralize, shortSha } from '../../lib/format.ts';
import type { Reply } from '../../lib/trust.ts';
import type { Proposal } from '../state/proposal.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { Person } from '../state/vote.ts';
import { formatProposalList, linkedId } from './proposal/proposal-status.ts';
import { NEW_RUN_HINT } from './run-ended.ts';
import {
  codeSpan,
  composeReply,
  escapeMessage,
  formatMention,
  formatTime,
  joinBlocks,
  truncate,
} from './shared/markdown.ts';

const UPDATE_HINT = 'The agent has been told and may propose an update.';

/** GitHub makes a link of the commit. */
export function committed(sha: string, proposals: readonly Proposal[]): Reply {
  const count = proposals.length === 1 ? '' : ` (${pluralize(proposals.length, 'change')})`;
  return composeReply(`Applied in ${shortSha(sha)}${count}:`, formatProposalList(proposals));
}

/** Changes that were approved, or have a person's own lines, and no longer fit the branch. */
export function notAppliedStale(proposals: readonly Proposal[]): Reply {
  return composeReply(
    'Not applied: the file changed after these were proposed.',
    formatProposalList(proposals),
    proposals.some(({ origin }) => origin.kind === 'call') ? UPDATE_HINT : '',
  );
}

export function commitFailed(message: string, proposals: readonly Proposal[]): Reply {
  return composeReply(
    `Not applied, because the commit failed: ${escapeMessage(message)}`,
    formatProposalList(proposals),
    'Fix the cause, then ask again.',
  );
}

/** Approved, but commit attempts have failed for a while and continue. */
export function commitDelayed(proposals: readonly Proposal[]): Reply {
  return composeReply(
    `Approved, but not committed yet. Countersign keeps trying; ${codeSpan('/deny')} still withdraws the change.`,
    formatProposalList(proposals),
  );
}

/** GitHub's commit differs from what was approved. `summary` says how, as plain text. */
export function commitMismatch(sha: string, summary: string, proposals: readonly Proposal[]): Reply {
  return composeReply(
    `⚠️ The commit ${shortSha(sha)} is not exactly what was approved: ${escapeMessage(summary)}.`,
    formatProposalList(proposals),
    'A maintainer must check it; Countersign commits nothing further.',
  );
}

/** The pages of these were edited or deleted. They are written again, and nothing was approved. */
export function pageChanged(proposals: readonly Proposal[]): Reply {
  return composeReply(
    'Nothing was approved: the comment that shows this change was edited or deleted, so you might have seen something else. It is written again:',
    formatProposalList(proposals),
    `Review it again, then post ${codeSpan('/approve')} again.`,
  );
}

const MAX_REQUESTERS_MENTIONED = 10;

/** These expire soon, the first one at GitHub's time `expiresAt`. */
export function reminder(
  requesters: readonly Person[],
  { proposals, questions }: { readonly proposals: readonly Proposal[]; readonly questions: readonly AgentQuestion[] },
  expiresAt: string,
): Reply {
  const people = requesters.slice(0, MAX_REQUESTERS_MENTIONED).map(({ login }) => formatMention(login));
  const rows = questions.map((question) => `- ${linkedId(question)} a question of the agent`);
  return composeReply(
    `${formatList(people)}, ${stillPending(proposals.length, questions.length)} on ${formatTime(expiresAt)}:`,
    formatProposalList(proposals),
    rows.join('\n'),
    proposals.length === 0 ? '' : `Use ${codeSpan('/approve <id>')} or ${codeSpan('/deny <id>')} to decide.`,
    questions.length === 0 ? '' : 'The question’s comment says how to answer it.',
  );
}

function stillPending(proposals: number, questions: number): string {
  if (questions > 0)
    return proposals === 0 ? 'a question still waits and expires' : 'a question and changes still wait and expire';
  return proposals === 1
    ? 'a change is still pending and expires'
    : `${proposals} changes are still pending and expire`;
}

/** Changes that a command or a button does not cover, because its writer can have read another page. */
export function postedAfterwards(proposals: readonly Proposal[], isButton: boolean): Reply {
  return composeReply(
    `Your ${isButton ? 'button' : 'comment'} doesn’t cover these changes, because they were posted later or in the same second, or less than 30 seconds before it while another change ended. Still pending:`,
    formatProposalList(proposals),
    `Review them, then ${isButton ? 'press it' : 'post the command'} again.`,
  );
}

/** What a glob named, after the decision on it. */
export function takenByGlob(glob: string, taken: readonly Proposal[]): Reply {
  return composeReply(`${globSpan(glob)} took ${pluralize(taken.length, 'change')}:`, formatProposalList(taken));
}

/** A glob that no pending change is on. */
export function nothingOnPaths(glob: string, pending: readonly Proposal[]): Reply {
  return composeReply(
    `Nothing was decided: no change that waited when you posted this is on the paths of ${globSpan(glob)}.`,
    pending.length === 0 ? 'No change is pending.' : joinBlocks('Still pending:', formatProposalList(pending)),
    pending.length === 0
      ? NEW_RUN_HINT
      : 'Post the command again with another glob or with ids. A reason whose first word has a slash, star or dot goes on the line below the command.',
  );
}

/** A button that was pressed on a list that is not the current one any more, or where there are to be none. */
export function listOutdated(login: string, isSwitchedOff: boolean): Reply {
  const why = isSwitchedOff
    ? `the settings now say ${codeSpan('check_run: off')}. Use ${codeSpan('/approve <id>')} or ${codeSpan('/deny <id>')}.`
    : 'its list has changed since it was shown. Look at the newest check run **Countersign**, then press its button.';
  return composeReply(`${escapeMessage(login)}: your button decided nothing, because ${why}`);
}

const MAX_GLOB_CHARACTERS = 300;

function globSpan(glob: string): string {
  return codeSpan(truncate(glob, MAX_GLOB_CHARACTERS));
}

/** The reply to a question, or to words for an ended run, of a person who had `max` replies within the hour. */
export function enoughReplies(max: number): Reply {
  return composeReply(
    `The agent does not get this: you had ${max} replies on this pull request within an hour, which is the limit. Write it again later.`,
  );
}
