import type { Place } from '../command/intent.ts';
import { cleanText } from '../prompt/clean-text.ts';
import type { Usage } from '../prompt/message.ts';
import type { Answer } from './answer.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withEffects, withPull, withRun } from './draft.ts';
import type { Pull, Question } from './run.ts';
import type { Said, Signal } from './signal.ts';
import { reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';

/** Questions that may wait on one pull request; each costs a request with the whole transcript. */
const MOST_QUESTIONS = 10;

/** `/ask`: put to the model beside the run, one question after the other; nothing of it is ever part of the run. */
export function onAsk(spoken: Spoken, text: string): Step {
  const { pull, intent, person } = spoken;
  if (pull.run === null) return reply(spoken, { kind: 'no-run', command: 'ask' }, 'no-run');
  if (pull.questions.length >= MOST_QUESTIONS)
    return reply(spoken, { kind: 'questions-full', most: MOST_QUESTIONS }, 'questions-full');
  const question: Question = { runId: pull.run.id, by: person, text: cleanText(text).text, place: intent.place };
  const kept = withPull(draftOf(pull), { questions: [...pull.questions, question] });
  const seen = withEffects(kept, { type: 'react', place: intent.place, content: 'eyes' });
  return finish(pull.questions.length === 0 ? withEffects(seen, { type: 'ask-question', question }) : seen, 'asked');
}

/** The answer goes to where the question stands, what it cost to its run, and the next question to the model. */
export function onQuestionAnswered(pull: Pull, signal: Extract<Signal, { type: 'question-answered' }>): Step {
  const { question, said } = signal;
  const [first, ...rest] = pull.questions;
  if (first === undefined || wordsId(first.place) !== wordsId(question.place)) return ignore(pull, 'outdated-outcome');
  const told = withAnswer(withPull(draftOf(pull), { questions: rest }), question.place, answerOf(question, said));
  const counted = said.kind === 'words' ? withCost(told, question, said.usage) : told;
  const [next] = rest;
  const passedOn = next === undefined ? counted : withEffects(counted, { type: 'ask-question', question: next });
  return finish(passedOn, 'question-answered');
}

function wordsId(place: Place): string {
  return `${place.at}:${place.at === 'review' ? place.reviewId : place.commentId}`;
}

function answerOf({ by, text: question }: Question, said: Said): Answer {
  return said.kind === 'words'
    ? { kind: 'asked', by, question, content: said.content }
    : { kind: 'ask-failed', by, question, message: said.message };
}

function withCost(draft: Draft, question: Question, { input, cachedInput, output }: Usage): Draft {
  const { run } = draft.pull;
  if (run === null || run.id !== question.runId) return draft;
  const usage = {
    input: run.usage.input + input,
    cachedInput: run.usage.cachedInput + cachedInput,
    output: run.usage.output + output,
  };
  return withEffects(withRun(draft, { usage, questions: run.questions + 1 }), { type: 'show-run', runId: run.id });
}
