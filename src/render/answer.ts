import type { CommandName } from '../command/intent.ts';
import type { CommandRow } from '../command/table.ts';
import type { Answer, NotResumable } from '../run/answer.ts';
import { askedAnswer, QUESTION_CAP } from './asked.ts';
import { approvalVoid, notCounted } from './doubt.ts';
import { faultText } from './fault-words.ts';
import { APPLY_BY_HAND } from './fork-words.ts';
import { blocks, codeSpan, escapeText, link, quote } from './markdown.ts';
import { REPLY_MARKER } from './markers.ts';
import { mention } from './mention.ts';
import { listNamed, settledSentence } from './named-list.ts';
import { ownTextProblem, ownTextWays } from './own-text-words.ts';
import { droppedText, runEnded } from './run-ended.ts';
import { furtherShown, shownChange } from './shown-change.ts';
import { notUndone } from './undo-words.ts';
import { loginText } from './verdict.ts';
import { commitLink, count, listOf, type RepoLinks, sha7, timeWords } from './words.ts';

/** A row of the command table, as far as `/help` and refusals show it. */
export type CommandHelp = Pick<CommandRow, 'name' | 'form' | 'meaning' | 'who'>;

/** What answers refer to beside what they say. */
export type AnswerContext = { readonly links: RepoLinks; readonly commands: readonly CommandHelp[] };

type AnswerByKind = { readonly [Kind in Answer['kind']]: Extract<Answer, { kind: Kind }> };
type Sentences = {
  readonly [Kind in Answer['kind']]: (answer: AnswerByKind[Kind], context: AnswerContext) => string;
};

const MESSAGE_CAP = 1_000;

function cut(text: string): string {
  return escapeText([...text].slice(0, MESSAGE_CAP).join(''));
}

/** A command as a person writes it. */
function written(command: CommandName | 'mention' | 'reply'): string {
  switch (command) {
    case 'task':
      return codeSpan('/countersign <task>');
    case 'mention':
      return 'A mention of Countersign';
    case 'reply':
      return 'A reply to a change';
    default:
      return codeSpan(`/${command}`);
  }
}

function isForAuthor(command: string, commands: readonly CommandHelp[]): boolean {
  return commands.some((row) => row.name === command && row.who === 'writer-or-author');
}

const HELP = `${codeSpan('/help')} lists all commands.`;
const STATUS = `${codeSpan('/status')} lists what is waiting.`;
const NEW_RUN = `${codeSpan('/countersign <task>')} starts a run.`;

/** Why `/resume` changes nothing, and what to do instead. */
const NOT_RESUMED = {
  nothing: `There is no run to go on with: ${codeSpan('/resume')} is for one that ended because the model failed, the limit of model responses was reached, or nobody decided in time. ${NEW_RUN}`,
  active: `A run is active or about to begin, so ${codeSpan('/resume')} has nothing to do. ${STATUS}`,
  'written-before': `That ${codeSpan('/resume')} was written before the run ended, or in the same second, so it does not count for it. Write it once more.`,
} as const satisfies Record<NotResumable, string>;

const SENTENCES: Sentences = {
  'not-served': ({ owner }) =>
    `Countersign does not work in repositories of ${cut(owner)}: its operator has not listed that account. Nothing was read or changed. Ask the operator to add it to ${codeSpan('ALLOWED_OWNERS')}.`,
  'not-allowed': ({ login, command }, { commands }) =>
    `Sorry, ${cut(login)}: ${written(command)} is for people with write access to this repository${isForAuthor(command, commands) ? ' and for the author of the pull request' : ''}. Nothing was decided. Somebody with write access can say it instead.`,
  'pull-not-open': ({ state }) =>
    `This pull request is ${state}, so nothing can be changed on it. ${state === 'closed' ? 'Reopen it and ask again.' : 'Open a new pull request and ask there.'}`,
  which: ({ command, pending }) =>
    blocks(
      pending.length === 1
        ? `One change is waiting, but not here, so ${codeSpan(`/${command}`)} decided nothing.`
        : `Several changes are waiting, and ${codeSpan(`/${command}`)} alone does not say which. Nothing was decided.`,
      listNamed(pending),
      `Reply in the change’s own thread, or write ${codeSpan(`/${command} ${pending[0]?.id ?? '<id>'}`)}${command === 'show' ? '' : ` or ${codeSpan(`/${command} all`)}`}.`,
    ),
  'nothing-pending': ({ command }) =>
    `No change was waiting for a decision when ${written(command)} was written, so nothing happened. ${STATUS}`,
  'posted-later': ({ left }) =>
    blocks(
      'These were posted after that comment was written, or in the same second, so it does not cover them. They are still waiting:',
      listNamed(left),
      'Read them, then write the command once more.',
    ),
  'answered-inline': () =>
    `The comments of that review already answer the changes that its summary could mean, and they count more than the summary. ${STATUS}`,
  'unknown-ids': ({ ids, pending }) =>
    blocks(
      `Execution not found or not in proposed state: no change of this pull request has the id ${ids
        .slice(0, 20)
        .map((id) => codeSpan(id.slice(0, 100)))
        .join(' or ')}. Nothing was decided.`,
      pending.length === 0 ? 'No change is waiting.' : blocks('These are waiting:', listNamed(pending)),
      pending.length === 0 ? NEW_RUN : 'Write the command again with one of these ids.',
    ),
  settled: ({ proposals }) =>
    blocks(
      `Execution not found or not in proposed state: ${listOf(proposals.slice(0, 30).map(settledSentence))}.`,
      `A decision is final. ${STATUS}`,
    ),
  misfit: ({ command, word, hint }) =>
    blocks(
      `${command === null ? codeSpan(`/${word.slice(0, 100)}`) : `${written(command)} was not understood at ${codeSpan(word.slice(0, 100))}`}. Nothing was decided.`,
      `${cut(hint)}`,
      HELP,
    ),
  'unknown-command': ({ word, nearest }) =>
    `${codeSpan(word.slice(0, 100))} is not a command of Countersign. Nothing was decided. ${nearest === null ? '' : `Did you mean ${written(nearest)}? `}${HELP}`,
  affirmation: ({ id }) =>
    `Only a command decides, so ${codeSpan(id)} is still waiting. Write ${codeSpan(`/approve ${id}`)} to apply it or ${codeSpan(`/deny ${id}`)} to leave the file as it is.`,
  'empty-reply': ({ id }) =>
    `That reply has no words of its own, so ${codeSpan(id)} is still waiting. Write ${codeSpan('/approve')}, ${codeSpan('/deny [reason]')}, or what should be done differently.`,
  'own-text': ({ id, problem }) =>
    `The suggestion block in that reply was not taken for ${codeSpan(id)}: ${ownTextProblem(problem)}. Nothing was decided or changed. ${ownTextWays(problem)}`,
  'edited-comment': () =>
    'An edited comment never decides anything, because others may already have read it as it was. Nothing was done. Write a new comment instead.',
  fork: ({ headRef }) =>
    `The branch ${codeSpan(headRef.slice(0, 300))} lies in a fork, and Countersign never writes to forks, so nothing was approved. ${APPLY_BY_HAND}`,
  'push-refused': ({ headRef }) =>
    `GitHub’s rules for ${codeSpan(headRef.slice(0, 300))} refused a commit of this run, so no other is tried and nothing was approved. ${APPLY_BY_HAND}`,
  queued: ({ ahead }) =>
    `Your task is queued. It starts by itself ${ahead === 1 ? 'when the run that is active ends' : `after the ${count(ahead, 'task')} before it`}. ${codeSpan('/stop')} ends the run that is active and drops the queue.`,
  'queue-dropped': ({ dropped }) => blocks(droppedText(dropped), NEW_RUN),
  'no-run': ({ command }) =>
    `${written(command)} needs an active run, and there is none here. Nothing happened. ${NEW_RUN}`,
  committed: ({ sha, applied }, { links }) =>
    blocks(
      `Applied in ${link(codeSpan(sha7(sha)), commitLink(links, sha))}${applied.length === 1 ? '' : ` (${count(applied.length, 'change')})`}:`,
      listNamed(applied),
    ),
  'own-text-stale': ({ by, proposals }) =>
    blocks(
      `The lines that ${loginText(by)} wrote no longer fit, because the file changed after that. They were withdrawn, and nothing was written for them:`,
      listNamed(proposals),
      'The agent is told, and may propose something for the file as it is now. Lines of your own can be put in place of that again.',
    ),
  stale: ({ proposals, undone }) =>
    blocks(
      'Not applied, because the file changed after these were proposed. Nothing was written for them:',
      listNamed(proposals),
      undone.length < proposals.length
        ? 'The agent is told, and may propose them again for the file as it is now.'
        : '',
      undone.length === 0
        ? ''
        : `An undo is not proposed again by itself: ask for it with ${listOf(undone.slice(0, 30).map((id) => codeSpan(`/undo ${id}`)))}.`,
    ),
  'commit-failed': ({ proposals, message }) =>
    blocks(
      `Not applied, because the commit was refused: ${cut(message)}`,
      listNamed(proposals),
      'Nothing was written. Fix what stands in the way, then ask again.',
    ),
  'commit-delayed': ({ proposals }) =>
    blocks(
      `Approved, but it could not be committed yet. It is tried again by itself until it can be, and the approval holds; ${codeSpan('/deny')} still withdraws it.`,
      listNamed(proposals),
    ),
  'commit-differs': ({ sha, proposals, words }, { links }) =>
    blocks(
      `⚠️ GitHub made ${link(codeSpan(sha7(sha)), commitLink(links, sha))} of these, and it does not hold exactly what was approved: ${cut(words)}.`,
      listNamed(proposals),
      'Somebody has to look at that commit. Nothing further is committed.',
    ),
  'not-counted': notCounted,
  'approval-void': approvalVoid,
  'approvals-withdrawn': ({ fault, proposals }) =>
    blocks(
      `Something that was said here later could not be read, for a fault of Countersign’s own (${codeSpan(fault)}). It may have been a no, so earlier approvals of these do not count any more:`,
      listNamed(proposals),
      `Look at them again, then write ${codeSpan('/approve')} or ${codeSpan('/deny')} once more.`,
    ),
  'not-undone': notUndone,
  'undo-as-it-is': ({ proposals }) =>
    blocks(
      'An undo is the exact reverse of a change, so it can only be approved or denied as it is. These go on waiting:',
      listNamed(proposals),
      `To have something else, deny it and give a task: ${codeSpan('/countersign <task>')}.`,
    ),
  'not-resumed': ({ why }) => NOT_RESUMED[why],
  shown: shownChange,
  asked: ({ by, question, content }) => askedAnswer(by, question, content),
  'ask-failed': ({ by, question, message }) =>
    blocks(
      `${loginText(by)} asked:`,
      quote(question, QUESTION_CAP),
      `The model gave no answer: ${cut(message)}`,
      'Nothing was decided. Ask once more, perhaps a little later.',
    ),
  'questions-full': ({ most }) =>
    `${count(most, 'question')} already wait for an answer here, so this one was not taken. Ask again when they are answered.`,
  fault: faultText,
  help: (_, { commands }) =>
    blocks(
      'A command stands alone on the first line of a comment. In a change’s thread it means that change; elsewhere give its id.',
      commands.map(({ form, meaning }) => `- ${codeSpan(form)} – ${escapeText(meaning)}`).join('\n'),
      `They are for people with write access to this repository. Whoever opened the pull request may also use ${listOf(commands.filter(({ who }) => who === 'writer-or-author').map(({ name }) => codeSpan(`/${name}`)))}.`,
      'Any other reply in a change’s thread tells the agent what to do differently. Nothing is changed without somebody’s approval.',
    ),
  'comment-edited': ({ proposals }) =>
    blocks(
      'Nothing was approved: somebody changed or deleted the comment that shows this, so it may not have been what you saw. It is written anew as it was proposed:',
      listNamed(proposals),
      `Read it again, then write ${codeSpan('/approve')} once more. To have something changed, reply with what you want instead.`,
    ),
  restored: ({ id }) =>
    `Editing a comment of Countersign changes nothing, so this one was put back as it was, and ${codeSpan(id)} is still waiting. To have something else, reply with a suggestion block that holds your own lines, or with words that say what should be different.`,
  'not-restored': ({ proposals }) =>
    blocks(
      'Somebody changed or deleted the comment of this again and again, so it was withdrawn without a decision. Nothing was changed:',
      listNamed(proposals),
      'The agent is told, and may propose it again.',
    ),
  retargeted: ({ from, to, proposals }) =>
    blocks(
      `This pull request now targets ${codeSpan(to.slice(0, 300))} instead of ${codeSpan(from.slice(0, 300))}, so these were withdrawn. Nothing was changed:`,
      listNamed(proposals),
      'The agent is told, and may propose them again.',
    ),
  reminder: ({ people, proposals, expiresAt }) =>
    blocks(
      `${listOf(people.slice(0, 10).map(({ login }) => mention(login)))}, ${proposals.length === 1 ? 'a change still waits for a decision and expires' : `${proposals.length} changes still wait for a decision and expire`} on ${timeWords(expiresAt)}:`,
      listNamed(proposals),
      `${codeSpan('/approve <id>')} or ${codeSpan('/deny <id>')} decides. Nothing is changed where nobody does.`,
    ),
  'deleted-words': ({ proposals }) =>
    `A deleted comment does not undo what it decided: ${listOf(proposals.slice(0, 30).map(settledSentence))}.`,
  status: (status) =>
    blocks(
      [
        status.running ? 'A run is active.' : 'No run is active.',
        status.queued === 0 ? '' : `${count(status.queued, 'task')} queued.`,
        status.questions === 0 ? '' : `${count(status.questions, 'question')} with the model.`,
        status.pending.length === 0 ? 'No change is waiting for a decision.' : 'Waiting for a decision:',
      ]
        .filter((words) => words !== '')
        .join(' '),
      listNamed(status.pending),
      status.resumable ? `${codeSpan('/resume')} lets the last run go on.` : '',
      status.running ? '' : NEW_RUN,
    ),
  'run-ended': runEnded,
};

function sentence<Kind extends Answer['kind']>(kind: Kind, answer: AnswerByKind[Kind], context: AnswerContext): string {
  return SENTENCES[kind](answer, context);
}

/**
 * One answer to somebody's words, as a comment's Markdown. At most 60,000 bytes of UTF-8; mentions nobody but who asked
 * for something that cannot go on by itself.
 */
export function renderAnswer(answer: Answer, context: AnswerContext): string {
  return blocks(REPLY_MARKER, sentence(answer.kind, answer, context).trim());
}

/** The comments in which an answer goes on that one cannot hold, in order; most have none. */
export function furtherAnswers(answer: Answer): readonly string[] {
  return answer.kind === 'shown' ? furtherShown(answer).map((text) => blocks(REPLY_MARKER, text)) : [];
}
