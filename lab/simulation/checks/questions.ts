import type { AnswerRecord } from '../../../src/core/state/question.ts';
import { couldWrite } from './approvals.ts';
import type { CaseCheck, CaseEvidence, SavedStep } from './evidence.ts';

type GivenAnswer = { readonly record: AnswerRecord; readonly index: number; readonly saved: SavedStep };

function listAnswers({ saved }: CaseEvidence): readonly GivenAnswer[] {
  return saved.flatMap(({ index, saved: one }) => one.step.answers.map((record) => ({ record, index, saved: one })));
}

/** S114: a question is answered once, and has no other state after that. */
export const questionsAreAnsweredOnce: CaseCheck = (evidence) => {
  const answered = new Set<string>();
  return listAnswers(evidence).flatMap(({ record, saved }) => {
    const key = `${saved.claim.pullRequestKey} ${record.questionId}`;
    if (answered.has(key)) return [`S114: the question ${record.questionId} was answered twice`];
    answered.add(key);
    return [];
  });
};

/** A comment answers only a question that stood on the page before it was written. */
export const answersFollowTheirQuestion: CaseCheck = (evidence) => {
  const postedAt = new Map(
    evidence.saved.flatMap(({ saved: { signal } }) =>
      signal.type === 'question-posted' ? [[signal.questionId, signal.comment.createdAt] as const] : [],
    ),
  );
  return listAnswers(evidence).flatMap(({ record, saved: { signal } }) => {
    const posted = Date.parse(postedAt.get(record.questionId) ?? '');
    const written = signal.type === 'intent' && signal.intent.kind === 'comment' ? signal.intent.createdAt : '';
    return posted < Date.parse(written) ? [] : [`a comment answered ${record.questionId} before it was asked`];
  });
};

/** Only people with write permission answer; the author of the pull request may end the run. */
export const answersAreByWriters: CaseCheck = (evidence) =>
  listAnswers(evidence).flatMap(({ record, index }) =>
    record.answer.kind === 'reject' || couldWrite(evidence, record.by.id, startOf(evidence, index), index)
      ? []
      : [`${record.by.login} answered ${record.questionId} without write permission`],
  );

/** The permission is read while the comment is processed, which can take some attempts. */
function startOf({ events }: CaseEvidence, index: number): number {
  const at = events[index]?.at ?? 0;
  return events.findIndex((event) => event.at >= at - PERMISSION_AGE_MS);
}

const PERMISSION_AGE_MS = 60_000;

/** S116: the model gets an index within the choices, with its value. */
export const chosenValuesAreOffered: CaseCheck = (evidence) =>
  listAnswers(evidence).flatMap(({ record: { questionId, answer }, saved }) => {
    const input = saved.step.pull.run?.questions.find(({ id }) => id === questionId)?.input;
    if (answer.kind !== 'choice') return [];
    const isOffered = input?.type === 'choice' && input.choices[answer.index] === answer.value;
    return isOffered ? [] : [`S116: ${questionId} was answered with a value that is not its choice`];
  });

/** S118, S121: no question stays open in a run that has ended. */
export const endedRunsAskNothing: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run?.phase.kind !== 'ended') return [];
    const open = run.questions.filter(({ state }) => state === 'asked');
    return open.map(({ id }) => `the question ${id} is open although its run has ended (${step.reason})`);
  });
