import { commitUrl, formatList, pluralize, type RepoLinks, shortSha } from '../../lib/format.ts';
import { type EndReason, isAnswering, isResumable } from '../state/run.ts';
import type { Person } from '../state/vote.ts';
import type { Reply } from '../step/replies.ts';
import type { TreeFile, TreeMismatch } from '../step/signals.ts';
import { escapeLogin } from './proposal/proposal-status.ts';
import {
  codeSpan,
  escapeText,
  formatMention,
  joinBlocks,
  link,
  MAX_POSTED_BODY_BYTES,
  renderWithin,
  shortenPath,
  truncate,
} from './shared/markdown.ts';
import { quoteModelMarkdown } from './shared/model-markdown.ts';

type RunEndedReply = Extract<Reply, { kind: 'run-ended' }>;

/** T10: the reply after a person ended the run. */
const CANCELLED_TEXT = 'Rejected. Agent response cancelled.';

const ENDED_BY_PERSON: ReadonlySet<EndReason> = new Set<EndReason>(['stopped', 'closed', 'merged', 'rejected']);

/** Free bytes for the marker of the reply. */
const RESERVED_MARKER_BYTES = 100;

const SUMMARY_LENGTH_LIMITS: readonly number[] = [8_000, 4_000, 2_000, 500];

const MAX_NOTE_CHARACTERS = 1_000;

/** The one place that announces the end of a run, and mentions the person who started it (S89a). */
export function renderRunEnded(reply: RunEndedReply, { links }: { readonly links: RepoLinks }): string {
  const { reason, note, droppedTasks, requester } = reply;
  return renderWithin(
    SUMMARY_LENGTH_LIMITS,
    (maxCharacters) =>
      joinBlocks(
        ENDED_BY_PERSON.has(reason) ? CANCELLED_TEXT : '',
        isAnswer(reply)
          ? joinBlocks(
              `${formatMention(requester.login)}, ${quoteAnswer(reply, maxCharacters)}`,
              'Nothing was changed.',
            )
          : `${formatMention(requester.login)}, ${endSentence(reply, links)}`,
        note === null ? '' : escapeText(truncate(note, MAX_NOTE_CHARACTERS)),
        isAnswer(reply) ? '' : quoteModelMarkdown('Closing words', reply.summary ?? '', maxCharacters),
        formatDroppedTasks(droppedTasks),
        nextStepText(reason),
      ),
    MAX_POSTED_BODY_BYTES - RESERVED_MARKER_BYTES,
  );
}

/** A cause has a sentence of its own: behind a colon the changes would read as its explanation. */
function endSentence(reply: RunEndedReply, links: RepoLinks): string {
  const [end, changes] = [describeEnd(reply), describeChanges(reply, links)];
  if (!end.startsWith('ended because')) return `the run ${end}: ${changes}.`;
  return `the run ${end}. ${changes.charAt(0).toUpperCase()}${changes.slice(1)}.`;
}

/** The model only wrote, so its words are what came of the run. */
function isAnswer(reply: RunEndedReply): boolean {
  return reply.reason === 'finished' && !hasChanges(reply) && quoteAnswer(reply, MAX_NOTE_CHARACTERS) !== '';
}

function hasChanges({ proposed, commits }: RunEndedReply): boolean {
  return proposed > 0 || commits.length > 0;
}

/** Words that end with a question mark are a question. */
function quoteAnswer({ summary }: RunEndedReply, maxCharacters: number): string {
  const words = summary ?? '';
  const isQuestion = /[?？][\s"'”’)*_]*$/u.test(words.slice(-MAX_CLOSING_MARKS));
  return quoteModelMarkdown(isQuestion ? 'a question' : 'the answer', words, maxCharacters);
}

const MAX_CLOSING_MARKS = 10;

const END_REASON_TEXT = {
  finished: 'finished',
  stopped: 'was stopped',
  closed: 'ended because the pull request was closed',
  merged: 'ended because the pull request was merged',
  'all-denied': 'ended because every change of its last response was denied without a reason',
  'repeated-denied-change': 'ended because the model kept proposing denied changes',
  'turn-limit': 'ended because it reached its limit of model responses',
  'token-limit': 'ended because it reached its limit of tokens',
  'cost-limit': 'ended because it reached its limit of cost',
  'time-limit': 'ended because it reached its limit of time',
  'model-failed': 'ended because the model gave no usable answer',
  'posting-failed': 'ended because its changes could not be posted',
  'commit-mismatch': 'ended because a commit is not what was approved',
  expired: 'ended because its changes expired without a decision',
  unanswered: 'ended because a question of the agent was not answered in time',
  rejected: 'ended because a question of the agent was rejected',
  'access-lost': 'ended because Countersign lost access to the repository',
} as const satisfies Record<EndReason, string>;

/** The ends that name the person. */
const ENDED_BY_NAME: ReadonlySet<EndReason> = new Set<EndReason>(['stopped', 'rejected']);

/** How a run ended, as the predicate of “the run”. */
export function describeEnd({ reason, by }: { readonly reason: EndReason; readonly by: Person | null }): string {
  return `${END_REASON_TEXT[reason]}${ENDED_BY_NAME.has(reason) && by !== null ? ` by ${escapeLogin(by)}` : ''}`;
}

const MAX_COMMITS_LISTED = 20;

function describeChanges(reply: RunEndedReply, links: RepoLinks): string {
  if (!hasChanges(reply)) return 'no change was proposed';
  const { commits, applied, denied, replaced, instructed, withdrawn } = reply;
  const shown = commits.slice(-MAX_COMMITS_LISTED).map((sha) => link(codeSpan(shortSha(sha)), commitUrl(links, sha)));
  const where = shown.length === 0 ? '' : ` in ${formatList(shown)}`;
  // A change can be applied by a person's commit that is not the run's.
  const changed =
    applied === 0 && shown.length === 0 ? 'nothing was changed' : `${pluralize(applied, 'change')} applied${where}`;
  return [
    changed,
    ...(denied === 0 ? [] : [`${denied} denied`]),
    ...(replaced === 0 ? [] : [`${replaced} replaced by a new version`]),
    ...(instructed === 0 ? [] : [`${instructed} not made because something else was asked for`]),
    ...(withdrawn === 0 ? [] : [`${withdrawn} withdrawn`]),
  ].join(', ');
}

const MAX_DROPPED_LISTED = 10;

const MAX_DROPPED_CHARACTERS = 200;

/** The queued tasks that will not start. */
export function formatDroppedTasks(dropped: readonly string[]): string {
  if (dropped.length === 0) return '';
  const rows = dropped
    .slice(0, MAX_DROPPED_LISTED)
    .map((task) => `- ${escapeText(truncate(task, MAX_DROPPED_CHARACTERS))}`);
  const remaining = dropped.length - rows.length;
  return joinBlocks(
    'These queued tasks were dropped:',
    [...rows, ...(remaining > 0 ? [`- and ${remaining} more`] : [])].join('\n'),
  );
}

const TALK_HINT =
  'To go on with this run, reply to one of its changes (in its thread, or quote it) or mention this App, within 7 days.';

function nextStepText(reason: EndReason): string {
  if (reason === 'closed' || reason === 'merged') return '';
  const newRun = `Use ${codeSpan('/countersign <task>')} to start a new run.`;
  if (!isResumable(reason)) return isAnswering(reason) ? `${TALK_HINT} ${newRun}` : newRun;
  return `Use ${codeSpan('/resume')} to continue this run (until another one starts).${RESUME_TEXTS.get(reason) ?? ''} ${newRun}`;
}

const RENEWAL_TEXT = ' Its limits then begin anew.';

/** The first step of `/resume` after these ends. */
const RESUME_TEXTS: ReadonlyMap<EndReason, string> = new Map<EndReason, string>([
  ['turn-limit', RENEWAL_TEXT],
  ['token-limit', RENEWAL_TEXT],
  ['cost-limit', RENEWAL_TEXT],
  ['time-limit', RENEWAL_TEXT],
  ['expired', ' It proposes the expired changes again.'],
  ['unanswered', ' It asks the question again.'],
]);

const MAX_PATH_CHARACTERS = 80;

const MAX_MISMATCHES_SHOWN = 3;

/** The note at the end of a run whose commit is not what was approved, as plain text. */
export function mismatchNote(sha: string, mismatchText: string): string {
  return `⚠️ In commit ${shortSha(sha)} ${mismatchText}. A maintainer must check it; Countersign commits nothing further.`;
}

/** The approved content and that of the commit, as a clause of plain text. */
export function describeTreeMismatches(mismatches: readonly TreeMismatch[]): string {
  if (mismatches.length === 0) return 'the content is not what was approved';
  const shown = mismatches.slice(0, MAX_MISMATCHES_SHOWN).map(describeTreeMismatch);
  const remaining = mismatches.length - shown.length;
  return [...shown, ...(remaining > 0 ? [`and ${remaining} more`] : [])].join('; ');
}

function describeTreeMismatch({ path, expected, actual }: TreeMismatch): string {
  return `at ${shortenPath(path, MAX_PATH_CHARACTERS)} ${describeTreeFile(expected)} was approved, and ${describeTreeFile(actual)} was committed`;
}

function describeTreeFile(file: TreeFile | null): string {
  return file === null ? 'no file' : `blob ${shortSha(file.blob)} with mode ${file.mode}`;
}
