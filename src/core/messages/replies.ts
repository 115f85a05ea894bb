import { formatList, pluralize } from '../../lib/format.ts';
import type { Reply } from '../../lib/trust.ts';
import type { CommandSyntax } from '../comments/command-line.ts';
import { MAX_DIFF_BYTES, shownDiff } from '../edits/change.ts';
import type { RequiredRole } from '../policy/may-approve.ts';
import { inPageOrder } from '../policy/waiting.ts';
import type { HeadBranch } from '../state/head-branch.ts';
import type { CommandName } from '../state/intent.ts';
import type { ReachedRunLimit } from '../state/limits.ts';
import { isPending, type Proposal } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import {
  type AgentQuestion,
  SIDE_QUESTION_LIMITS,
  type SideQuestion,
  type SideQuestionOutcome,
} from '../state/question.ts';
import type { Run } from '../state/run.ts';
import type { RequiredPermission } from '../step/app-rights.ts';
import type { UndoRefusal } from '../step/reasons.ts';
import { createTextView, renderOpenDiff } from './proposal/diff-markdown.ts';
import {
  describeOutcome,
  escapeLogin,
  formatProposalList,
  linkedId,
  numberOf,
  pendingText,
} from './proposal/proposal-status.ts';
import { activityText, heldAnswersLine } from './run-comment.ts';
import { NEW_RUN_HINT } from './run-ended.ts';
import { branchLines } from './run-warnings.ts';
import {
  codeSpan,
  composeReply,
  escapeMessage,
  escapeText,
  formatTime,
  joinBlocks,
  link,
  renderWithin,
  truncate,
} from './shared/markdown.ts';
import { quoteMarkdown, quoteModelMarkdown } from './shared/model-markdown.ts';

/** T12: a change that is not in the state that a command needs. */
const NOT_FOUND_TEXT = 'Execution not found or not in proposed state';

const HELP_HINT = `${codeSpan('/help')} lists all commands.`;

const STATUS_HINT = `${codeSpan('/status')} lists pending changes.`;

/** A command as people read about it. */
export type CommandHelp = Pick<CommandSyntax, 'name' | 'words' | 'syntax'> & {
  /** One sentence without a period. */
  readonly summary: string;
  readonly allowedTo: RequiredRole;
};

// Who and where

export function ownerNotAllowed(owner: string): Reply {
  return composeReply(
    `Countersign is not enabled for repositories of ${escapeMessage(owner)}, so nothing was read or changed. Ask its operator to add that account to ${codeSpan('ALLOWED_OWNERS')}.`,
  );
}

/** `isForAuthors`: the pull request's author may use the command too. */
export function notAllowed(login: string, command: CommandName | null, isForAuthors: boolean): Reply {
  const others = isForAuthors ? ', unless you opened the pull request' : '';
  return composeReply(
    `Sorry, ${escapeMessage(login)}: ${formatCommand(command)} needs write access to this repository${others}. Nothing was decided. Ask a maintainer to post it.`,
  );
}

export function permissionMissing(permissions: readonly RequiredPermission[]): Reply {
  return composeReply(
    `Nothing was started, and the model was not asked: the App lacks the permission ${formatList(permissions.map(codeSpan))} here, and could not commit. An owner of this repository’s account can grant it: in the account’s settings, under **GitHub Apps**, choose **Configure** beside this App, and accept **Review request**. If no request is shown there, tell the operator of this App. Then post your comment again.`,
  );
}

const RUN_COUNTS = {
  'limits.runs_per_day': 'this repository has',
  'limits.runs_per_person_per_day': 'the person who asked has',
} as const satisfies Record<ReachedRunLimit['key'], string>;

export function tooManyRuns({ key, max, freeAt }: ReachedRunLimit): Reply {
  return composeReply(
    `Nothing was started: ${RUN_COUNTS[key]} started ${pluralize(max, 'run')} within 24 hours, which is the limit ${codeSpan(key)}, and going on with an ended run counts like a start. The next one can start after ${formatTime(freeAt)}; then write it again.`,
  );
}

export function pullNotOpen(state: 'closed' | 'merged'): Reply {
  const next = state === 'closed' ? 'Reopen it and ask again.' : 'Open a new pull request and ask there.';
  return composeReply(`This pull request is ${state}, so Countersign can’t change it. ${next}`);
}

/** The branch is in a fork, or a rule refused an earlier commit. */
export function cannotCommit(branch: HeadBranch): Reply {
  return composeReply(`Nothing was approved. ${branchLines(branch)[0] ?? ''}`);
}

// Comments without effect

export function ambiguous(
  command: CommandName,
  pending: readonly Proposal[],
  isBelowQuote: boolean,
  question: AgentQuestion | null,
): Reply {
  const count = pending.length === 1 ? 'one change is' : 'several changes are';
  const all = command === 'show' ? '' : ` or ${codeSpan(`/${command} all`)}`;
  return composeReply(
    `${formatCommand(command)} had no effect: ${count} pending, and your comment names none.`,
    command === 'approve' && isBelowQuote ? 'A quote never approves: name the change by its id.' : '',
    formatProposalList(pending),
    question === null
      ? ''
      : `The question ${linkedId(question)} waits too, and takes ${codeSpan(`/${command} ${question.id}`)}.`,
    `Reply in the change’s own thread, or use ${codeSpan(`/${command} ${pending[0]?.id ?? '<id>'}`)}${all}.`,
  );
}

/** A command that needs an id. `changes` are those that it can mean, newest first. */
export function idMissing(command: 'show' | 'undo', changes: readonly Proposal[]): Reply {
  const example = codeSpan(`/${command} ${changes[0]?.id ?? '<id>'}`);
  return composeReply(
    `${codeSpan(`/${command}`)} needs the id of ${command === 'undo' ? 'an applied' : 'a'} change, as in ${example}. ${changes.length === 0 ? 'The last run has no such change.' : 'It can mean:'}`,
    formatProposalList(changes),
  );
}

/** Nothing that the command could be about is open. */
export function nothingPending(command: CommandName): Reply {
  return composeReply(
    `${formatCommand(command)} had no effect: nothing was waiting for it when you posted it. ${STATUS_HINT} ${NEW_RUN_HINT}`,
  );
}

const MAX_IDS_NAMED = 20;

export function unknownIds(ids: readonly string[], pending: readonly Proposal[]): Reply {
  const names = ids
    .slice(0, MAX_IDS_NAMED)
    .map((word) => codeSpan(truncate(word, MAX_WORD_CHARACTERS)))
    .join(' or ');
  return composeReply(
    `${NOT_FOUND_TEXT}: no change of this pull request has the id ${names}. Nothing was decided.`,
    pending.length === 0 ? 'No change is pending.' : joinBlocks('Still pending:', formatProposalList(pending)),
    pending.length === 0 ? NEW_RUN_HINT : 'Post the command again with one of these ids.',
  );
}

const MAX_OUTCOMES_NAMED = 30;

export function decidedBefore(proposals: readonly Proposal[]): Reply {
  const outcomes = proposals.slice(0, MAX_OUTCOMES_NAMED).map(describeOutcome);
  return composeReply(
    `${NOT_FOUND_TEXT}: ${formatList(outcomes)}.`,
    `That is final. For something else, say so below the change without a command, or use ${codeSpan('/countersign <task>')}.`,
  );
}

/** The hint for a command that does not fit. `form` is that of the nearest one; null if none is near. */
export function malformedCommand(form: string | null): Reply {
  return composeReply(
    form === null
      ? `Nothing was decided: this is no command of Countersign. ${HELP_HINT}`
      : `Nothing was decided. A command stands alone on the first line of a comment, in this form: ${codeSpan(form)}. ${HELP_HINT}`,
  );
}

export function affirmationDecidesNothing(id: string): Reply {
  return composeReply(
    `${codeSpan(id)} is still pending, because this reply decides nothing. To approve it, write ${codeSpan('/approve')} as the first line; ${codeSpan('/deny')} leaves the file as it is, and any other sentence says what to change.`,
  );
}

/** Consent that names no change, beside pending ones. */
export function consentDecidesNothing(pending: readonly Proposal[]): Reply {
  return composeReply(
    `Nothing was decided, because your comment holds no command. To approve a change, write ${codeSpan(`/approve ${pending[0]?.id ?? '<id>'}`)} as the first line. Still pending:`,
    formatProposalList(pending),
  );
}

/** Words to a run that can't go on with them. */
export function wordsWithoutRun(): Reply {
  return composeReply(`The agent does not get your comment, because its run is over. ${NEW_RUN_HINT}`);
}

/** Words that the agent gets after the decisions that its run waits for. */
export function wordsKept(pending: readonly Proposal[], question: AgentQuestion | null): Reply {
  const waiting = [
    ...(pending.length === 0 ? [] : [pluralize(pending.length, 'pending change')]),
    ...(question === null ? [] : [`the question ${linkedId(question)}`]),
  ];
  const [first] = pending;
  const direct = first === undefined ? `/answer ${question?.id} <text>` : `/edit ${first.id} <instruction>`;
  return composeReply(
    `The agent reads your comment after the decision on ${formatList(waiting)}, or now with ${codeSpan('/continue')}. To speak to one of them, reply in its thread, quote it, or use ${codeSpan(direct)}.`,
    formatProposalList(pending),
  );
}

/** A suggestion block that has no effect. `why` is a clause of plain text. */
export function suggestionRefused(id: string, why: string): Reply {
  return composeReply(
    `${codeSpan(id)} is still pending: your suggestion can’t replace it: ${escapeMessage(why.replace(/\.$/, ''))}. Reply with one ${codeSpan('suggestion')} block or with what to change, or use ${codeSpan('/approve')} or ${codeSpan('/deny [reason]')}.`,
  );
}

/** The block equals the proposed lines, and the words beside it can agree with them or object to them. */
export function sameLinesBesideText(id: string): Reply {
  return composeReply(
    `Nothing was approved: your block has exactly the proposed lines, but it does not stand alone. To approve them, use ${codeSpan(`/approve ${id}`)}, with a note for the agent below it if you like; else say what to change without a block.`,
  );
}

export function undoNotEditable(undos: readonly Proposal[]): Reply {
  return composeReply(
    'An undo is the exact reverse of a change, so you can only approve or deny it. Still pending:',
    formatProposalList(undos),
  );
}

const INSTEAD_TEXT = `Use ${codeSpan('/countersign <task>')} to say what to do instead.`;

/** An `/undo` without a proposal. */
export function undoRefused(proposalId: string, refusal: UndoRefusal): Reply {
  const id = codeSpan(proposalId);
  switch (refusal.kind) {
    case 'pending':
      return composeReply(
        `The reverse of ${id} touches the lines or paths of a pending change. Decide on that one first, then use ${codeSpan(`/undo ${proposalId}`)} again:`,
        formatProposalList([refusal.other]),
      );
    case 'already-undone':
      return composeReply(`There is nothing to undo: ${pathSpan(refusal.path)} is already as it was before ${id}.`);
    case 'changed-since':
      return composeReply(
        `Nothing was proposed: ${pathSpan(refusal.path)} has changed since, and the lines of ${id} are gone or occur more than once, or another file is in the way. ${INSTEAD_TEXT}`,
      );
    case 'refused':
      return composeReply(`${escapeMessage(refusal.message)} ${INSTEAD_TEXT}`);
  }
}

const MAX_PATH_CHARACTERS = 300;

function pathSpan(path: string): string {
  return codeSpan(truncate(path, MAX_PATH_CHARACTERS));
}

export function editedIntoCommand(): Reply {
  return composeReply(
    'An edited comment has no effect, because it might have been read before the edit. Post a new comment instead.',
  );
}

export function notResumable(why: 'no-resumable-run' | 'run-active' | 'written-before-end'): Reply {
  return composeReply(NOT_RESUMABLE[why]);
}

const NOT_RESUMABLE = {
  'no-resumable-run': `There is no run to resume: ${codeSpan('/resume')} continues one that expired, reached a limit, or ended because the model failed. ${NEW_RUN_HINT}`,
  'run-active': `${codeSpan('/resume')} had no effect: a run is active or about to start. ${STATUS_HINT}`,
  'written-before-end': `${codeSpan('/resume')} had no effect: it was posted before the run ended, or in the same second. Post it again.`,
} as const;

const INTERNAL_ERROR_TEXT = {
  comment:
    'Countersign failed to process that comment because of an internal error, so it had no effect. Everything else continues. Please post it again;',
  event: `Countersign failed to process an event of this pull request because of an internal error. If the run doesn’t continue, use ${codeSpan('/stop')} and start a new one;`,
} as const;

/** A comment or an event that failed after all retries; `stored-schema` if another version stored the state. */
export function internalError(errorId: string, about: keyof typeof INTERNAL_ERROR_TEXT | 'stored-schema'): Reply {
  const id = codeSpan(errorId);
  return composeReply(
    about === 'stored-schema'
      ? `This pull request’s state was stored by another version of Countersign, so comments have no effect until that version runs again. Pending changes are kept. Tell the operator of this App the error id ${id}.`
      : `${INTERNAL_ERROR_TEXT[about]} if that fails too, tell the operator of this App the error id ${id}.`,
  );
}

// Queues and people's questions

export function taskQueued(position: number): Reply {
  const start = position === 1 ? 'when the active run ends' : `after the ${pluralize(position, 'task')} before it`;
  return composeReply(
    `Your task is queued and starts by itself ${start}. ${codeSpan('/stop')} ends the active run and drops the queue.`,
  );
}

/** `waiting` counts those that wait, as in `10 tasks of yours`. */
export function queueFull(what: 'task' | 'question', waiting: string): Reply {
  return composeReply(
    `Your ${what} was not taken: ${waiting} already wait on this pull request. Write it again once one of them is done.`,
  );
}

const MAX_QUESTION_CHARACTERS = 1_000;

const ANSWER_LENGTH_LIMITS = [12_000, 6_000, 3_000, 500] as const;

const CAVEATS = {
  'responses-used-up': `The model used all ${SIDE_QUESTION_LIMITS.responses} responses that a question has, so the answer can be incomplete.`,
  'cut-off': 'The answer was cut off, because it reached the length limit of the model endpoint.',
  filtered: 'The answer was withheld by the content filter of the model endpoint.',
} as const;

/** The model's answer to a person's question, quoted as the model's, or why there is none. */
export function questionAnswered(asked: SideQuestion, outcome: SideQuestionOutcome, all: readonly Proposal[]): Reply {
  return renderWithin(ANSWER_LENGTH_LIMITS, (maxCharacters) =>
    composeReply(
      `${escapeLogin(asked.by)} asked:`,
      quoteMarkdown(asked.text, MAX_QUESTION_CHARACTERS),
      answerText(outcome, maxCharacters),
      'Nothing was decided.',
      pendingText(all),
    ),
  );
}

function answerText(outcome: SideQuestionOutcome, maxCharacters: number): string {
  if (outcome.kind === 'failed') return `The model gave no answer: ${escapeMessage(outcome.message)}. Try again later.`;
  return joinBlocks(
    quoteModelMarkdown('Answer', outcome.content ?? '', maxCharacters) || 'The model’s answer was empty.',
    outcome.caveat === null ? '' : CAVEATS[outcome.caveat],
  );
}

// Information

/** `/show`: a change as it was proposed, and its outcome. */
export function changeShown(proposal: Proposal): Reply {
  const diff = shownDiff(proposal.change);
  const view = diff === null ? null : createTextView(diff);
  return composeReply(
    formatProposalList([proposal]),
    `${describeOutcome(proposal)}. Digest ${codeSpan(proposal.change.digest.slice(0, 12))}.`,
    ...(view?.warnings ?? []).map((text) => `⚠️ ${escapeText(text)}`),
    view === null ? 'It has no diff.' : renderOpenDiff(view, MAX_DIFF_BYTES),
  );
}

/** `/status`; `question` is the one that waits for an answer. */
export function statusShown(pull: PullState, question: AgentQuestion | null, canResume: boolean): Reply {
  const { queue, sideQuestions, proposals } = pull;
  const pending = inPageOrder(proposals.filter(isPending));
  const run = activeRun(pull);
  const sentences = [
    run === null ? 'No run is active.' : describeActivity(run, proposals),
    queue.length === 0 ? '' : `${pluralize(queue.length, 'task')} queued.`,
    sideQuestions.length === 0 ? '' : `${pluralize(sideQuestions.length, 'question')} pending.`,
    question === null ? '' : `The question ${linkedId(question)} waits for an answer.`,
    pending.length === 0 ? 'No change is pending.' : 'Pending changes:',
  ];
  return composeReply(
    sentences.filter((sentence) => sentence !== '').join(' '),
    formatProposalList(pending, numberOf),
    pending.length < 2 ? '' : `Use ${codeSpan('/approve all')} to apply all of them.`,
    canResume ? `Use ${codeSpan('/resume')} to continue the last run.` : '',
    run === null ? NEW_RUN_HINT : '',
  );
}

/** The activity of a run as its comment says it, and a link to that comment. */
function describeActivity(run: Run, proposals: readonly Proposal[]): string {
  const name = run.comment === null ? 'A run' : link('A run', run.comment.url);
  const doing = activityText(run.phase);
  const own = proposals.filter(({ runId }) => runId === run.id);
  return `${name} is active${doing === '' ? '' : `: ${doing}`}. ${heldAnswersLine(run, own)}`.trimEnd();
}

export function helpShown(commands: readonly CommandHelp[]): Reply {
  const forAuthors = commands.filter(({ allowedTo }) => allowedTo === 'writer-or-author');
  return composeReply(
    'A command stands on the first line of a comment, with nothing before it. In a change’s thread it applies to that change; elsewhere, add its id.',
    commands.map(({ syntax, summary }) => `- ${codeSpan(syntax)} – ${escapeText(summary)}`).join('\n'),
    `Commands need write access to this repository. If you opened the pull request, you can also use ${formatList(forAuthors.map(({ name }) => codeSpan(`/${name}`)))}.`,
    'Any other reply in a change’s thread tells the agent what to change. A reply with one suggestion block applies your own lines, and GitHub’s **Commit suggestion** button counts as your approval.',
    'Nothing changes without an approval.',
  );
}

/** A command as it is written in a comment; null for one that the App does not know. */
function formatCommand(command: CommandName | null): string {
  if (command === null) return 'A command';
  return codeSpan(command === 'task' ? '/countersign <task>' : `/${command}`);
}

const MAX_WORD_CHARACTERS = 100;
