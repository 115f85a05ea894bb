import type { PullState } from '../state/pull-state.ts';
import { describeEnd } from './run-ended.ts';

/** Words of the App's own that stand in the run comment, in closing words, in a question or in an answer. */
const OWN_WORDS: readonly string[] = [
  'waiting for review of',
  'waiting for an answer to the question',
  'working the model has been',
  'working reading files for the model',
  'working posting the proposed changes',
  'working applying approved changes',
  'change file state by commit',
  'ends the run help lists all commands',
  'nothing has been changed yet',
  'closing words written by the model',
  'the answer written by the model',
  'answer written by the model',
  'plan written by the model',
  'the agent asks',
  'to go on with this run reply to one of its changes',
];

/** Shorter lines stand in other people's comments too. */
const MIN_LINE_CHARACTERS = 12;

/**
 * Whether a quote is of what the App wrote about the run: its own words, or a line of the model's. Anybody can copy
 * them, so that a quote only says to whom the words below it speak.
 */
export function quotesApp({ run, answeredQuestions, proposals }: PullState, quote: string): boolean {
  const quoted = wordsOf(quote);
  const end = run?.phase.kind === 'ended' ? [wordsOf(`the run ${describeEnd(run.phase)}`)] : [];
  if ([...OWN_WORDS, ...end].some((words) => quoted.includes(words))) return true;
  const ofModel = [
    run?.summary ?? '',
    ...(run?.questions.map(({ prompt }) => prompt) ?? []),
    ...answeredQuestions.map(({ answer }) => answer),
    ...proposals.map(({ modelReason }) => modelReason ?? ''),
  ];
  return quotesText(quote, ofModel.join('\n'));
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
