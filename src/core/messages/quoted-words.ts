import type { PullState } from '../state/pull-state.ts';
import { describeEnd } from './run-ended.ts';

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
export function quotesApp({ run, answeredQuestions, proposals }: PullState, quote: string): boolean {
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
export function quotesText(quote: string, text: string): boolean {
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
