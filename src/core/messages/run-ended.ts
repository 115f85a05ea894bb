import { firstOf, formatList, formatNumber, pluralize, shortenPath, shortSha } from '../../lib/format.ts';
import type { Reply } from '../../lib/trust.ts';
import type { Proposal } from '../state/proposal.ts';
import { type EndReason, isAnswering, isResumable, type Run, type Task } from '../state/run.ts';
import { countWork, renewedCost, renewedTokens, totalTokens } from '../state/spending.ts';
import type { Person } from '../state/vote.ts';
import type { TreeFile, TreeMismatch } from '../step/signals.ts';
import { escapeLogin, formatProposalList, pendingText, stateLabel } from './proposal/proposal-status.ts';
import {
  codeSpan,
  composeReply,
  escapeText,
  formatMention,
  joinBlocks,
  renderWithin,
  truncate,
} from './shared/markdown.ts';
import { quoteModelMarkdown } from './shared/model-markdown.ts';

/** What people hear of the end of a run. */
type RunEnding = {
  readonly requester: Person;
  readonly reason: EndReason;
  readonly by: Person | null;
  /** A sentence of the App or of GitHub about the end. */
  readonly note: string | null;
  /** Its changes since the requester last wrote to it, and the commits of these. */
  readonly proposals: readonly Proposal[];
  /** Still pending on the pull request, such as undos. */
  readonly pending: readonly Proposal[];
  readonly commits: readonly string[];
  /** The model's closing words. */
  readonly summary: string | null;
  /** Queued behind it, and dropped. */
  readonly droppedTasks: readonly Task[];
};

export const NEW_RUN_HINT = `Use ${codeSpan('/countersign <task>')} to start a new run.`;

/** T10: the reply after a person ended the run. */
const CANCELLED_TEXT = 'Rejected. Agent response cancelled.';

const ENDED_BY_PERSON: ReadonlySet<EndReason> = new Set<EndReason>(['stopped', 'closed', 'merged', 'rejected']);

const SUMMARY_LENGTH_LIMITS = [8_000, 4_000, 2_000, 500] as const;

const MAX_NOTE_CHARACTERS = 1_000;

/** The one place that announces the end of a run, and mentions the person who started it (S89a). */
export function runEnded(ending: RunEnding): Reply {
  const { reason, note, droppedTasks, requester } = ending;
  return renderWithin(SUMMARY_LENGTH_LIMITS, (maxCharacters) =>
    composeReply(
      ENDED_BY_PERSON.has(reason) ? CANCELLED_TEXT : '',
      isAnswer(ending)
        ? joinBlocks(`${formatMention(requester.login)}, ${quoteAnswer(ending, maxCharacters)}`, 'Nothing was changed.')
        : `${formatMention(requester.login)}, ${endSentence(ending)}`,
      note === null || reason === 'finished' ? '' : escapeText(truncate(note, MAX_NOTE_CHARACTERS)),
      isAnswer(ending) ? '' : quoteModelMarkdown('Closing words', ending.summary ?? '', maxCharacters),
      appliedText(ending),
      formatDroppedTasks(droppedTasks),
      nextStepText(reason),
      ending.summary === null ? '' : pendingText(ending.pending),
    ),
  );
}

/** A cause has a sentence of its own: behind a colon the changes would read as its explanation. */
function endSentence(ending: RunEnding): string {
  const [end, changes] = [describeEnd(ending), describeChanges(ending)];
  if (!end.startsWith('ended because')) return `the run ${end}: ${changes}${checksClause(ending)}.`;
  return `the run ${end}. ${changes.charAt(0).toUpperCase()}${changes.slice(1)}.`;
}

/** A finished run has a note only of the checks of its commits, which hold names that an App gave. */
function checksClause({ reason, note }: RunEnding): string {
  return reason !== 'finished' || note === null ? '' : `; ${escapeText(truncate(note, MAX_NOTE_CHARACTERS))}`;
}

/** The model only wrote, so its words are what came of the run. */
function isAnswer(ending: RunEnding): boolean {
  return ending.reason === 'finished' && !hasChanges(ending) && quoteAnswer(ending, MAX_NOTE_CHARACTERS) !== '';
}

function hasChanges({ proposals, commits }: RunEnding): boolean {
  return proposals.length > 0 || commits.length > 0;
}

function quoteAnswer({ summary }: RunEnding, maxCharacters: number): string {
  return quoteModelMarkdown('the answer', summary ?? '', maxCharacters);
}

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

/** Names what was applied: people might have meant another change. */
function appliedText({ proposals }: RunEnding): string {
  const applied = proposals.filter(({ state }) => state === 'completed');
  return applied.length === 0 ? '' : joinBlocks('Applied:', formatProposalList(applied));
}

const MAX_COMMITS_LISTED = 20;

/** The counts are the App's own: the model might claim something else. */
function describeChanges(ending: RunEnding): string {
  if (!hasChanges(ending)) return 'no change was proposed';
  const { proposals, commits } = ending;
  const applied = proposals.filter(({ state }) => state === 'completed');
  // A change can be applied by a person's commit that is not the run's.
  const where = commits.length === 0 ? '' : ` in ${formatList(commits.slice(-MAX_COMMITS_LISTED).map(shortSha))}`;
  const changed =
    applied.length === 0 && commits.length === 0
      ? 'nothing was changed'
      : `${pluralize(applied.length, 'change')} applied${where}`;
  const others = Map.groupBy(
    proposals.filter((one) => !applied.includes(one)),
    stateLabel,
  );
  return [changed, ...[...others].map(([label, { length }]) => `${length} ${label}`)].join(', ');
}

const MAX_DROPPED_LISTED = 10;

const MAX_DROPPED_CHARACTERS = 200;

/** The queued tasks that will not start. */
function formatDroppedTasks(tasks: readonly { readonly text: string }[]): string {
  if (tasks.length === 0) return '';
  const row = ({ text }: { readonly text: string }): string =>
    `- ${escapeText(truncate(text, MAX_DROPPED_CHARACTERS))}`;
  return joinBlocks('These queued tasks were dropped:', firstOf(tasks, MAX_DROPPED_LISTED, row, '- and ').join('\n'));
}

export function queueDropped(tasks: readonly { readonly text: string }[]): Reply {
  return composeReply(formatDroppedTasks(tasks), NEW_RUN_HINT);
}

const TALK_HINT =
  'To go on with this run, reply to one of its changes (in its thread, or quote it) or mention this App, within 7 days.';

function nextStepText(reason: EndReason): string {
  if (reason === 'closed' || reason === 'merged') return '';
  if (!isResumable(reason)) return isAnswering(reason) ? `${TALK_HINT} ${NEW_RUN_HINT}` : NEW_RUN_HINT;
  return `Use ${codeSpan('/resume')} to continue this run (until another one starts). ${NEW_RUN_HINT}`;
}

const MAX_PATH_CHARACTERS = 80;

const MAX_MISMATCHES_SHOWN = 3;

/** The note at the end of a run whose commit is not what was approved, as plain text. */
export function mismatchNote(sha: string, mismatchText: string): string {
  return `⚠️ In commit ${shortSha(sha)} ${mismatchText}. A maintainer must check it; Countersign commits nothing further.`;
}

/** The approved content and that of the commit, as a clause of plain text. */
export function describeTreeMismatches(mismatches: readonly TreeMismatch[]): string {
  if (mismatches.length === 0) return 'the content is not what was approved';
  return firstOf(mismatches, MAX_MISMATCHES_SHOWN, describeTreeMismatch, 'and ').join('; ');
}

function describeTreeMismatch({ path, expected, actual }: TreeMismatch): string {
  return `at ${shortenPath(path, MAX_PATH_CHARACTERS)} ${describeTreeFile(expected)} was approved, and ${describeTreeFile(actual)} was committed`;
}

function describeTreeFile(file: TreeFile | null): string {
  return file === null ? 'no file' : `blob ${shortSha(file.blob)} with mode ${file.mode}`;
}

type SpendingRun = Pick<Run, 'turns' | 'spending' | 'settings'>;

/**
 * One short line for the run comment: `12 responses · 240k of 1,000,000 tokens · $0.42 of $2.00 · 3 of 30 min`. An
 * amount with a limit counts from its last renewal, and is also given in all.
 */
export function spendingLine(run: SpendingRun): string {
  const { turns, spending } = run;
  const { limits } = run.settings;
  const total = totalTokens(spending.usage);
  const renewed = renewedTokens(spending);
  const inAll = (amount: string): string => (renewed < total ? `, ${amount} in all` : '');
  const since = renewed < total ? ' since it was continued' : '';
  return [
    pluralize(turns, 'response'),
    `${shortNumber(renewed)} of ${formatNumber(limits.tokens)} tokens${since}${inAll(shortNumber(total))}`,
    ...costParts(run, inAll),
    ...minuteParts(run, inAll),
  ].join(' · ');
}

function costParts(run: SpendingRun, inAll: (amount: string) => string): readonly string[] {
  const { costUsd } = run.spending;
  const limit = run.settings.limits.costUsd;
  if (costUsd === null) return limit === null ? [] : [`unknown cost of ${formatDollars(limit)}`];
  const total = formatDollars(costUsd);
  if (limit === null) return [total];
  return [`${formatDollars(renewedCost(run.spending) ?? costUsd)} of ${formatDollars(limit)}${inAll(total)}`];
}

function minuteParts({ spending, settings }: SpendingRun, inAll: (amount: string) => string): readonly string[] {
  const { workMs, renewedAt } = spending;
  const minutes = (ms: number): string => formatNumber(Math.floor(ms / MS_PER_MINUTE));
  const limit = settings.limits.minutes;
  if (limit === null) return workMs < MS_PER_MINUTE ? [] : [`${minutes(workMs)} min`];
  return [`${minutes(workMs - renewedAt.workMs)} of ${formatNumber(limit)} min${inAll(minutes(workMs))}`];
}

const MS_PER_MINUTE = 60_000;

/** `940`, `12k`, `1,240k`. */
function shortNumber(amount: number): string {
  return amount < 1_000 ? String(amount) : `${formatNumber(Math.round(amount / 1_000))}k`;
}

function formatDollars(dollars: number): string {
  const [whole = '0', cents = '00'] = dollars.toFixed(2).split('.');
  return dollars > 0 && dollars < 0.01 ? 'less than $0.01' : `$${formatNumber(Number(whole))}.${cents}`;
}

const UNPRICED_TEXT =
  ' Its cost is unknown, because the operator gives no price of its model; with a limit of cost it cannot go on.';

/** Everything that a run has spent until `now` (ISO 8601), as a sentence of plain text. */
export function spentText({ turns, spending, settings }: SpendingRun, now: string): string {
  const { usage } = spending;
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const { workMs } = countWork(spending, false, now);
  const cost = spending.costUsd;
  const parts = `${formatNumber(inputTokens)} read, of which ${formatNumber(cachedInputTokens)} from the cache, and ${formatNumber(outputTokens)} written`;
  const spent = [
    pluralize(turns, 'response'),
    `${pluralize(totalTokens(usage), 'token')} (${parts})`,
    ...(cost === null ? [] : [formatDollars(cost)]),
    `${pluralize(Math.floor(workMs / MS_PER_MINUTE), 'minute')} of work`,
  ];
  const isUnpriced = settings.limits.costUsd !== null && cost === null;
  return `It has spent ${formatList(spent)}.${isUnpriced ? UNPRICED_TEXT : ''}`;
}
