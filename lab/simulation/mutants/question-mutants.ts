import type { AgentQuestion } from '../../../src/core/state/question.ts';
import { listBotComments, snapshotPull } from '../world/simulated-github.ts';
import { type Mutant, type Overrides, overrideGitHub, overridePulls } from './mutant.ts';

function overrideQuestions(change: (question: AgentQuestion) => AgentQuestion): Overrides {
  return overridePulls((pull) => ({
    ...pull,
    run: pull.run && { ...pull.run, questions: pull.run.questions.map(change) },
  }));
}

/** The start of GitHub's clock, before any comment. */
const LONG_AGO = new Date(0).toISOString();

/** Mistakes in questions of the agent and their answers. */
export const QUESTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'questions-answered-twice',
    brokenPromise: 'a question of the agent is answered once',
    createOverrides: () =>
      overrideQuestions((one) => (one.state === 'answered' ? { ...one, state: 'asked', answer: null } : one)),
  },
  {
    name: 'answers-before-their-question',
    brokenPromise: 'a comment that was written before a question is no answer to it',
    createOverrides: () =>
      overrideQuestions((one) =>
        one.comment === null ? one : { ...one, comment: { ...one.comment, createdAt: LONG_AGO } },
      ),
  },
  {
    name: 'strangers-answer',
    brokenPromise: 'only people with write permission answer a question of the agent',
    createOverrides: () =>
      overrideGitHub(({ fetchPermission }, simulatedGitHub, fixture) => ({
        fetchPermission: async (login) => {
          const answer = await fetchPermission(login);
          const comments = listBotComments(snapshotPull(simulatedGitHub, fixture), fixture);
          const isAsking = comments.some(({ body }) => body.includes('**Waiting for an answer.**'));
          return isAsking ? { ...answer, permission: 'write' } : answer;
        },
      })),
  },
];
