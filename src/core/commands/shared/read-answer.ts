import { foldChoice } from '../../agent/question-texts.ts';
import { stripSignature } from '../../comments/comment-body.ts';
import type { QuestionAnswer, QuestionInput } from '../../state/question.ts';
import type { QuestionHint } from '../../step/refusals.ts';

/** A person's words below a question: its answer with a note, or the hint for words that are no answer (S120). */
export type AnswerReading =
  | { readonly kind: 'answer'; readonly answer: QuestionAnswer; readonly note: string | null }
  | { readonly kind: 'hint'; readonly hint: QuestionHint };

/** Reads words as an answer. An approval takes commands only, and a choice one of its numbers or texts. */
export function readAnswer(input: QuestionInput, words: string): AnswerReading {
  const text = words.trim();
  if (stripSignature(text) === '') return hint('empty');
  switch (input.type) {
    case 'approval':
      return hint('needs-approval');
    case 'choice':
      return readChoiceAndNote(input.choices, stripSignature(text));
    case 'text':
      return { kind: 'answer', answer: { kind: 'text', value: text }, note: null };
  }
}

/** The first line answers, and the lines below it are a note; each choice is one line. */
function readChoiceAndNote(choices: readonly string[], text: string): AnswerReading {
  const end = text.indexOf('\n');
  const whole = readChoice(choices, text);
  if (end === -1 || whole.kind === 'answer') return whole;
  return withNoteBelow(choices, readChoice(choices, text.slice(0, end)), text.slice(end));
}

/** Adds the lines below an answer. If one of them is another choice, either could be meant. */
function withNoteBelow(choices: readonly string[], reading: AnswerReading, below: string): AnswerReading {
  if (reading.kind === 'hint') return reading;
  const index = chosenIndex(reading);
  const others = below.split('\n').map((line) => chosenIndex(readChoice(choices, line)));
  const isUnclear = others.some((other) => other !== null && other !== index);
  return isUnclear ? hint('two-choices') : { ...reading, note: noteOf(below) };
}

function chosenIndex(reading: AnswerReading): number | null {
  return reading.kind === 'answer' && reading.answer.kind === 'choice' ? reading.answer.index : null;
}

/** The note in these lines, without a signature; null if it is empty. */
export function noteOf(text: string): string | null {
  const note = stripSignature(text);
  return note === '' ? null : note;
}

/** A text can be the number of one choice and the text of another. Then it is neither. */
function readChoice(choices: readonly string[], text: string): AnswerReading {
  const byNumber = /^\(?(\d{1,3})[.)]?$/.exec(text)?.[1];
  const byText = choices.findIndex((choice) => foldChoice(choice) === foldChoice(text));
  if (byNumber === undefined || byText === Number(byNumber) - 1) return chooseAt(choices, byText);
  const isAmbiguous = byText !== -1 && choices[Number(byNumber) - 1] !== undefined;
  return isAmbiguous ? hint('ambiguous-choice') : chooseAt(choices, byText === -1 ? Number(byNumber) - 1 : byText);
}

/** Reads the number of a choice, from 1, and the lines below it. */
export function readChoiceNumber(input: QuestionInput, number: number, below: string): AnswerReading {
  if (input.type === 'choice') return withNoteBelow(input.choices, chooseAt(input.choices, number - 1), below);
  return hint(input.type === 'approval' ? 'needs-approval' : 'needs-text');
}

function chooseAt(choices: readonly string[], index: number): AnswerReading {
  const value = choices[index];
  return value === undefined
    ? hint('not-a-choice')
    : { kind: 'answer', answer: { kind: 'choice', index, value }, note: null };
}

function hint(reason: QuestionHint): AnswerReading {
  return { kind: 'hint', hint: reason };
}
