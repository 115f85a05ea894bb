import { escapeHiddenCharacters } from '../edits/text/characters.ts';
import type { TranscriptMessage } from '../state/conversation.ts';
import type { SyntaxProblem } from '../state/proposal.ts';
import { formatPath } from './shared/tool-results.ts';

/** Why the valid calls of a response are not shown to people yet. */
export type HoldCause = { readonly hasReadings: boolean; readonly hasFaults: boolean };

/** T20: a valid call is shown to people later. */
export function heldOutput({ hasReadings, hasFaults }: HoldCause): string {
  const what = [...(hasReadings ? ['only read'] : []), ...(hasFaults ? ['have to be corrected'] : [])];
  const why = `calls of the same response ${what.join(' or ')}`;
  return `Held: valid, and not shown to people yet, because ${why}. It will be shown together with your next changes; do not send it again.`;
}

/** T21: a response held no call although it does not read like the end. */
export const NUDGE_MESSAGE: TranscriptMessage = {
  role: 'user',
  content:
    'Your answer held no tool call. If you meant to go on, call the tool now. Otherwise answer with your closing words.',
};

/** T22: the response ended in the middle of a call. */
export function cutOutput(tool: string, characters: number): string {
  return `The arguments of ${tool} end at character ${characters}: the answer was cut at its length limit. Send less at once.`;
}

/** T24: a change would bring a syntax error into a file. People see it only if the model sends it again. */
export function brokenFileOutput({ path, line, what }: SyntaxProblem): string {
  return `${formatPath(path)} would no longer parse: line ${line}: ${what}. Send it again if you mean it.`;
}

/** T25: the run ends soon, unless a person writes. */
export function remainingResponsesMessage(remaining: number): TranscriptMessage {
  return { role: 'user', content: `${remaining} responses are left before this run stops.` };
}

/** The outcome of a held call, as its result would be. */
export type HeldOutcome = {
  readonly tool: string;
  readonly callId: string;
  readonly path: string;
  readonly output: string;
};

/**
 * One note with the outcomes of held calls, whose own results were given when they were held. Each is one line of JSON,
 * because it can hold lines of a file, which must not pose as a person's words.
 */
export function buildHeldOutcomesMessage(outcomes: readonly HeldOutcome[]): TranscriptMessage {
  const lines = outcomes.map(
    ({ tool, callId, path, output }) => `${tool} ${formatPath(path)} (${formatPath(callId)}): ${toJsonLine(output)}`,
  );
  const content = ['Results of the calls that were held, each as JSON:', ...lines].join('\n');
  return { role: 'user', content: escapeHiddenCharacters(content) };
}

/** Only JSON begins like that: an object stays as it is, as a string would be twice as long, and hard to read. */
function toJsonLine(output: string): string {
  return /^\{"[^\r\n]*\}$/.test(output) ? output : JSON.stringify(output);
}

/** How to make one change of calls that belong together. */
const ONE_CALL = "Put them into one call: edit_file with 'edits', or change_files.";

const BETWEEN_PLACES = "'edits' take all lines from the first place to the last; change_files takes each place alone.";

/** T15: a call touches the change of another one, and people decide on each change alone. */
export function touchesOtherCallOutput(path: string): string {
  return `Not proposed: this change of ${path} touches that of another call. ${ONE_CALL} ${BETWEEN_PLACES}`;
}

/** Below a refused call on a file that an earlier call of the response changes. */
export const EARLIER_CALL_HINT = `No call sees the changes of another call of the same response. ${ONE_CALL}`;

/** The first words of a last sentence that announces an action. */
const PROMISE =
  /^(?:(?:now|next|first|then|so|okay|ok),? )?(?:i will(?! not)|i['’]ll(?! not)|i am going to|i['’]m going to|let me(?! know))\b/i;

/** A text that is a call and nothing else, as some models write it. */
const WHOLE_CALL = /^(?:```\w*\s*)?(?:<(?:tool_call|function|invoke)\b[\s\S]*>|\[?\s*\{[\s\S]*[}\]])\s*(?:```)?$/;

/**
 * Whether an answer without calls does not read like closing words: it is empty, ends with a colon, ends by announcing
 * an action, or is a call written as text. A wrong guess costs one more response.
 */
export function isUnfinishedAnswer(content: string | null): boolean {
  const text = (content ?? '').trim();
  const lastSentence = text.split(/(?<=[.!?])\s+|\n+/).at(-1) ?? '';
  return text === '' || text.endsWith(':') || PROMISE.test(lastSentence) || WHOLE_CALL.test(text);
}

/** Two answers that people read as one. The closing words may only point at the earlier answer, or repeat it. */
export function joinAnswers(earlier: string | null, closing: string | null): string | null {
  const [first, last] = [(earlier ?? '').trim(), (closing ?? '').trim()];
  if (first === '' || last.includes(first)) return closing;
  return last === '' || first.includes(last) ? first : `${first}\n\n${last}`;
}
