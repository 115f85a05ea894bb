import { foldChoice } from '../../agent/question-texts.ts';
import { stripSignature } from '../../comments/comment-body.ts';
import type { QuestionAnswer, QuestionInput } from '../../state/question.ts';
import type { QuestionHint } from '../../state/replies.ts';

/** What a person's words are to a question: its answer, or nothing but a reason for a hint (S120). */
type AnswerReading =
  | { readonly kind: 'answer'; readonly answer: QuestionAnswer }
  | { readonly kind: 'hint'; readonly hint: QuestionHint };

/** Reads words as an answer. An approval takes commands only, and a choice one of its numbers or texts. */
export function readAnswer(input: QuestionInput, words: string): AnswerReading {
  const text = words.trim();
  if (stripSignature(text) === '') return hint('empty');
  switch (input.type) {
    case 'approval':
      return hint('needs-approval');
    case 'choice':
      return readChoice(input.choices, stripSignature(text));
    case 'text':
      return { kind: 'answer', answer: { kind: 'text', value: text } };
  }
}

/** A text can be the number of one choice and the text of another. Then it is neither. */
function readChoice(choices: readonly string[], text: string): AnswerReading {
  const byNumber = /^\(?(\d{1,3})[.)]?$/.exec(text)?.[1];
  const byText = choices.findIndex((choice) => foldChoice(choice) === foldChoice(text));
  if (byNumber === undefined || byText === Number(byNumber) - 1) return chooseAt(choices, byText);
  const isAmbiguous = byText !== -1 && choices[Number(byNumber) - 1] !== undefined;
  return isAmbiguous ? hint('ambiguous-choice') : chooseAt(choices, byText === -1 ? Number(byNumber) - 1 : byText);
}

/** Reads the number of a choice, from 1. */
export function readChoiceNumber(input: QuestionInput, number: number): AnswerReading {
  if (input.type === 'choice') return chooseAt(input.choices, number - 1);
  return hint(input.type === 'approval' ? 'needs-approval' : 'needs-text');
}

function chooseAt(choices: readonly string[], index: number): AnswerReading {
  const value = choices[index];
  return value === undefined ? hint('not-a-choice') : { kind: 'answer', answer: { kind: 'choice', index, value } };
}

function hint(reason: QuestionHint): AnswerReading {
  return { kind: 'hint', hint: reason };
}
