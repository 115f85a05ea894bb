import { redact } from '../../lib/credentials.ts';
import { type AnswerRecord, type QuestionAnswer, type QuestionInput, responseOf } from '../state/question.ts';
import { QUESTION_LIMITS, type ToolArguments } from '../state/tools.ts';

/** A call of `ask_user` as it can be asked, or why it cannot. */
type QuestionReading =
  | { readonly kind: 'question'; readonly input: QuestionInput }
  | { readonly kind: 'unaskable'; readonly problem: string };

/** Whether a comment with this text would be a command. */
type IsCommand = (text: string) => boolean;

/** Reads the arguments of `ask_user` (S121). A missing type means an approval. */
export function readQuestionCall(args: ToolArguments['ask_user'], isCommand: IsCommand): QuestionReading {
  const input = readInput(args.input_type, args.choices, isCommand);
  return typeof input === 'string' ? { kind: 'unaskable', problem: input } : { kind: 'question', input };
}

/** The input, or the problem as a clause for people and for the model. */
function readInput(
  type: QuestionInput['type'],
  choices: readonly string[] | null,
  isCommand: IsCommand,
): QuestionInput | string {
  switch (type) {
    case 'approval': {
      const [approve = 'Approve', reject = 'Reject'] = choices ?? [];
      if (choices !== null && choices.length !== 2) return 'the choices of an approval must be exactly two';
      return findChoiceProblem([approve, reject], isCommand) ?? { type, choices: [approve, reject] };
    }
    case 'choice':
      if (choices === null || choices.length === 0) return 'a choice needs choices';
      return findChoiceProblem(choices, isCommand) ?? { type, choices };
    case 'text':
      return { type };
  }
}

function findChoiceProblem(choices: readonly string[], isCommand: IsCommand): string | null {
  const { choices: max, choiceCharacters } = QUESTION_LIMITS;
  if (choices.length > max) return `there are ${choices.length} choices and at most ${max} are shown`;
  if (choices.some((choice) => choice.trim() === '' || /[\r\n]/.test(choice)))
    return 'each choice must be one line of text';
  if (choices.some((choice) => [...choice].length > choiceCharacters))
    return `a choice has at most ${choiceCharacters} characters`;
  // A person who repeats the choice as an answer would give that command, such as an approval.
  if (choices.some(isCommand)) return 'no choice may be a command';
  return new Set(choices.map(foldChoice)).size < choices.length ? 'the choices must be different' : null;
}

/** A choice as people may write it: case and spaces do not matter. */
export function foldChoice(choice: string): string {
  return choice.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The result of a question that a person answered. `response` is the answer's value alone (S115 to S117). */
export function answeredOutput({ answer, note, by }: Pick<AnswerRecord, 'answer' | 'note' | 'by'>): string {
  return JSON.stringify({
    kind: answer.kind,
    response: withoutSecrets(answer),
    answered_by: by.login,
    ...(note === null ? {} : { user_note: redact(note) }),
  });
}

/** Choices are the model's own words. */
function withoutSecrets(answer: QuestionAnswer): ReturnType<typeof responseOf> {
  const response = responseOf(answer);
  return typeof response === 'string' ? redact(response) : response;
}

/** The result of a question that cannot be asked: nobody rejected it, so the run goes on (S121). */
export function unaskableOutput(problem: string): string {
  return JSON.stringify({
    kind: 'reject',
    response: 'reject',
    reason: `The question was not asked, and no person rejected it: ${problem}.`,
  });
}

/** A temporary result of an open question, while the model answers a side question. */
export const ASKED_OUTPUT = 'This question waits for an answer.';
