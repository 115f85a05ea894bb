import { commitUrl, formatList, pluralize, type RepoLinks, shortSha } from '../../lib/format.ts';
import type { CommandSyntax } from '../comments/command-grammar.ts';
import type { RequiredRole } from '../policy/approval-rules.ts';
import type { CommandName } from '../state/intent.ts';
import type { ReachedRunLimit } from '../state/limits.ts';
import type { ProposalState } from '../state/proposal.ts';
import type { ResumeRefusal } from '../step/refusals.ts';
import type { Reply, RunActivity } from '../step/replies.ts';
import type { ProposalOutcome } from '../step/reply-links.ts';
import {
  renderLapsed,
  renderNotCounted,
  renderStandingApprovals,
  renderStandingEnded,
  renderStandingGranted,
  renderStandingRefused,
  renderStandingUnknown,
  renderWithdrawn,
} from './approval-replies.ts';
import { describeOutcome, escapeLogin, formatProposalList } from './proposal/proposal-status.ts';
import {
  formatQuestionList,
  openQuestionText,
  renderNoQuestion,
  renderQuestionClosed,
  renderQuestionHint,
} from './question-replies.ts';
import {
  escapeMessage,
  NOT_FOUND_TEXT,
  renderDetails,
  renderFurtherDetails,
  renderInternalError,
  renderModelAnswer,
  renderPartlyQuoted,
  renderSideQuestion,
  renderSideQuestionLimit,
  renderUndoRefused,
  renderUserEditRefused,
} from './reply-details.ts';
import { activityText } from './run-activity.ts';
import { formatDroppedTasks, renderRunEnded } from './run-ended.ts';
import { APPLY_BY_HAND_TEXT, branchSpan } from './run-warnings.ts';
import { renderSettings } from './settings-replies.ts';
import {
  codeSpan,
  escapeText,
  formatMention,
  formatTime,
  joinBlocks,
  link,
  REPLY_MARKER,
  truncate,
} from './shared/markdown.ts';

/** A command as people read about it. */
export type CommandHelp = Pick<CommandSyntax, 'name' | 'words' | 'syntax'> & {
  /** One sentence without a period. */
  readonly summary: string;
  readonly allowedTo: RequiredRole;
};

/** The repository's URL for links, and the commands that `/help` lists. */
type ReplyContext = { readonly links: RepoLinks; readonly commands: readonly CommandHelp[] };

/** A reply as a comment's Markdown, at most 60,000 bytes of UTF-8. Only a reminder and a run's end mention someone. */
export function renderReply(reply: Reply, context: ReplyContext): string {
  return joinBlocks(REPLY_MARKER, renderText(reply.kind, reply, context).trim());
}

/** The further comments of a reply that one comment cannot hold, in order; most replies have none. */
export function renderReplyContinuations(reply: Reply): readonly string[] {
  return reply.kind === 'proposal-details'
    ? renderFurtherDetails(reply).map((text) => joinBlocks(REPLY_MARKER, text))
    : [];
}

type ReplyByKind = { readonly [Kind in Reply['kind']]: Extract<Reply, { kind: Kind }> };

function renderText<Kind extends Reply['kind']>(kind: Kind, reply: ReplyByKind[Kind], context: ReplyContext): string {
  return REPLY_RENDERERS[kind](reply, context);
}

const HELP_HINT = `${codeSpan('/help')} lists all commands.`;

/** Why a quote might name no change, although the person thinks so. */
const QUOTE_HINT =
  'A quote names a change only if it copies its comment exactly, from the title on. To approve, quote it with the whole diff, and open a folded one before.';

const STATUS_HINT = `${codeSpan('/status')} lists pending changes.`;

const NEW_RUN_HINT = `Use ${codeSpan('/countersign <task>')} to start a run.`;

const UPDATE_HINT = 'The agent has been told and may propose an update.';

const NOT_RESUMABLE_TEXT = {
  'no-resumable-run': `There is no run to resume: ${codeSpan('/resume')} continues one that expired, reached a limit, or ended because the model failed. ${NEW_RUN_HINT}`,
  'run-active': `${codeSpan('/resume')} had no effect: a run is active or about to start. ${STATUS_HINT}`,
  'written-before-end': `${codeSpan('/resume')} had no effect: it was posted before the run ended, or in the same second. Post it again.`,
} as const satisfies Record<ResumeRefusal, string>;

const MEANT_CHANGES = {
  show: { one: 'a change', all: 'The changes' },
  undo: { one: 'an applied change', all: 'The applied changes' },
} as const;

/** The hint says it all where no task follows, and no word is to blame where the position is. */
function misunderstoodText(command: CommandName | null, word: string): string {
  if (command === null) return `${wordSpan(`/${word}`)} had no effect.`;
  if (command === 'task' && word === '') return '';
  const isWord = word !== '' && word !== command;
  return `${formatCommand(command)} had no effect${isWord ? `: it was not understood at ${wordSpan(word)}` : ''}.`;
}

const MAX_WORD_CHARACTERS = 100;

const MAX_IDS_NAMED = 20;

const MAX_OUTCOMES_NAMED = 30;

const MAX_REQUESTERS_MENTIONED = 10;

/** What the run's comment says at its top, and a link to it. */
function describeActivity({ phase, url, decided, proposed, deciders }: RunActivity): string {
  const run = url === null ? 'A run' : link('A run', url);
  const doing = activityText(phase);
  const waiting =
    decided === 0 || decided === proposed
      ? ''
      : ` ${decided} of ${pluralize(proposed, 'change')} decided${deciders.length === 0 ? '' : ` by ${formatList(deciders.map(escapeLogin))}`}; the agent gets these decisions after the last one, or with ${codeSpan('/continue')}.`;
  return `${run} is active${doing === '' ? '' : `: ${doing}`}.${waiting}`;
}

const RUN_COUNTS = {
  'limits.runs_per_day': 'this repository has',
  'limits.runs_per_person_per_day': 'the person who asked has',
} as const satisfies Record<ReachedRunLimit['key'], string>;

const REPLY_RENDERERS: {
  readonly [Kind in Reply['kind']]: (reply: ReplyByKind[Kind], context: ReplyContext) => string;
} = {
  // Who and where
  'owner-not-allowed': ({ owner }) =>
    `Countersign is not enabled for repositories of ${escapeMessage(owner)}, so nothing was read or changed. Ask its operator to add that account to ${codeSpan('ALLOWED_OWNERS')}.`,
  'not-allowed': ({ login, command }, { commands }) =>
    `Sorry, ${escapeMessage(login)}: ${formatCommand(command)} needs write access to this repository${canAuthorUse(command, commands) ? ', unless you opened the pull request' : ''}. Nothing was decided. Ask a maintainer to post it.`,
  'permission-missing': ({ permissions }, { links }) =>
    `Nothing was started, and the model was not asked: the App lacks the permission ${formatList(permissions.map(codeSpan))} here, and could not commit. An owner of this repository’s account can grant it: open ${link('the installed Apps', `${links.repository}/settings/installations`)}, choose **Configure** beside this App, and accept **Review request**. If no request is shown there, tell the operator of this App. Then post your comment again.`,
  'runs-per-day': ({ limit: { key, max, freeAt } }) =>
    `Nothing was started: ${RUN_COUNTS[key]} started ${pluralize(max, 'run')} within 24 hours, which is the limit, and going on with an ended run counts like a start. The next one can start after ${formatTime(freeAt)}; then write it again. People who can change ${codeSpan('.github/countersign.yml')} on the default branch can change ${codeSpan(key)}, within the bounds of this App’s operator.`,
  'pull-not-open': ({ state }) =>
    `This pull request is ${state}, so Countersign can’t change it. ${state === 'closed' ? 'Reopen it and ask again.' : 'Open a new pull request and ask there.'}`,
  fork: ({ headRef }) =>
    `Nothing was approved: the branch ${branchSpan(headRef)} is in a fork, and Countersign never writes to forks. ${APPLY_BY_HAND_TEXT}`,
  'push-refused': ({ headRef }) =>
    `Nothing was approved: the rules of ${branchSpan(headRef)} refused a commit of this run, so Countersign commits nothing more. ${APPLY_BY_HAND_TEXT}`,

  // Commands without effect
  ambiguous: ({ command, isBelowQuote, pending }) =>
    joinBlocks(
      pending.length === 1
        ? `${codeSpan(`/${command}`)} had no effect: one change is pending, and your comment doesn’t name it.`
        : `${codeSpan(`/${command}`)} had no effect: several changes are pending, and it names none of them.`,
      isBelowQuote ? QUOTE_HINT : null,
      formatProposalList(pending),
      `Reply in the change’s own thread, or use ${codeSpan(`/${command} ${pending[0]?.id ?? '<id>'}`)}${command === 'show' ? '' : ` or ${codeSpan(`/${command} all`)}`}.`,
    ),
  'nothing-pending': ({ command }) =>
    `${formatCommand(command)} had no effect: no change was pending when you posted it. ${STATUS_HINT}`,
  'posted-later': ({ postedLater }) =>
    joinBlocks(
      'Your comment doesn’t cover these changes, because they were posted later or in the same second. Still pending:',
      formatProposalList(postedLater),
      'Review them, then post the command again.',
    ),
  'decided-in-threads': () =>
    `The review’s summary had no effect: its inline comments already answer every change it could apply to. ${STATUS_HINT}`,
  'hidden-left-out': ({ proposals }) =>
    joinBlocks(
      'Your approval doesn’t cover these changes, because their thread is resolved or their comment is hidden:',
      formatProposalList(proposals),
      `Look at them, then use ${codeSpan(`/approve ${proposals[0]?.id ?? '<id>'}`)}.`,
    ),
  'decide-in-conversation': ({ command, id }) =>
    `Nothing was decided: this repository takes decisions only in the pull request’s conversation (${codeSpan('decide_in: conversation')}), not in threads or reviews. Post ${codeSpan(decisionExample(command, id))} there.`,
  'unknown-ids': ({ ids, pending }) => {
    const names = ids.slice(0, MAX_IDS_NAMED).map(wordSpan).join(' or ');
    return joinBlocks(
      `${NOT_FOUND_TEXT}: no change of this pull request has the id ${names}. Nothing was decided.`,
      pending.length === 0 ? 'No change is pending.' : joinBlocks('Still pending:', formatProposalList(pending)),
      pending.length === 0 ? NEW_RUN_HINT : 'Post the command again with one of these ids.',
    );
  },
  'id-missing': ({ command, changes }) =>
    joinBlocks(
      changes.length === 0
        ? `${codeSpan(`/${command}`)} needs the id of ${MEANT_CHANGES[command].one} here, as in ${codeSpan(`/${command} <id>`)}. The last run has none.`
        : `${codeSpan(`/${command}`)} needs the id of ${MEANT_CHANGES[command].one} here, as in ${codeSpan(`/${command} ${changes[0]?.id ?? '<id>'}`)}. ${MEANT_CHANGES[command].all} of the last run, newest first:`,
      formatProposalList(changes),
    ),
  'already-decided': ({ proposals }) =>
    joinBlocks(alreadyDecidedText(proposals), `${finalityText(proposals)} ${STATUS_HINT}`),
  'edit-too-late': ({ proposals }) =>
    joinBlocks(
      alreadyDecidedText(proposals),
      `${finalityText(proposals)} To have something else, reply to the change, or quote it, with your words and without a command, or use ${codeSpan('/countersign <task>')}.`,
    ),
  'malformed-command': ({ command, word, hint }) =>
    joinBlocks(misunderstoodText(command, word), escapeMessage(hint), HELP_HINT),
  'unknown-command': ({ word, nearest }) =>
    `${wordSpan(word)} is not a command of Countersign, so nothing was decided. ${nearest === null ? '' : `Did you mean ${formatCommand(nearest)}? `}${HELP_HINT}`,
  affirmation: ({ id }) =>
    `${codeSpan(id)} is still pending, because your words might be praise or a wish. Use ${codeSpan(`/approve ${id}`)} to apply it or ${codeSpan(`/deny ${id}`)} to leave the file as it is, or say in a sentence what to change.`,
  'empty-reply': ({ id }) =>
    `${codeSpan(id)} is still pending, because your reply has no text of its own. Use ${codeSpan('/approve')} or ${codeSpan('/deny [reason]')}, or reply with what to change.`,
  'partly-quoted': renderPartlyQuoted,
  'bare-command': ({ command, choice }) =>
    choice === null
      ? `That word alone decides nothing here. A command begins with a slash: ${formatCommand(command)}. ${HELP_HINT}`
      : `${codeSpan(String(choice.number))} alone decides nothing here. To answer the agent’s question, use ${codeSpan(`/choose ${choice.id} ${choice.number}`)}.`,
  'user-edit-refused': renderUserEditRefused,
  'edited-into-command': ({ isTask }) =>
    isTask
      ? 'An edited comment has no effect, because it might have been read before the edit. The task goes on as it was first written; mention this App in a new comment to tell the agent more.'
      : 'An edited comment has no effect, because it might have been read before the edit. Post a new comment instead.',
  'deleted-after-decision': ({ proposals }) =>
    `Deleting a comment does not undo its decision: ${formatList(proposals.slice(0, MAX_OUTCOMES_NAMED).map(describeOutcome))}.`,
  'no-run': ({ command }) => `${formatCommand(command)} had no effect: no run is active here. ${NEW_RUN_HINT}`,
  'resume-refused': ({ refusal }) => NOT_RESUMABLE_TEXT[refusal],
  'undo-refused': renderUndoRefused,
  'undo-not-editable': ({ proposals }) =>
    joinBlocks(
      'An undo is the exact reverse of a change, so you can only approve or deny it. Still pending:',
      formatProposalList(proposals),
      `For anything else, deny it and use ${codeSpan('/countersign <task>')}.`,
    ),
  'approval-not-counted': renderNotCounted,
  'standing-granted': renderStandingGranted,
  'standing-refused': renderStandingRefused,
  'standing-unknown': renderStandingUnknown,
  'standing-ended': renderStandingEnded,

  // Commits
  committed: ({ sha, proposals }, { links }) =>
    joinBlocks(
      `Applied in ${link(codeSpan(shortSha(sha)), commitUrl(links, sha))}${proposals.length === 1 ? '' : ` (${pluralize(proposals.length, 'change')})`}:`,
      formatProposalList(proposals),
    ),
  stale: ({ proposals, undoneProposalIds }) =>
    joinBlocks(
      'Not applied: the file changed after these were proposed.',
      formatProposalList(proposals),
      undoneProposalIds.length < proposals.length ? UPDATE_HINT : '',
      undoneProposalIds.length === 0
        ? ''
        : `To undo again, use ${formatList(undoneProposalIds.slice(0, MAX_OUTCOMES_NAMED).map((id) => codeSpan(`/undo ${id}`)))}.`,
    ),
  'user-edit-stale': ({ by, proposals }) =>
    joinBlocks(
      `Not applied: the file changed after ${escapeLogin(by)} wrote these lines, so they were withdrawn.`,
      formatProposalList(proposals),
      `${UPDATE_HINT} You can replace that one with your own lines again.`,
    ),
  'approval-lapsed': renderLapsed,
  'approval-withdrawn': renderWithdrawn,
  'approvals-suspended': ({ errorId, proposals }) =>
    joinBlocks(
      `A later comment or event might have been a denial, but an internal error (${codeSpan(errorId)}) kept Countersign from reading it. Earlier approvals of these changes no longer count:`,
      formatProposalList(proposals),
      `Review them again, then use ${codeSpan('/approve')} or ${codeSpan('/deny')}.`,
    ),
  'readings-unchecked': ({ proposals, message }) =>
    joinBlocks(
      `The agent did not get these files, because the approvals could not be checked: ${escapeMessage(message)}. Pending again:`,
      formatProposalList(proposals),
      `To try again, use ${codeSpan('/approve')}.`,
    ),
  'commit-failed': ({ proposals, message }) =>
    joinBlocks(
      `Not applied, because the commit failed: ${escapeMessage(message)}`,
      formatProposalList(proposals),
      'Fix the cause, then ask again.',
    ),
  'commit-delayed': ({ proposals }) =>
    joinBlocks(
      `Approved, but not committed yet. Countersign keeps trying; ${codeSpan('/deny')} still withdraws the change.`,
      formatProposalList(proposals),
    ),
  'commit-mismatch': ({ sha, proposals, summary }, { links }) =>
    joinBlocks(
      `⚠️ The commit ${link(codeSpan(shortSha(sha)), commitUrl(links, sha))} is not exactly what was approved: ${escapeMessage(summary)}.`,
      formatProposalList(proposals),
      'A maintainer must check it; Countersign commits nothing further.',
    ),

  // Comments of the App
  'comment-tampered': ({ proposals }) =>
    joinBlocks(
      'Nothing was approved: the comment that shows this change was edited or deleted, so you might have seen something else. It has been restored:',
      formatProposalList(proposals),
      `Review it again, then post ${codeSpan('/approve')} again.`,
    ),
  'comment-mismatch': ({ proposals }) =>
    joinBlocks(
      'Nothing was approved: the comment that shows this change did not show exactly what is stored for it. It has been written again:',
      formatProposalList(proposals),
      `Review it again, then post ${codeSpan('/approve')} again. If this repeats, tell the operator of this App.`,
    ),
  'comment-repaired': ({ id }) =>
    `Editing this comment has no effect: it was restored, and ${codeSpan(id)} is still pending. Reply with what to change, or with your own lines in a suggestion block.`,
  'comment-repair-limit': ({ proposals }) =>
    joinBlocks(
      'Withdrawn without a decision, because the comment of this change was edited or deleted repeatedly:',
      formatProposalList(proposals),
      UPDATE_HINT,
    ),
  retargeted: ({ from, to, proposals }) =>
    joinBlocks(
      `Withdrawn, because this pull request now targets ${branchSpan(to)} instead of ${branchSpan(from)}:`,
      formatProposalList(proposals),
      UPDATE_HINT,
    ),
  reminder: ({ requesters, proposals, questions, expiresAt }) =>
    joinBlocks(
      `${formatList(requesters.slice(0, MAX_REQUESTERS_MENTIONED).map(({ login }) => formatMention(login)))}, ${stillPending(proposals.length, questions.length)} on ${formatTime(expiresAt)}:`,
      formatProposalList(proposals),
      formatQuestionList(questions),
      proposals.length === 0 ? '' : `Use ${codeSpan('/approve <id>')} or ${codeSpan('/deny <id>')} to decide.`,
      questions.length === 0 ? '' : 'The question’s comment says how to answer it.',
    ),

  // Runs and questions
  'task-queued': ({ position }) =>
    `Your task is queued and starts by itself ${position === 1 ? 'when the active run ends' : `after the ${pluralize(position, 'task')} before it`}. ${codeSpan('/stop')} ends the active run and drops the queue.`,
  'task-queue-full': ({ max, whose }) =>
    `Your task was not taken: ${pluralize(max, 'task')}${whose === 'own' ? ' of yours' : ''} already wait on this pull request. Write it again once one of them has started, or drop them all with ${codeSpan('/stop')}.`,
  'queue-dropped': ({ droppedTasks }) => joinBlocks(formatDroppedTasks(droppedTasks), NEW_RUN_HINT),
  'run-ended': renderRunEnded,
  'question-hint': renderQuestionHint,
  'question-closed': renderQuestionClosed,
  'no-question': renderNoQuestion,
  'side-question-answered': renderModelAnswer,
  'side-question-failed': ({ by, question, message }) =>
    joinBlocks(
      renderSideQuestion({ by, question }),
      `The model gave no answer: ${escapeMessage(message)}`,
      'Nothing was decided. Try again later.',
    ),
  'side-question-limit': renderSideQuestionLimit,
  'side-question-queue-full': ({ max, whose }) =>
    `Your question was not taken, because ${pluralize(max, 'question')}${whose === 'own' ? ' of yours' : ''} are already pending. Ask again once they are answered.`,
  'internal-error': renderInternalError,

  // Information
  'proposal-details': renderDetails,
  status: ({ activity, queuedTasks, pendingSideQuestions, pending, question, canResume }) =>
    joinBlocks(
      [
        activity === null ? 'No run is active.' : describeActivity(activity),
        queuedTasks === 0 ? '' : `${pluralize(queuedTasks, 'task')} queued.`,
        pendingSideQuestions === 0 ? '' : `${pluralize(pendingSideQuestions, 'question')} pending.`,
        openQuestionText(question),
        pending.length === 0 ? 'No change is pending.' : 'Pending changes:',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
      formatProposalList(pending),
      pending.length < 2 ? '' : `Use ${codeSpan('/approve all')} to apply all of them.`,
      canResume ? `Use ${codeSpan('/resume')} to continue the last run.` : '',
      activity === null ? NEW_RUN_HINT : '',
    ),
  'standing-approvals': ({ approvals }) => renderStandingApprovals(approvals),
  config: renderSettings,
  help: (_, { commands }) =>
    joinBlocks(
      'A command stands on the first line of a comment, with nothing before it. In a change’s thread it applies to that change; elsewhere, add its id.',
      commands.map(({ syntax, summary }) => `- ${codeSpan(syntax)} – ${escapeText(summary)}`).join('\n'),
      `Commands need write access to this repository. If you opened the pull request, you can also use ${formatList(commands.filter(({ allowedTo }) => allowedTo === 'writer-or-author').map(({ name }) => codeSpan(`/${name}`)))}.`,
      'Any other reply in a change’s thread tells the agent what to change. A reply with one suggestion block applies your own lines, and GitHub’s **Commit suggestion** button counts as your approval.',
      'Nothing changes without an approval.',
    ),
};

function alreadyDecidedText(proposals: readonly ProposalOutcome[]): string {
  return `${NOT_FOUND_TEXT}: ${formatList(proposals.slice(0, MAX_OUTCOMES_NAMED).map(describeOutcome))}.`;
}

/** What ended without a decision has none that could be final. */
function finalityText(proposals: readonly ProposalOutcome[]): string {
  if (!proposals.every(({ state }) => ENDED_UNDECIDED.has(state))) return 'A decision is final.';
  return `${proposals.length === 1 ? 'It' : 'They'} can’t be decided any more.`;
}

const ENDED_UNDECIDED: ReadonlySet<ProposalState> = new Set<ProposalState>(['superseded', 'expired', 'cancelled']);

function stillPending(proposals: number, questions: number): string {
  if (questions > 0)
    return proposals === 0 ? 'a question still waits and expires' : 'a question and changes still wait and expire';
  return proposals === 1
    ? 'a change is still pending and expires'
    : `${proposals} changes are still pending and expire`;
}

/** A decision as it can be written in the conversation. */
function decisionExample(command: CommandName, id: string | null): string {
  if (command === 'continue') return '/continue';
  if (command === 'answer') return `/answer ${id ?? '<id>'} <text>`;
  if (command === 'choose') return `/choose ${id ?? '<id>'} <number>`;
  return `/${command} ${id ?? '<id>'}${command === 'edit' ? ' <instruction>' : ''}`;
}

/** A command as it is written in a comment. */
function formatCommand(command: CommandName | 'mention' | 'unknown-command'): string {
  switch (command) {
    case 'task':
      return codeSpan('/countersign <task>');
    case 'mention':
      return 'A mention of Countersign';
    case 'unknown-command':
      return 'A command';
    default:
      return codeSpan(`/${command}`);
  }
}

function canAuthorUse(command: string, commands: readonly CommandHelp[]): boolean {
  return commands.some((row) => row.name === command && row.allowedTo === 'writer-or-author');
}

/** A word of a comment as inline code. */
function wordSpan(word: string): string {
  return codeSpan(truncate(word, MAX_WORD_CHARACTERS));
}
