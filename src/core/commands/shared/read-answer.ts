import { foldChoice } from '../../agent/question-texts.ts';
import type { QuestionAnswer, QuestionInput } from '../../state/question.ts';

/** The answer in a person's words below a question, with a note. */
type AnswerReading = { readonly answer: QuestionAnswer; readonly note: string | null };

/**
 * Reads words as an answer; null if they are none (S120). An approval takes commands only, and a choice one of its
 * numbers or texts.
 */
export function readAnswer(input: QuestionInput, words: string): AnswerReading | null {
  const text = words.trim();
  if (text === '' || input.type === 'approval') return null;
  return input.type === 'choice'
    ? readChoiceAndNote(input.choices, text)
    : { answer: { kind: 'text', value: text }, note: null };
}

/** The first line answers, and the lines below it are a note. If one of them is another choice, either could be meant. */
function readChoiceAndNote(choices: readonly string[], text: string): AnswerReading | null {
  const whole = readChoice(choices, text);
  if (whole !== null) return { answer: whole, note: null };
  const [first = '', ...below] = text.split('\n');
  const answer = readChoice(choices, first);
  const others = below.flatMap((line) => readChoice(choices, line) ?? []);
  const isUnclear = answer === null || others.some(({ index }) => index !== answer.index);
  return isUnclear ? null : { answer, note: noteOf(below.join('\n')) };
}

/** The note in these lines; null if it is empty. */
export function noteOf(text: string): string | null {
  const note = text.trim();
  return note === '' ? null : note;
}

/** A text can be the number of one choice and the text of another. Then it is neither. */
function readChoice(choices: readonly string[], text: string): Extract<QuestionAnswer, { kind: 'choice' }> | null {
  const number = /^\(?(\d{1,3})[.)]?$/.exec(text.trim())?.[1];
  const byNumber = number === undefined ? -1 : Number(number) - 1;
  const byText = choices.findIndex((choice) => foldChoice(choice) === foldChoice(text));
  const meant = [byNumber, byText].filter((index) => choices[index] !== undefined);
  const [index = -1, other = index] = meant;
  const value = choices[index];
  return value === undefined || other !== index ? null : { kind: 'choice', index, value };
}
