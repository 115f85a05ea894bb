import { wasAskedBefore } from '../actions/close-question.ts';
import { findOpenQuestion } from '../commands/shared/targets.ts';
import { quotesApp, quotesText } from '../messages/quoted-words.ts';
import type { CommentIntent } from '../state/intent.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { Run } from '../state/run.ts';
import type { Person } from '../state/vote.ts';

type WrittenWords = Pick<CommentIntent, 'location' | 'quote' | 'actor' | 'createdAt' | 'reviewState'>;

/**
 * The open question that a plain comment in the conversation answers: the one that it quotes, also without the id, or
 * the one that its writer was asked. Below any other quote people talk about what they quote.
 */
export function findMeantQuestion(pull: PullState, intent: CommentIntent): AgentQuestion | null {
  const { parsed, location, quote, actor, createdAt } = intent;
  const question = findOpenQuestion(pull);
  if (question?.comment?.kind !== 'issue-comment' || location.at !== 'conversation') return null;
  if (parsed.kind !== 'text' || parsed.addressedToApp || !wasAskedBefore(question, createdAt)) return null;
  const isMeant = quote === null ? pull.run?.task.by.id === actor.id : quotesText(quote, question.prompt);
  return isMeant ? question : null;
}

/**
 * Whether words without a command or a mention are for the run: in the thread where its task or the last words to it
 * were written, below a quote of what the App wrote about it, or after closing words that asked their reader something.
 */
export function speaksToRun(pull: PullState, intent: WrittenWords): boolean {
  const { run } = pull;
  const { location, quote, createdAt } = intent;
  if (intent.reviewState !== null || run === null || isPullOver(run)) return false;
  if (Date.parse(createdAt) <= Date.parse(run.task.requestedAt)) return false;
  if (quote !== null && quotesApp(pull, quote)) return true;
  return location.at === 'thread' ? isItsThread(run, location.rootId) : quote === null && isAskedAtEnd(pull, intent);
}

/** The agent is not asked about a pull request that is over. */
function isPullOver({ phase }: Run): boolean {
  return phase.kind === 'ended' && (phase.reason === 'closed' || phase.reason === 'merged');
}

function isItsThread({ task, lastResumption }: Run, rootId: number): boolean {
  const places = [task.location, lastResumption?.spoken?.location];
  return places.some((one) => one?.at === 'thread' && one.rootId === rootId);
}

function isAskedAtEnd(pull: PullState, { actor, createdAt }: WrittenWords): boolean {
  const { run } = pull;
  if (run === null || run.phase.kind !== 'ended' || !hasAsked(pull)) return false;
  return addresseeOf(run).id === actor.id && Date.parse(createdAt) > Date.parse(run.phase.at);
}

/** The person whom the closing words mention. */
function addresseeOf({ task, lastResumption }: Run): Person {
  return lastResumption?.spoken?.by ?? task.by;
}

/** A question, or an offer that waits for one. */
const ASKING = /[?？؟]|\b(?:let me know|tell me|just say)\b/i;

/** Whether the last paragraph of the closing words asks something; code and addresses can hold a question mark. */
export function hasAsked(pull: PullState): boolean {
  const { run } = pull;
  if (activeRun(pull) !== null || run === null || run.summary === null) return false;
  const last =
    run.summary
      .trim()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? '';
  return ASKING.test(last.replace(/`[^`]*`|https?:\S+/g, ''));
}
