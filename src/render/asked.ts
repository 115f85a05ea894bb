import type { Person } from '../run/proposal.ts';
import { BODY_LIMIT, blocks, byteLength, modelWords, quote } from './markdown.ts';
import { loginText } from './verdict.ts';

/** Characters of a question that its answer repeats. */
export const QUESTION_CAP = 1_000;

/** Characters of an answer; words that swell when they are written out (a hidden character becomes nine) get less. */
const ANSWER_CAPS: readonly number[] = [12_000, 6_000, 3_000];

/** Left free for the marker that stands above every answer. */
const ROOM_FOR_MARKER = 100;

/** What the model said to somebody's question, quoted as the model's; it mentions nobody and is no command. */
export function askedAnswer(by: Person, question: string, content: string | null): string {
  let text = '';
  for (const cap of ANSWER_CAPS) {
    text = blocks(
      `${loginText(by)} asked:`,
      quote(question, QUESTION_CAP),
      modelWords('Answer', content ?? '', cap) || 'The model answered without a word.',
      'Nothing was decided or changed by this.',
    );
    if (byteLength(text) <= BODY_LIMIT - ROOM_FOR_MARKER) break;
  }
  return text;
}
