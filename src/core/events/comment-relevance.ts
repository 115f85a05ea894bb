import { endStep, startStep, withReply } from '../actions/step-builder.ts';
import { approve } from '../commands/approve.ts';
import { edit } from '../commands/edit.ts';
import type { CommandContext } from '../commands/shared/context.ts';
import { findAnsweredProposal, findAnsweredQuestion, resolveAll } from '../commands/shared/targets.ts';
import { isAboutDecided } from '../commands/shared/words-for-agent.ts';
import { unknownHere } from '../messages/approval-replies.ts';
import type { CommandName, CommentIntent, ParsedComment, TextComment } from '../state/intent.ts';
import type { Proposal } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { type AgentQuestion, currentQuestion } from '../state/question.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Reason } from '../step/reasons.ts';
import type { Step } from '../step/step.ts';
import { findMeantQuestion, speaksToRun } from './natural-replies.ts';
import { decisionTargets, isDecision } from './review.ts';

/** Whether a comment is for the App. */
type Relevance =
  | { readonly kind: 'irrelevant'; readonly reason: Reason }
  /** It could be about a proposal that is being posted. */
  | { readonly kind: 'deferred' }
  | RelevantComment;

export type RelevantComment = {
  readonly kind: 'relevant';
  /** The command that the person must be allowed to use; `help` for a comment that only gets a hint. */
  readonly command: CommandName;
  /** The proposal that the comment answers by its location. */
  readonly proposal: Proposal | null;
  /** The agent's question that the comment answers by its location. */
  readonly question: AgentQuestion | null;
  /** The comment is not addressed to the App, so a refusal gets no reply. */
  readonly silent: boolean;
  /** Its words are for the run, by their place or by what they quote. */
  readonly isForRun: boolean;
  /** It can be about a change that this installation does not know. */
  readonly canBeUnknown: boolean;
};

/**
 * Decides from stored state alone whether a comment is for the App, so that irrelevant comments cost no API requests.
 */
export function relevanceOf(pull: PullState, intent: CommentIntent): Relevance {
  const { parsed } = intent;
  const proposal = findAnsweredProposal(pull, intent);
  const question = findAnsweredQuestion(pull, intent) ?? findMeantQuestion(pull, intent);
  const relevant = (command: CommandName, silent = false, isForRun = false): RelevantComment => ({
    kind: 'relevant',
    ...{ command, proposal, question, silent, isForRun, canBeUnknown: canMeanUnknown(pull, intent) },
  });
  switch (parsed.kind) {
    case 'command': {
      const { name } = parsed.command;
      if (name === 'task') return relevant('task');
      if (canMeanUnknown(pull, intent)) return relevant(name, !parsed.addressedToApp);
      return deferWhilePosting(pull, intent, proposal, () =>
        ifAccepted(pull, parsed, relevant(name), relevant('help')),
      );
    }
    case 'malformed-command':
      if (parsed.command === null)
        return parsed.addressedToApp || proposal !== null ? relevant('help') : irrelevant('not-for-us');
      return ifAccepted(pull, parsed, relevant('help'), relevant('help'));
    case 'text':
      // The body of a review takes effect only with a command.
      if (proposal !== null && parsed.suggestion !== null && intent.location.at === 'thread')
        return relevant('edit', !parsed.addressedToApp);
      if (parsed.addressedToApp) return deferWhilePosting(pull, intent, proposal, () => relevant('task'));
      if (parsed.addressedToSomeoneElse && parsed.suggestion === null) return irrelevant('not-for-us');
      if (question !== null) return relevant('answer', true);
      if (intent.reviewState !== null && proposal === null) return relevanceOfReview(pull, intent, parsed, relevant);
      return deferWhilePosting(pull, intent, proposal, () => {
        if (proposal !== null) return relevant(isAboutDecided(proposal, intent.createdAt) ? 'task' : 'edit', true);
        const isForRun = parsed.suggestion === null && parsed.text !== '' && speaksToRun(pull, intent);
        return isForRun ? relevant('task', true, true) : irrelevant('not-for-us');
      });
  }
}

/** The command that a review without one can mean. */
const COMMAND_BY_REVIEW_STATE = { commented: null, approved: approve, changes_requested: edit } as const;

function relevanceOfReview(
  pull: PullState,
  intent: CommentIntent,
  { text, affirmation }: TextComment,
  relevant: (command: CommandName, silent: boolean) => Relevance,
): Relevance {
  const command = COMMAND_BY_REVIEW_STATE[intent.reviewState ?? 'commented'];
  if (command === null || intent.quotedIds.length > 0) return irrelevant('not-for-us');
  if (command.name === 'edit' && (text === '' || affirmation)) return irrelevant('not-for-us');
  return deferWhilePosting(pull, intent, null, () => {
    const open = resolveAll(pull, command.decidesOn, { ...intent, decidedInThreads: [] });
    const canDecide = activeRun(pull) !== null && open.kind === 'resolved';
    return canDecide ? relevant(command.name, true) : irrelevant('not-for-us');
  });
}

function irrelevant(reason: Reason): Relevance {
  return { kind: 'irrelevant', reason };
}

/**
 * Whether a command is accepted. Without the App's name before it, it is not where no run ever was, because it can be
 * another bot's, nor where the repository's settings require the name.
 */
export function commandMode(
  pull: PullState,
  { addressedToApp }: ParsedComment,
): 'accepted' | 'no-run' | 'prefix-required' {
  if (addressedToApp) return 'accepted';
  if (pull.run === null) return 'no-run';
  return pull.run.settings.commands === 'prefixed' ? 'prefix-required' : 'accepted';
}

/** Whether a new comment with this text would be read as a command or a mention. */
export function isReadAsCommand(pull: PullState, comment: ParsedComment): boolean {
  return comment.kind === 'text' ? comment.addressedToApp : commandMode(pull, comment) === 'accepted';
}

/** A command without the required prefix gets a hint only if it answers a proposal. */
function ifAccepted(
  pull: PullState,
  comment: ParsedComment,
  whenAccepted: RelevantComment,
  whenPrefixRequired: RelevantComment,
): Relevance {
  switch (commandMode(pull, comment)) {
    case 'accepted':
      return whenAccepted;
    case 'no-run':
      return irrelevant('no-run');
    case 'prefix-required':
      return whenPrefixRequired.proposal === null ? irrelevant('not-for-us') : whenPrefixRequired;
  }
}

/** A reply or a decision can arrive before the ids of the comments that we are posting: it is deferred until then. */
function deferWhilePosting(
  pull: PullState,
  intent: CommentIntent,
  proposal: Proposal | null,
  relevance: () => Relevance,
): Relevance {
  const isPosting = pull.proposals.some(({ state, comment }) => state === 'proposed' && comment === null);
  const isAsking = activeRun(pull) !== null && currentQuestion(pull.run?.questions ?? [])?.comment === null;
  const canMeanPosted =
    intent.location.at === 'thread' ||
    isDecision(intent.parsed) ||
    isAnswer(intent.parsed) ||
    intent.reviewState !== null;
  return (isPosting || isAsking) && proposal === null && canMeanPosted ? { kind: 'deferred' } : relevance();
}

function isAnswer(comment: ParsedComment): boolean {
  return comment.kind === 'command' && comment.command.name === 'answer';
}

// After a transfer the repository has another installation, whose pull requests have other keys, and so no state. (R12)

/** Whether a command decides on a change although nothing is known of this pull request. */
function canMeanUnknown({ run }: PullState, intent: CommentIntent): boolean {
  if (run !== null || decisionTargets(intent.parsed) === null) return false;
  return namesChange(intent) || beganThread(intent) !== null;
}

function namesChange({ parsed, quotedIds }: CommentIntent): boolean {
  return quotedIds.length > 0 || decisionTargets(parsed)?.by === 'ids';
}

/** The first comment of the thread that this one replies to; null elsewhere. */
function beganThread({ location }: CommentIntent): number | null {
  return location.at === 'thread' && location.rootId !== location.commentId ? location.rootId : null;
}

/** Only a command that names no change depends on who began its thread. */
export function unknownChangeNeeds(intent: CommentIntent, { threadAuthor }: Facts): readonly Need[] {
  const rootId = beganThread(intent);
  return namesChange(intent) || rootId === null || threadAuthor !== undefined
    ? []
    : [{ kind: 'thread-author', rootId }];
}

/** Says so, once per pull request; null if the command is about nothing of the App’s. */
export function onUnknownChange(context: CommandContext): Step | null {
  const { intent, facts } = context;
  if (!namesChange(intent) && facts.threadAuthor !== facts.app.botId) return null;
  return endStep(withReply(startStep(context.pull), intent.location, unknownHere(), 'unknown-here'), 'unknown-here');
}
