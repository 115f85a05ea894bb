import { wasAskedBefore } from '../actions/close-question.ts';
import { findOpenQuestion } from '../commands/shared/targets.ts';
import { describeEnd } from '../messages/run-ended.ts';
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

/** Lines of the App's own in the run comment, closing words, a question or an answer. People talk of the agent too. */
const OWN_LINES: readonly RegExp[] = [
  /^waiting for review of \d+ changes?\b/,
  /^waiting for an answer to the question\b/,
  /^working (?:the model has been|reading files for the model|posting the proposed changes|applying approved changes)\b/,
  /^change file state by commit$/,
  /\bstop ends the run help lists all commands$/,
  /^(?:closing words|the answer|answer|plan) written by the model$/,
  /^the agent asks in words of the model$/,
  /^to go on with this run reply to one of its changes\b/,
];

/** What follows the end of the run in the closing words. */
const CHANGES = /^(?:no change was proposed|nothing was changed|\d+ changes? applied)\b/;

/** The App's words to one person begin with it. */
const MENTION = /^\s*@\S+,\s/;

/** Shorter lines stand in other people's comments too. */
const MIN_LINE_CHARACTERS = 12;

/**
 * Whether a quote is of what the App wrote about the run: its own words, or a line of the model's. Anybody can copy
 * them, so that a quote only says to whom the words below it speak.
 */
function quotesApp({ run, answeredQuestions, proposals }: PullState, quote: string): boolean {
  const lines = quote.split('\n').map((line) => wordsOf(line.replace(MENTION, '')));
  if (lines.some((line) => OWN_LINES.some((own) => own.test(line)))) return true;
  if (run?.phase.kind === 'ended' && lines.some(isEndLine(describeEnd(run.phase)))) return true;
  const ofModel = [
    run?.summary ?? '',
    ...(run?.questions.map(({ prompt }) => prompt) ?? []),
    ...answeredQuestions.map(({ answer }) => answer),
    ...proposals.map(({ modelReason }) => modelReason ?? ''),
  ];
  return quotesText(quote, ofModel.join('\n'));
}

/** The state in the run comment, or the sentence of the closing words. */
function isEndLine(end: string): (line: string) => boolean {
  const words = wordsOf(`the run ${end}`);
  return (line) => line === `ended ${words}` || (line.startsWith(words) && CHANGES.test(line.slice(words.length + 1)));
}

/** Whether a line of the quote is one of the text, or a part of one. */
function quotesText(quote: string, text: string): boolean {
  const words = wordsOf(text);
  const lines = quote.split('\n').map(wordsOf);
  return lines.some((line) => line.length >= MIN_LINE_CHARACTERS && words.includes(line));
}

/** Letters and digits only, because Markdown is rendered and quoted again on the way. */
function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
