import { defer, endStep, noop, startStep, withPullState, withReply } from '../actions/step-builder.ts';
import { COMMAND_GRAMMAR, COMMANDS } from '../commands/all-commands.ts';
import { approve, approvedTargets } from '../commands/approve.ts';
import { requestAnswer } from '../commands/ask.ts';
import { edit, requestEdit, requestEditOfAll } from '../commands/edit.ts';
import { answerWithWords } from '../commands/shared/answer-question.ts';
import { type CommandContext, endWithReply } from '../commands/shared/context.ts';
import { resolveAll } from '../commands/shared/targets.ts';
import { giveWordsToAgent, isAboutDecided, isQuestion } from '../commands/shared/words-for-agent.ts';
import { requestTask } from '../commands/task.ts';
import { type CommandNamed, hintText } from '../comments/command-grammar.ts';
import { findMisplacedCommand } from '../comments/parse-comment.ts';
import { isAllowed, roleOf } from '../policy/may-approve.ts';
import type { CommandName, CommentIntent, MissingSlash, ParsedComment } from '../state/intent.ts';
import { HOUR_MS } from '../state/limits.ts';
import type { Proposal } from '../state/proposal.ts';
import { canStillBeDenied } from '../state/proposal-lifecycle.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { AgentQuestion } from '../state/question.ts';
import { ONCE_IN_REPOSITORY } from '../step/effects.ts';
import type { Facts } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { commandMode, type RelevantComment, relevanceOf } from './comment-relevance.ts';
import { commentRefOf } from './review-comments.ts';
import { onSuggestionReply } from './suggestion-reply.ts';

/** A new comment or review: decides whether it is for the App and the person is allowed, and runs its command. */
export function onComment(pull: PullState, intent: CommentIntent, facts: Facts, deliveryId: string): Step {
  const relevance = relevanceOf(pull, intent);
  if (relevance.kind === 'irrelevant') return noop(pull, relevance.reason);
  if (relevance.kind === 'deferred') return defer(pull, 'deferred-until-posted');
  if (!facts.ownerAllowed) return refuseOwner(pull, intent);
  // GitHub never sent such a delivery: a review cannot be deleted.
  if (facts.reviewComments === null) return noop(pull, 'not-on-github');
  const context = createContext(pull, intent, facts, deliveryId);
  if (!isAllowed(context.role, COMMANDS[relevance.command].allowedTo)) return refusePerson(context, relevance);
  return limitAuthorReplies(context, handleComment(context, intent.parsed, relevance));
}

function createContext(pull: PullState, intent: CommentIntent, facts: Facts, deliveryId: string): CommandContext {
  const person = { id: intent.actor.id, login: intent.actor.login };
  const permission = facts.permission ?? 'none';
  const author = pull.run?.pullAuthor ?? facts.pullRequest?.author ?? null;
  const role = roleOf(permission, person, author);
  const commentRef = commentRefOf(pull, intent, facts);
  return { pull, intent, facts, commentRef, deliveryId, person, permission, role };
}

function refuseOwner(pull: PullState, intent: CommentIntent): Step {
  const reply = { kind: 'owner-not-allowed', owner: pull.ref.owner } as const;
  const once = `${ONCE_IN_REPOSITORY}${pull.ref.repositoryId}:not-served`;
  return endStep(withReply(startStep(pull), intent.location, reply, once), 'owner-not-allowed');
}

/** People who get a reply that they are not allowed, once each; later ones on the same pull request get none. */
const MAX_REFUSALS_PER_PULL = 10;

function refusePerson(context: CommandContext, relevance: RelevantComment): Step {
  const { pull, person, intent } = context;
  const { notifiedUnauthorizedUserIds: notifiedIds } = pull;
  const isNotified = notifiedIds.includes(person.id) || notifiedIds.length >= MAX_REFUSALS_PER_PULL;
  if (relevance.silent || isNotified) return noop(pull, 'not-allowed');
  const noted = withPullState(startStep(pull), { notifiedUnauthorizedUserIds: [...notifiedIds, person.id] });
  const command = attemptedCommand(intent.parsed) ?? relevance.command;
  const reply = { kind: 'not-allowed', login: person.login, command } as const;
  return endStep(withReply(noted, intent.location, reply), 'not-allowed');
}

/**
 * Replies within an hour to the pull request's author, who can be a stranger. GitHub limits the App's comments in all
 * repositories of an owner together.
 */
const MAX_AUTHOR_REPLIES = 20;

/** The step of a comment, or none if it only replies and its author had enough replies. Decisions always count. */
function limitAuthorReplies({ pull, role, facts: { now } }: CommandContext, step: Step): Step {
  if (role !== 'author' || step.pull !== pull || step.effects.length === 0) return step;
  const recent = (pull.authorReplies ?? []).filter((at) => Date.parse(at) > Date.parse(now) - HOUR_MS);
  if (recent.length >= MAX_AUTHOR_REPLIES) return noop(pull, 'author-replies-used-up');
  return { ...step, pull: { ...pull, authorReplies: [...recent, now] } };
}

function attemptedCommand(comment: ParsedComment): CommandName | 'mention' | 'unknown-command' | null {
  if (comment.kind === 'mention' || comment.kind === 'unknown-command') return comment.kind;
  return comment.kind === 'malformed-command' ? comment.command : null;
}

function handleComment(context: CommandContext, comment: ParsedComment, { proposal, question }: RelevantComment): Step {
  switch (comment.kind) {
    case 'command':
      return commandMode(context.pull, comment) === 'accepted'
        ? runCommand(context, comment.command.name, comment.command)
        : replyPrefixRequired(context, comment.command.name);
    case 'malformed-command':
      return commandMode(context.pull, comment) === 'accepted'
        ? replyMalformed(context, comment.command, comment.word, comment.hint)
        : replyPrefixRequired(context, comment.command);
    case 'unknown-command': {
      const { word, nearest } = comment;
      return endWithReply(context, { kind: 'unknown-command', word, nearest }, 'unknown-command');
    }
    case 'mention':
      return question === null ? onMention(context, comment, proposal) : onAnswer(context, question, comment.text);
    case 'text':
      return question === null ? onText(context, comment, proposal) : onAnswer(context, question, comment.text);
  }
}

function runCommand<Name extends CommandName>(context: CommandContext, name: Name, command: CommandNamed<Name>): Step {
  return replyTaskHint(context, command) ?? COMMANDS[name].run(context, command);
}

/** A single word of the length of an id. No change has it, because letters and digits take turns in an id. */
const LIKE_ID = /^[a-z0-9]{4,6}$/i;

/** A task that is surely a mistyped command starts no run. */
function replyTaskHint(context: CommandContext, command: CommandNamed<CommandName>): Step | null {
  if (command.name !== 'task') return null;
  return replyMissingSlash(context, command.missingSlash) ?? replyFormattedCommand(context, command.text);
}

function replyMalformed(context: CommandContext, command: CommandName | null, word: string, hint: string): Step {
  const targets = { by: 'ids', ids: [word.toLowerCase()] } as const;
  if (command === 'undo' && LIKE_ID.test(word)) return COMMANDS.undo.run(context, { name: 'undo', targets });
  if (command === 'show' && LIKE_ID.test(word)) return COMMANDS.show.run(context, { name: 'show', targets });
  return endWithReply(context, { kind: 'malformed-command', command, word, hint }, 'malformed-command');
}

function replyPrefixRequired(context: CommandContext, command: CommandName | null): Step {
  return replyMalformed(context, command, '/', hintText('prefix-required'));
}

/** `/countersign approve k7q2` is meant as `/approve` if there is such a proposal. */
function replyMissingSlash(context: CommandContext, missingSlash: MissingSlash | undefined): Step | null {
  const isKnown = context.pull.proposals.some((proposal) => proposal.id === missingSlash?.id);
  if (missingSlash === undefined || !isKnown) return null;
  return replyMalformed(context, 'task', missingSlash.word, hintText('missing-slash'));
}

/** A text of one line that is a command with Markdown formatting, such as code. */
function replyFormattedCommand(context: CommandContext, text: string): Step | null {
  return text.includes('\n') ? null : replyMisplacedCommand(context, null, text);
}

/** A command in a position where it has no effect must not become an instruction for the agent. */
function replyMisplacedCommand(context: CommandContext, proposal: Proposal | null, text: string): Step | null {
  const isDecided = proposal !== null && !canStillBeDenied(proposal);
  const command = isDecided ? null : findMisplacedCommand(COMMAND_GRAMMAR, text);
  return command === null ? null : replyMalformed(context, command, command, hintText('misplaced'));
}

/** `@<app-slug> text` asks for changes to a proposal, or is for the active or the last run, or else starts one. */
function onMention(
  context: CommandContext,
  { text, missingSlash }: Extract<ParsedComment, { kind: 'mention' }>,
  proposal: Proposal | null,
): Step {
  const hint = replyMissingSlash(context, missingSlash) ?? replyFormattedCommand(context, text);
  if (hint !== null) return hint;
  if (proposal !== null) return replyMisplacedCommand(context, proposal, text) ?? onWords(context, proposal, text);
  return replyCommandBelow(context, text) ?? giveWordsToAgent(context, text, null, requestAnswerOrTask);
}

/**
 * With a command below, words for the active run are unclear: the command does nothing, and its author may not know.
 */
function replyCommandBelow(context: CommandContext, text: string): Step | null {
  const command = activeRun(context.pull) === null ? null : findMisplacedCommand(COMMAND_GRAMMAR, text);
  return command === null ? null : replyMalformed(context, command, command, hintText('below-words'));
}

/** A plain question begins no run. */
function requestAnswerOrTask(context: CommandContext, text: string): Step {
  return isQuestion(text) ? requestAnswer(context, text) : requestTask(context, text);
}

/** A reply to a question answers it. */
function onAnswer(context: CommandContext, question: AgentQuestion, text: string): Step {
  return replyMisplacedCommand(context, null, text) ?? answerWithWords(context, question, text);
}

/** A reply to a proposal asks for changes to it, unless it is empty or could be meant as an approval. */
function onText(
  context: CommandContext,
  comment: Extract<ParsedComment, { kind: 'text' }>,
  proposal: Proposal | null,
): Step {
  const { text, affirmation, suggestions, hasUnclosedSuggestion } = comment;
  const hint = replyMisplacedCommand(context, proposal, text);
  if (hint !== null) return hint;
  if (proposal === null) return onReviewWithoutCommand(context, text);
  if (suggestions.length > 0 || hasUnclosedSuggestion) return onSuggestionReply(context, comment, proposal);
  if (affirmation && !canStillBeDenied(proposal)) return noop(context.pull, 'already-decided');
  if (affirmation) return endWithReply(context, { kind: 'affirmation', id: proposal.id }, 'affirmation');
  return onWords(context, proposal, text);
}

/** Words below a decided change are for the agent too; those below another one ask for changes to it. */
function onWords(context: CommandContext, proposal: Proposal, text: string): Step {
  return isAboutDecided(proposal, context.intent.createdAt)
    ? giveWordsToAgent(context, text, proposal, requestTask)
    : requestEdit(context, proposal, text);
}

/** A review without a command can ask for changes to all proposals or, where the repository allows it, approve them. */
function onReviewWithoutCommand(context: CommandContext, text: string): Step {
  const { pull, intent, facts, commentRef } = context;
  const command = intent.reviewState === 'changes_requested' ? edit : approve;
  if (resolveAll(pull, command.decidesOn, commentRef).kind !== 'resolved') return noop(pull, 'review-without-decision');
  const targets = command.name === 'approve' ? approvedTargets(intent, facts) : null;
  if (command.name === 'approve' && targets === null) return noop(pull, 'review-without-decision');
  if (targets === null) return requestEditOfAll(context, text);
  return approve.run(context, { name: 'approve', targets, note: '' });
}
