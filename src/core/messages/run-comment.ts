import { redact } from '../../lib/credentials.ts';
import { commitUrl, formatList, pluralize, type RepoLinks, shortenPath, shortSha } from '../../lib/format.ts';
import { isReading } from '../edits/change.ts';
import { formatExtent, namedPaths } from '../edits/describe-change.ts';
import { byteLength } from '../edits/text/characters.ts';
import type { AwaitingChecks } from '../state/checks.ts';
import { canCommit } from '../state/head-branch.ts';
import {
  decidingVotes,
  isFinal,
  isOpen,
  isPending,
  PROPOSAL_STATES,
  type Proposal,
  turnOf,
} from '../state/proposal.ts';
import { type AgentQuestion, currentQuestion } from '../state/question.ts';
import { expiresAt, type ModelDelay, type Phase, type Run } from '../state/run.ts';
import { distinctPeople, type StandingApproval } from '../state/vote.ts';
import { standingApprovalRow } from './approval-replies.ts';
import {
  byOwnRecords,
  deciderNames,
  escapeLogin,
  formatProposalList,
  linkedId,
  stateLabel,
} from './proposal/proposal-status.ts';
import { questionRow } from './question-comment.ts';
import { describeEnd, spendingLine } from './run-ended.ts';
import { branchLines } from './run-warnings.ts';
import {
  codeSpan,
  escapeText,
  formatTime,
  joinBlocks,
  link,
  MAX_POSTED_BODY_BYTES,
  renderWithin,
  runMarker,
  tableCodeSpan,
  turnMarker,
} from './shared/markdown.ts';
import { quoteMarkdown, quoteModelMarkdown } from './shared/model-markdown.ts';

/** Everything that the run's one comment shows. */
type RunView = {
  readonly run: Run;
  /** All proposals of the run, oldest first. */
  readonly proposals: readonly Proposal[];
  /** Number of tasks queued behind this run. */
  readonly queued: number;
  /** Those in force. */
  readonly standingApprovals: readonly StandingApproval[];
  readonly links: RepoLinks;
  /** The number of the pull request. */
  readonly number: number;
};

/** Shares of the limits below that are tried in turn. */
const LIMIT_SHARES = [1, 1 / 2, 1 / 4, 1 / 8] as const;

const MAX_TASK_CHARACTERS = 1_500;

const MAX_TABLE_BYTES = MAX_POSTED_BODY_BYTES / 3;

const MAX_PATH_CHARACTERS = 120;

/** The run's one comment, edited in place from start to end. At most 60,000 bytes of UTF-8. */
export function renderRunComment(view: RunView): string {
  const { run } = view;
  const proposals = ownProposals(view.proposals);
  const listed = sortByProgress(listedProposals(run, proposals));
  const ofModel = joinBlocks(planText(run), wordsBeside(run, proposals));
  const table = (share: number): string => renderProposalTable(listed, view.links, MAX_TABLE_BYTES * share);
  return renderWithin(LIMIT_SHARES, (share) =>
    joinBlocks(
      runMarker(run.id),
      [stateLine(run, proposals), countsText(listed)].filter((text) => text !== '').join(' '),
      askedLine(view),
      quoteMarkdown(run.task.text, Math.floor(MAX_TASK_CHARACTERS * share)),
      laterWordsLine(run),
      run.phase.kind === 'ended' ? '' : joinBlocks(...branchLines(run.branch)),
      ofModel,
      questionsText(run),
      ofModel === '' || listed.length === 0 ? table(share) : byOwnRecords('Changes', table(share)),
      standingApprovalsText(view),
      heldAnswersLine(run, proposals),
      appliedLine(view, proposals),
      blockingReviewLine(run),
      readFilesLine(run),
      usageLine(view),
      commandsLine(run, proposals),
    ),
  );
}

/** Without the undos of earlier runs' changes, which are no part of the task. */
function ownProposals(proposals: readonly Proposal[]): readonly Proposal[] {
  const own = new Map<string, Proposal>();
  for (const one of proposals)
    if (one.origin.kind === 'call' || own.has(one.origin.undoneProposalId)) own.set(one.id, one);
  return [...own.values()];
}

/** A task that was given in a thread can say “this”, so the thread is linked. */
function askedLine({ run, links, number }: RunView): string {
  const { by, location } = run.task;
  if (location.at !== 'thread') return `${escapeLogin(by)} asked:`;
  const url = `${links.repository}/pull/${number}#discussion_r${location.commentId}`;
  return `${escapeLogin(by)} asked in ${link('this thread', url)}:`;
}

/** The task is not what a continued run works on. */
function laterWordsLine({ lastResumption }: Run): string {
  const spoken = lastResumption?.spoken ?? null;
  return spoken === null ? '' : `The run went on with a later comment of ${escapeLogin(spoken.by)}.`;
}

/** They outlive the run, so that an ended one lists them too. */
function standingApprovalsText({ standingApprovals }: RunView): string {
  if (standingApprovals.length === 0) return '';
  return joinBlocks('Standing approvals in force:', standingApprovals.map(standingApprovalRow).join('\n'));
}

/** The model's words beside the changes of its last response, where no review holds them; empty where one does. */
function wordsBeside({ batch, phase, reviews }: Run, proposals: readonly Proposal[]): string {
  if (phase.kind !== 'awaiting-decisions' || reviews.some(({ turn }) => turn === phase.turn)) return '';
  const reasons = proposals.map(({ modelReason }) => modelReason);
  return quoteModelWords(batch?.assistantText ?? null, reasons, MODEL_TEXT_LIMITS[1]);
}

/** Empty where a page has all of them as its reason. */
function quoteModelWords(words: string | null, reasons: readonly (string | null)[], maxCharacters: number): string {
  return words === null || reasons.includes(words.trim()) ? '' : quoteModelMarkdown('Comment', words, maxCharacters);
}

/** People's words to the agent wait until all changes of the response are decided; empty where none waits. */
export function heldAnswersLine({ phase }: Run, proposals: readonly Proposal[]): string {
  if (phase.kind !== 'awaiting-decisions') return '';
  const batch = proposals.filter((one) => turnOf(one) === phase.turn);
  const decided = batch.filter((one) => !isOpen(one));
  if (decided.length === 0 || decided.length === batch.length) return '';
  const people = distinctPeople(decided.flatMap((one) => decidingVotes(one).map(({ by }) => by)));
  const by = people.length === 0 ? '' : ` by ${formatList(people.map(escapeLogin))}`;
  return `${decided.length} of ${pluralize(batch.length, 'change')} decided${by}; the agent gets the decisions, reasons and instructions after the last one, or with ${codeSpan('/continue')}.`;
}

/** The model's plan. No task list: ticking a box would edit the comment. */
function planText({ plan }: Run): string {
  if (plan === null) return '';
  const lines = plan.map(({ text, done }) => {
    const words = redact(text).replace(/\s+/g, ' ').trim();
    return `- ${done ? '☑' : '☐'} ${escapeText(words)}`;
  });
  return joinBlocks('Plan, written by the model:', lines.join('\n'));
}

/** Of an ended run only the state: the reply to the requester has the rest. */
function stateLine(run: Run, proposals: readonly Proposal[]): string {
  const { phase, questions } = run;
  switch (phase.kind) {
    case 'reading-context':
    case 'awaiting-model':
    case 'running-tools':
    case 'posting':
      return `**Working.** ${capitalize(activityText(phase))}.`;
    case 'awaiting-decisions':
      return waitingLine(
        run,
        proposals.filter((proposal) => proposal.state === 'proposed'),
        currentQuestion(questions),
      );
    case 'awaiting-checks':
      return `${capitalize(activityText(phase))}.`;
    case 'ended':
      return `**Ended.** The run ${describeEnd(phase)}.`;
  }
}

/** The activity of the active run, as a clause without a period; empty while it waits for people. */
export function activityText(phase: Phase): string {
  switch (phase.kind) {
    case 'reading-context':
      return `the model has been reading the pull request since ${formatTime(phase.since)}`;
    case 'awaiting-model':
      return phase.delay === null
        ? `the model has been thinking since ${formatTime(phase.since)}`
        : `${DELAY_CAUSES[phase.delay.cause]}; the next try is at ${formatTime(phase.delay.until)}`;
    case 'running-tools':
      return 'reading files for the model';
    case 'posting':
      return 'posting the proposed changes';
    case 'awaiting-checks':
      return checkWaitText(phase);
    case 'awaiting-decisions':
    case 'ended':
      return '';
  }
}

function checkWaitText({ commit, until, seen }: AwaitingChecks): string {
  const what = seen === null || seen.shown === 0 ? 'its checks' : pluralize(seen.shown, 'check');
  return `applied in ${shortSha(commit)}. Waiting for ${what}. The wait ends on ${formatTime(until)} at the latest`;
}

const DELAY_CAUSES = {
  'rate-limit': 'the model’s endpoint limits requests',
  unreachable: 'the model’s endpoint cannot be reached',
  failing: 'the model’s endpoint fails',
} as const satisfies Record<ModelDelay['cause'], string>;

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function waitingLine(run: Run, pending: readonly Proposal[], question: AgentQuestion | null): string {
  if (question === null) return pendingLine(run, pending);
  const until = expiresAt(run, question.comment?.createdAt ?? null);
  const expiry = until === null ? '' : ` It expires on ${formatTime(until)}.`;
  const waiting = `**Waiting for an answer** to the question ${linkedId(question)}.${expiry}`;
  return pending.length === 0 ? waiting : `${waiting} ${pendingLine(run, pending)}`;
}

const MAX_QUESTIONS_LISTED = 10;

/** The newest questions of the agent. */
function questionsText({ questions }: Run): string {
  if (questions.length === 0) return '';
  const rows = questions.slice(-MAX_QUESTIONS_LISTED).map(questionRow);
  return joinBlocks('Questions of the agent:', rows.join('\n'));
}

function pendingLine(run: Run, pending: readonly Proposal[]): string {
  if (pending.length === 0) return '**Working.** Applying approved changes.';
  const [first] = pending.flatMap(({ proposedAt }) => expiresAt(run, proposedAt) ?? []).toSorted();
  const expiry = first === undefined ? '' : ` Pending changes expire on ${formatTime(first)}.`;
  return `**Waiting for review** of ${pluralize(pending.length, 'change')}.${expiry}`;
}

/** An undo of an ended run is listed only once it is decided: only its commit updates the comment of an ended run. */
function listedProposals({ phase }: Run, all: readonly Proposal[]): readonly Proposal[] {
  return all.filter(
    (one) => one.origin.kind === 'call' || phase.kind !== 'ended' || one.commitSha !== null || !isOpen(one),
  );
}

/** Pending ones first, then those in work, then the decided ones; each oldest first. */
function sortByProgress(proposals: readonly Proposal[]): readonly Proposal[] {
  const rank = ({ state }: Proposal): number => (state === 'proposed' ? 0 : isFinal(state) ? 2 : 1);
  return proposals.toSorted((left, right) => rank(left) - rank(right));
}

/** How many changes are in which state: `2 pending, 5 completed`. Empty where another line says it of all of them. */
function countsText(proposals: readonly Proposal[]): string {
  if (proposals.every(({ state }) => state === 'proposed')) return '';
  if (proposals.every(({ state, change }) => state === 'completed' && !isReading(change))) return '';
  const ordered = proposals.toSorted(
    (left, right) => PROPOSAL_STATES.indexOf(left.state) - PROPOSAL_STATES.indexOf(right.state),
  );
  const counts = [...Map.groupBy(ordered, stateLabel)].map(([label, { length }]) => `${length} ${label}`);
  return `Changes: ${counts.join(', ')}.`;
}

/** The newest rows that fit, in the order of their progress; the others are counted. */
function renderProposalTable(proposals: readonly Proposal[], links: RepoLinks, maxBytes: number): string {
  if (proposals.length === 0) return '';
  const rows = new Map<string, string>();
  let usedBytes = 0;
  for (const proposal of sortByProgress(proposals.toReversed())) {
    const row = formatProposalRow(proposal, links);
    usedBytes += byteLength(row) + 1;
    if (usedBytes > maxBytes) break;
    rows.set(proposal.id, row);
  }
  const shown = proposals.flatMap((proposal) => rows.get(proposal.id) ?? []);
  const remaining = proposals.length - shown.length;
  const head = ['| Change | File | State | By | Commit |', '|---|---|---|---|---|'];
  return joinBlocks(
    [...head, ...shown].join('\n'),
    remaining === 0 ? '' : `${pluralize(remaining, 'earlier change')} not listed here.`,
  );
}

function formatProposalRow(proposal: Proposal, links: RepoLinks): string {
  const { origin, commitSha, replacedBy } = proposal;
  const name = linkedId(proposal);
  const change = origin.kind === 'undo' ? `${name} undoes ${tableCodeSpan(origin.undoneProposalId)}` : name;
  const commit = commitSha === null ? '' : link(codeSpan(shortSha(commitSha)), commitUrl(links, commitSha));
  const shown = replacedBy === null ? stateLabel(proposal) : `${stateLabel(proposal)}, now ${codeSpan(replacedBy)}`;
  const cells = [change, fileCell(proposal), shown, deciderNames(proposal) ?? '', commit];
  return `| ${cells.join(' | ')} |`;
}

function fileCell({ change }: Proposal): string {
  const [{ op, path, from }, ...others] = change.members;
  if (others.length > 0) {
    const paths = change.members.map((member) => member.path);
    return `${namedPaths(change.members, pathCell)} (${formatExtent(paths)})`;
  }
  const file = pathCell(path);
  if (op === 'delete' || op === 'read') return `${file} (${op})`;
  return from === null ? file : `${pathCell(from)} → ${file}`;
}

function pathCell(path: string): string {
  return tableCodeSpan(shortenPath(path, MAX_PATH_CHARACTERS));
}

/** From the App's own records: the model might claim something else. */
function appliedLine({ run, proposals: all }: RunView, proposals: readonly Proposal[]): string {
  const applied = proposals.filter(({ state, change }) => state === 'completed' && !isReading(change));
  const others = new Set(all.filter((one) => !proposals.includes(one)).map(({ commitSha }) => commitSha));
  const runCommits = run.commits.filter((sha) => !others.has(sha));
  if (applied.length === 0 && runCommits.length === 0)
    return run.phase.kind === 'ended' ? 'Nothing was changed.' : 'Nothing has been changed yet.';
  // Commits of suggestions by people are not the run's own, but they hold its changes.
  const commits = new Set([...runCommits, ...applied.flatMap(({ commitSha }) => commitSha ?? [])]);
  return `${pluralize(applied.length, 'change')} applied in ${pluralize(commits.size, 'commit')}.`;
}

/** Reviews that still block the pull request because GitHub refused to dismiss them, and who can (S72a). */
function blockingReviewLine({ reviews }: Run): string {
  const blocking = reviews.filter(({ status }) => status === 'dismiss-refused');
  if (blocking.length === 0) return '';
  const links = formatList(blocking.map(({ url }) => link('this request for changes', url)));
  return `⚠️ GitHub refused to let Countersign dismiss ${links}, although none of its changes is pending. An administrator, or a person named by the branch’s protection, must dismiss it.`;
}

const MAX_READ_PATHS_NAMED = 20;

/** The files that the model has read; empty without any. */
function readFilesLine({ readings }: Run): string {
  const paths = readings.flatMap(({ path, ref }) => (ref === 'head' ? [path] : [])).toSorted();
  if (paths.length === 0) return '';
  const named = paths.slice(0, MAX_READ_PATHS_NAMED).map((path) => codeSpan(shortenPath(path, MAX_PATH_CHARACTERS)));
  const remaining = paths.length - named.length;
  return `The model read ${remaining === 0 ? formatList(named) : `${named.join(', ')} and ${pluralize(remaining, 'more file')}`}.`;
}

function usageLine({ run, queued }: RunView): string {
  // The next task starts once the run has ended, and nothing updates this comment then.
  const isQueued = queued > 0 && run.phase.kind !== 'ended';
  return [
    `${run.settings.model === null ? '' : `${codeSpan(run.settings.model)} · `}${spendingLine(run)}.`,
    ...(isQueued ? [`${pluralize(queued, 'more task')} queued.`] : []),
  ].join(' ');
}

function commandsLine({ phase: { kind }, branch }: Run, proposals: readonly Proposal[]): string {
  const help = `${codeSpan('/help')} lists all commands.`;
  if (kind === 'ended') return help;
  const approvable = proposals.filter((one) => isPending(one) && (canCommit(branch) || isReading(one.change)));
  const skip = kind === 'awaiting-decisions' ? `${codeSpan('/continue')} skips undecided changes, ` : '';
  return `${approvalHint(approvable.length)}${skip}${codeSpan('/stop')} ends the run, ${help}`;
}

/** A bare `/approve` on the pull request approves only a change that is the only one pending. */
function approvalHint(pending: number): string {
  if (pending === 0) return '';
  return pending === 1
    ? `${codeSpan('/approve')} approves the pending change, `
    : `${codeSpan('/approve all')} approves all pending changes, `;
}

/** The review that holds the proposals of one turn, or an undo, which belongs to no turn. */
type ReviewView = {
  readonly runId: string;
  readonly turn: number | null;
  /** What the turn proposes, wherever its comments are. */
  readonly proposals: readonly Proposal[];
  /** The model's text beside its calls. */
  readonly modelText: string | null;
};

const MODEL_TEXT_LIMITS = [4_000, 2_000, 500] as const;

/** A review's own body: one line of introduction, then the model's text with the App's list of what is proposed. */
export function renderReview({ runId, turn, proposals, modelText }: ReviewView): string {
  const undone = proposals.flatMap(({ origin }) => (origin.kind === 'undo' ? codeSpan(origin.undoneProposalId) : []));
  const proposed = turn === null ? `the undo of ${undone[0] ?? 'a change'}` : pluralize(proposals.length, 'change');
  const reasons = proposals.map(({ modelReason }) => modelReason);
  return renderWithin(MODEL_TEXT_LIMITS, (maxCharacters) => {
    const words = quoteModelWords(modelText, reasons, maxCharacters);
    return joinBlocks(
      turnMarker(runId, turn),
      `Countersign proposes ${proposed}. Nothing changes without an approval.`,
      words,
      words === '' ? '' : byOwnRecords('Proposed', formatProposalList(proposals)),
    );
  });
}

/** The message with which the App dismisses its own review. */
export const NOTHING_PENDING_TEXT = 'None of these changes is pending any more.';
