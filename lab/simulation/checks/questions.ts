import { isDeepStrictEqual } from 'node:util';
import type { Run } from '../../../src/core/state/run.ts';
import type { EffectType } from '../../../src/core/step/effects.ts';
import type { CaseCheck, SavedStep } from './evidence.ts';

/** S114: a question is answered once, and has no other state after that. */
export const questionsAreAnsweredOnce: CaseCheck = ({ saved }) => {
  const answered = new Set<string>();
  return saved.flatMap(({ saved: { claim, step } }) =>
    step.answers.flatMap(({ questionId }) => {
      const key = `${claim.pullRequestKey} ${questionId}`;
      if (answered.has(key)) return [`S114: the question ${questionId} was answered twice`];
      answered.add(key);
      return [];
    }),
  );
};

/** S118, S121: no question stays open in a run that has ended. */
export const endedRunsAskNothing: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run?.phase.kind !== 'ended') return [];
    const open = run.questions.filter(({ state }) => state === 'asked');
    return open.map(({ id }) => `the question ${id} is open although its run has ended (${step.reason})`);
  });

/** All that can come of a person's question. */
const EFFECTS_OF_QUESTIONS: ReadonlySet<EffectType> = new Set<EffectType>([
  'answer-side-question',
  'react',
  'reply',
  'update-run-comment',
]);

/** S157: a person's question proposes nothing, decides nothing, commits nothing, and moves no run. */
export const sideQuestionsChangeNothing: CaseCheck = ({ saved }) => {
  const runs = new Map<string, Run | null>();
  return saved.flatMap(({ saved: one }) => {
    const { pullRequestKey: key } = one.claim;
    const before = runs.get(key) ?? null;
    runs.set(key, one.step.pull.run);
    return one.step.reason.startsWith('side-question-') ? findChanges(one, before) : [];
  });
};

function findChanges({ step, before: states }: SavedStep, before: Run | null): readonly string[] {
  const { run, proposals } = step.pull;
  const isMoved = before?.id === run?.id && !(isSame(before?.phase, run?.phase) && isSame(before?.batch, run?.batch));
  const changed = proposals.filter(({ id, state }) => states.get(id) !== state);
  const effects = step.effects.filter(({ type }) => !EFFECTS_OF_QUESTIONS.has(type));
  const rows = step.messages.length + step.votes.length + step.answers.length + step.ledgerCommits.length;
  return [
    ...(isMoved ? [`S157: a question moved its run (${step.reason})`] : []),
    ...changed.map(({ id }) => `S157: a question changed ${id} (${step.reason})`),
    ...effects.map(({ type }) => `S157: a question led to ${type} (${step.reason})`),
    ...(rows > 0 ? [`S157: a question wrote ${rows} rows of a run (${step.reason})`] : []),
  ];
}

function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}

/** S157: each question gets one answer, unless its comment or the App is gone. */
export const sideQuestionsEnd: CaseCheck = ({ saved }) => {
  const waiting = new Map<string, string>();
  const problems: string[] = [];
  for (const { saved: one } of saved) {
    const { reason, pull } = one.step;
    const prefix = `${one.claim.pullRequestKey} `;
    const open = new Set(pull.sideQuestions.map(({ id }) => `${prefix}${id}`));
    const ended = [...waiting.keys()].filter((key) => key.startsWith(prefix) && !open.has(key));
    for (const key of ended) {
      waiting.delete(key);
      if (!ENDS.has(reason)) problems.push(`S157: the question ${key} ended by ${reason}`);
    }
    for (const key of open) if (!waiting.has(key)) waiting.set(key, reason);
  }
  return [...problems, ...[...waiting.keys()].map((key) => `S157: the question ${key} got no answer`)];
};

const ENDS: ReadonlySet<string> = new Set(['side-question-answered', 'side-question-failed', 'access-lost']);
