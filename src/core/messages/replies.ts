import { commitUrl, formatList, pluralize, type RepoLinks, shortSha } from '../../lib/format.ts';
import type { CommandSyntax } from '../comments/command-line.ts';
import type { RequiredRole } from '../policy/may-approve.ts';
import type { ReachedRunLimit } from '../state/limits.ts';
import type { Reply, RunActivity } from '../step/replies.ts';
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
import { formatCommand, MAX_OUTCOMES_NAMED, NEW_RUN_HINT, NO_EFFECT_RENDERERS } from './no-effect-replies.ts';
import { escapeLogin, formatProposalList } from './proposal/proposal-status.ts';
import {
  formatQuestionList,
  openQuestionText,
  renderNoQuestion,
  renderQuestionClosed,
  renderQuestionHint,
} from './question-replies.ts';
import {
  escapeMessage,
  renderDetails,
  renderInternalError,
  renderModelAnswer,
  renderSideQuestion,
} from './reply-details.ts';
import { activityText } from './run-activity.ts';
import { formatDroppedTasks, renderRunEnded } from './run-ended.ts';
import { APPLY_BY_HAND_TEXT, branchSpan } from './run-warnings.ts';
import { renderSettings } from './settings-replies.ts';
import { codeSpan, escapeText, formatMention, formatTime, joinBlocks, link, REPLY_MARKER } from './shared/markdown.ts';

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

type ReplyByKind = { readonly [Kind in Reply['kind']]: Extract<Reply, { kind: Kind }> };

function renderText<Kind extends Reply['kind']>(kind: Kind, reply: ReplyByKind[Kind], context: ReplyContext): string {
  return REPLY_RENDERERS[kind](reply, context);
}

const UPDATE_HINT = 'The agent has been told and may propose an update.';

const MAX_REQUESTERS_MENTIONED = 10;

/** The activity of a run as the top of its comment says it, and a link to that comment. */
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
    `Sorry, ${escapeMessage(login)}: ${formatCommand(command)} needs write access to this repository${command !== null && canAuthorUse(command, commands) ? ', unless you opened the pull request' : ''}. Nothing was decided. Ask a maintainer to post it.`,
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

  ...NO_EFFECT_RENDERERS,

  // Approvals
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
      errorId === null
        ? 'GitHub sent Countersign no events for a while, and a denial might be among them. Earlier approvals of these changes no longer count:'
        : `A later comment or event might have been a denial, but an internal error (${codeSpan(errorId)}) kept Countersign from reading it. Earlier approvals of these changes no longer count:`,
      formatProposalList(proposals),
      `Review them again, then use ${codeSpan('/approve')} or ${codeSpan('/deny')}.`,
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
  'page-changed': ({ proposals }) =>
    joinBlocks(
      'Nothing was approved: the comment that shows this change was edited or deleted, so you might have seen something else. It is written again:',
      formatProposalList(proposals),
      `Review it again, then post ${codeSpan('/approve')} again.`,
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
  'side-question-queue-full': ({ max }) =>
    `Your question was not taken, because ${pluralize(max, 'question')} are already pending. Ask again once they are answered.`,
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

function stillPending(proposals: number, questions: number): string {
  if (questions > 0)
    return proposals === 0 ? 'a question still waits and expires' : 'a question and changes still wait and expire';
  return proposals === 1
    ? 'a change is still pending and expires'
    : `${proposals} changes are still pending and expire`;
}

function canAuthorUse(command: string, commands: readonly CommandHelp[]): boolean {
  return commands.some((row) => row.name === command && row.allowedTo === 'writer-or-author');
}
