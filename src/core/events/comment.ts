import { defer, endStep, noop, startStep, withPullState, withReply } from '../actions/step-builder.ts';
import { COMMAND_GRAMMAR, COMMANDS } from '../commands/all-commands.ts';
import { answerWithWords } from '../commands/answer.ts';
import { approve, approvedTargets } from '../commands/approve.ts';
import { requestAnswer } from '../commands/ask.ts';
import { edit, requestEdit } from '../commands/edit.ts';
import { type CommandContext, endWithHint } from '../commands/shared/context.ts';
import { resolveAll } from '../commands/shared/targets.ts';
import { giveWordsToAgent, isAboutDecided } from '../commands/shared/words-for-agent.ts';
import { requestTask } from '../commands/task.ts';
import { type CommandNamed, findCommand, idAfterWord } from '../comments/command-line.ts';
import { enoughReplies } from '../messages/change-replies.ts';
import {
  affirmationDecidesNothing,
  consentDecidesNothing,
  editedIntoCommand,
  malformedCommand,
  notAllowed,
  ownerNotAllowed,
  wordsWithoutRun,
} from '../messages/replies.ts';
import { isAllowed, roleOf } from '../policy/may-approve.ts';
import type { CommandName, CommentIntent, IntentOf, ParsedComment, TextComment } from '../state/intent.ts';
import { HOUR_MS } from '../state/limits.ts';
import { isBeforeCommit, isPending, type Proposal } from '../state/proposal.ts';
import type { PullState, RecentReply } from '../state/pull-state.ts';
import { canApprove } from '../state/vote.ts';
import { ONCE_IN_REPOSITORY } from '../step/effects.ts';
import type { Facts } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import {
  commandMode,
  isReadAsCommand,
  onUnknownChange,
  type RelevantComment,
  relevanceOf,
} from './comment-relevance.ts';
import { hasAsked } from './natural-replies.ts';
import { commentRefOf } from './review.ts';
import { onSuggestionReply } from './suggestion-reply.ts';

/** A new comment or review: decides whether it is for the App and the person is allowed, and runs its command. */
export function onComment(pull: PullState, intent: CommentIntent, facts: Facts, deliveryId: string): Step {
  const relevance = relevanceOf(pull, intent);
  if (relevance.kind === 'irrelevant') return noop(pull, relevance.reason);
  if (relevance.kind === 'deferred') return defer(pull, 'deferred-until-posted');
  if (!facts.ownerAllowed) return refuseOwner(pull, intent);
  // GitHub never sent such a delivery: a review cannot be deleted.
  if (facts.reviewComments === null) return noop(pull, 'not-for-us');
  const context = createContext(pull, intent, facts, deliveryId);
  if (!isAllowed(context.role, COMMANDS[relevance.command].allowedTo)) return refusePerson(context, relevance);
  return limitReplies(context, handleComment(context, intent.parsed, relevance));
}

/** The comment with the facts about its author. */
export function createContext(
  pull: PullState,
  intent: CommentIntent,
  facts: Facts,
  deliveryId: string,
): CommandContext {
  const { actor: person } = intent;
  const permission = facts.permission ?? 'none';
  const author = pull.run?.pullAuthor ?? facts.pullRequest?.author ?? null;
  const role = roleOf(permission, person, author);
  const commentRef = commentRefOf(pull, intent, facts);
  return { pull, intent, facts, commentRef, deliveryId, person, permission, role };
}

function refuseOwner(pull: PullState, intent: CommentIntent): Step {
  const once = `${ONCE_IN_REPOSITORY}${pull.ref.repositoryId}:not-served`;
  return endStep(
    withReply(startStep(pull), intent.location, ownerNotAllowed(pull.ref.owner), once),
    'owner-not-allowed',
  );
}

/** People who get a reply that they are not allowed, once each; later ones on the same pull request get none. */
const MAX_REFUSALS_PER_PULL = 10;

/** One polite reply to a person who is not allowed. */
export function refusePerson(context: CommandContext, relevance: Pick<RelevantComment, 'silent' | 'command'>): Step {
  const { pull, person, intent } = context;
  const { notifiedUnauthorizedUserIds: notifiedIds } = pull;
  const isNotified = notifiedIds.includes(person.id) || notifiedIds.length >= MAX_REFUSALS_PER_PULL;
  if (relevance.silent || isNotified) return noop(pull, 'not-allowed');
  const noted = withPullState(startStep(pull), { notifiedUnauthorizedUserIds: [...notifiedIds, person.id] });
  const command = intent.parsed.kind === 'malformed-command' ? intent.parsed.command : relevance.command;
  const reply = notAllowed(
    person.login,
    command,
    command !== null && COMMANDS[command].allowedTo === 'writer-or-author',
  );
  return endStep(withReply(noted, intent.location, reply), 'not-allowed');
}

/**
 * Replies within an hour to one person. An account can be a machine that answers every comment of the App, and GitHub
 * limits the App's comments in all repositories of an owner together.
 */
const MAX_REPLIES = 10;

/**
 * The step of a comment, counted with the replies that it brings now or later. What its author decides always counts,
 * but once they had enough replies they get no more, and the model no question or words to go on with.
 */
export function limitReplies(context: CommandContext, step: Step): Step {
  const { pull, intent, person } = context;
  const { now } = context.facts;
  const isReply = (effect: Step['effects'][number]): boolean =>
    effect.type === 'reply' && effect.to === intent.location;
  const callsModel = bringsAnswer(context, step);
  if (step.deferred || !(callsModel || step.effects.some(isReply))) return step;
  const isRecent = ({ at }: RecentReply): boolean => Date.parse(at) > Date.parse(now) - HOUR_MS;
  const recent = (pull.recentReplies ?? []).filter(isRecent);
  if (recent.filter(({ to }) => to === person.id).length < MAX_REPLIES)
    return { ...step, pull: { ...step.pull, recentReplies: [...recent, { to: person.id, at: now }] } };
  return callsModel ? refuseWords(context) : { ...step, effects: step.effects.filter((effect) => !isReply(effect)) };
}

/** Whether the comment is a question, or goes on with an ended run, whose closing words answer it. */
function bringsAnswer({ pull, intent }: CommandContext, step: Step): boolean {
  if (step.pull.sideQuestions.length > pull.sideQuestions.length) return true;
  return step.pull.run?.lastResumption?.spoken?.location === intent.location;
}

/** Says so once, because a person can have that many questions. */
function refuseWords({ pull, person, intent }: CommandContext): Step {
  const once = `enough-replies:${person.id}`;
  return endStep(withReply(startStep(pull), intent.location, enoughReplies(MAX_REPLIES), once), 'enough-replies');
}

function handleComment(context: CommandContext, comment: ParsedComment, relevance: RelevantComment): Step {
  switch (comment.kind) {
    case 'command': {
      const { command } = comment;
      const unknown = relevance.canBeUnknown ? onUnknownChange(context) : null;
      if (unknown !== null) return unknown;
      if (commandMode(context.pull, comment) === 'no-run') return noop(context.pull, 'no-run');
      if (commandMode(context.pull, comment) !== 'accepted') return replyMalformed(context, command.name);
      return command.name === 'task'
        ? onWordsForApp(context, command.text, (text) => requestTask(context, text))
        : runCommand(context, command.name, command);
    }
    case 'malformed-command':
      return replyMalformed(context, comment.command);
    case 'text':
      return onText(context, comment, relevance);
  }
}

function runCommand<Name extends CommandName>(context: CommandContext, name: Name, command: CommandNamed<Name>): Step {
  return COMMANDS[name].run(context, command);
}

/** The one hint for a command that does not fit: the nearest form. */
function replyMalformed(context: CommandContext, command: CommandName | null): Step {
  const isPrefixed = context.pull.run?.settings.commands === 'prefixed' && command !== 'task';
  const syntax = command === null ? null : COMMANDS[command].syntax;
  const form = syntax !== null && isPrefixed ? `/countersign ${syntax}` : syntax;
  return endWithHint(context, command ?? 'command', malformedCommand(form));
}

/**
 * The command whose word stands without its slash alone, or before `all`, `always`, a number or an id of this pull
 * request: `/countersign approve k7q2` is no task, and `/countersign edit utf8 strings` is one.
 */
function findBareCommand({ proposals }: PullState, text: string): CommandName | null {
  const [first = '', next = ''] = (text.split('\n', 1)[0] ?? '').split(/\s+/, 2);
  const command = findCommand(COMMAND_GRAMMAR, first.replace(/[.,:;!?]+$/, ''))?.name ?? null;
  const isBare = next === '' || /^(?:all|always|\d+)[.,:;!?]*$/i.test(next);
  return isBare || proposals.some(({ id }) => id === idAfterWord(text)) ? command : null;
}

/** Words behind the App's name, unless they are a command without its slash or a question: `/countersign ask why?`. */
function onWordsForApp(context: CommandContext, text: string, otherwise: (text: string) => Step): Step {
  const command = text === '' ? 'task' : findBareCommand(context.pull, text);
  if (command !== null) return replyMalformed(context, command);
  const question = /^ask[:\s]\s*(?!me\b|us\b|@)(.+)$/is.exec(text)?.[1] ?? null;
  return question === null ? otherwise(text) : requestAnswer(context, question);
}

/** A plain question begins no run. */
function requestAnswerOrTask(context: CommandContext, text: string): Step {
  const isQuestion =
    /^(?:what|why|where|when|who|which|how|is|are|was|were|does|did)\b(?! (?:about|not)\b)[^\n]*\?$/i.test(text);
  return isQuestion ? requestAnswer(context, text) : requestTask(context, text);
}

function onText(context: CommandContext, comment: TextComment, relevance: RelevantComment): Step {
  const { text, addressedToApp } = comment;
  const { proposal, question } = relevance;
  // A reply to a question answers it.
  if (question !== null) return answerWithWords(context, question, text);
  if (proposal !== null && (comment.suggestion !== null || comment.affirmation))
    return onReply(context, comment, proposal);
  if (proposal === null && (addressedToApp || relevance.isForRun) && comment.affirmation) {
    const consent = onConsent(context);
    if (consent !== null) return consent;
  }
  if (relevance.isForRun) return onWordsForApp(context, text, () => giveWordsToRun(context, text));
  if (!addressedToApp)
    return proposal === null ? onReviewWithoutCommand(context, text) : onWords(context, proposal, text);
  return onWordsForApp(context, text, () =>
    proposal === null ? giveWordsToAgent(context, text, null, requestAnswerOrTask) : onWords(context, proposal, text),
  );
}

/** A reply to a proposal with lines of the person's own, or one that could be meant as an approval. */
function onReply(context: CommandContext, comment: TextComment, proposal: Proposal): Step {
  if (comment.suggestion !== null) return onSuggestionReply(context, comment, proposal);
  return isBeforeCommit(proposal)
    ? endWithHint(context, `consent ${proposal.id}`, affirmationDecidesNothing(proposal.id))
    : noop(context.pull, 'already-decided');
}

/** Consent without a command beside pending changes, or thanks to a run that asked nothing; null if it answers one. */
function onConsent(context: CommandContext): Step | null {
  const { pull, intent } = context;
  const pending = pull.proposals.filter(isPending);
  if (pending.length > 0) return endWithHint(context, `consent ${pull.run?.turns}`, consentDecidesNothing(pending));
  return intent.parsed.addressedToApp || hasAsked(pull) ? null : noop(pull, 'not-for-us');
}

/** Words to a run by their place or quote. They never begin a run, which takes a command or a mention. */
function giveWordsToRun(context: CommandContext, text: string): Step {
  return giveWordsToAgent(context, text, null, () =>
    endWithHint(context, `words ${context.pull.run?.id}`, wordsWithoutRun()),
  );
}

/** Words below a decided change are for the agent too; those below another one ask for changes to it. */
function onWords(context: CommandContext, proposal: Proposal, text: string): Step {
  return isAboutDecided(proposal, context.intent.createdAt)
    ? giveWordsToAgent(context, text, proposal, requestTask)
    : requestEdit(context, { by: 'location' }, text);
}

/** A review without a command can ask for changes to all proposals or, where the repository allows it, approve them. */
function onReviewWithoutCommand(context: CommandContext, text: string): Step {
  const { pull, intent, facts, commentRef } = context;
  const command = intent.reviewState === 'changes_requested' ? edit : approve;
  if (resolveAll(pull, command.decidesOn, commentRef).kind !== 'resolved') return noop(pull, 'not-for-us');
  const targets = command.name === 'approve' ? approvedTargets(intent, facts) : null;
  if (command.name === 'approve' && targets === null) return noop(pull, 'not-for-us');
  if (targets === null) return requestEdit(context, { by: 'all' }, text);
  return approve.run(context, { name: 'approve', targets, note: '' });
}

/** A comment that is edited into a command has no effect. A person with write access gets one reply saying so. */
export function onCommentEdited(pull: PullState, { parsed, location }: IntentOf<'edited'>, facts: Facts): Step {
  if (!isReadAsCommand(pull, parsed) || !facts.ownerAllowed || !canApprove(facts.permission))
    return noop(pull, 'edited-into-command');
  const id = location.at === 'review' ? `review:${location.reviewId}` : `comment:${location.commentId}`;
  const replied = withReply(startStep(pull), location, editedIntoCommand(), `edited:${id}`);
  return endStep(replied, 'edited-into-command');
}
