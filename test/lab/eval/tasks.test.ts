import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { grade, untouched } from '../../../lab/eval/grade.ts';
import { playTask } from '../../../lab/eval/play.ts';
import { TASKS } from '../../../lab/eval/tasks/all-tasks.ts';
import { headFilesOf } from '../../../lab/eval/tasks/task.ts';

const TIME_LIMIT_MS = 50_000;

type Figures = readonly [responses: number, rounds: number];

/** Responses and rounds that a capable model needs at most for the tasks of the design's figures. */
const MOST: Readonly<Record<string, Figures>> = {
  ...{ 'empty-list': [3, 1], thread: [3, 1], 'open-comments': [3, 1], rename: [3, 1], question: [3, 1] },
  ...{ 'pasted-ci-error': [2, 1], 'docs-and-changelog': [3, 1], 'split-function': [4, 2] },
};

/** Tokens that these tasks may cost, sent and written: half of what a rename in eleven files cost in the trial. */
const MOST_TOKENS: Readonly<Record<string, number>> = { rename: 18_000 };

/** The dearest tasks, and one with checks. `npm run nightly` plays all tasks of the figures. */
const names = process.env['MODE'] === 'nightly' ? Object.keys(MOST) : ['rename', 'split-function'];

const played = TASKS.filter(({ name }) => names.includes(name) || name === 'red-head');

/** One mistake of the first task. `npm run nightly` plays all mistakes of all tasks. */
const mistakes = TASKS.slice(0, 1).flatMap((task) =>
  Object.entries(task.mistakes ?? {})
    .slice(0, 1)
    .map(([name, turns]) => [`${task.name}: ${name}`, task, turns] as const),
);

describe('the tasks', () => {
  it('are at least 30, with different names and a mistake each (S174)', () => {
    expect(TASKS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(TASKS.map(({ name }) => name)).size).toBe(TASKS.length);
    for (const { name } of TASKS) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(TASKS.filter(({ mistakes: wrong = {} }) => Object.keys(wrong).length === 0)).toEqual([]);
  });

  it('of the figures are among them', () => {
    expect(TASKS.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(MOST)));
  });
});

describe.concurrent('a grader', () => {
  it.each(played.map((task) => [task.name, task] as const))(
    'is not content with nothing: %s (S174)',
    async (_, task) => {
      expect(await grade(task, untouched(headFilesOf(task)))).not.toEqual([]);
    },
  );

  it.each(played.map((task) => [task.name, task] as const))(
    'is content with the solution: %s (S174, CK23)',
    async (_, task) => {
      const result = await playTask(task, { kind: 'scripted', turns: task.solution }, TIME_LIMIT_MS);
      expect(result.problems).toEqual([]);
      expect(result.violations).toEqual([]);
      const [responses = Number.POSITIVE_INFINITY, rounds = Number.POSITIVE_INFINITY] = MOST[task.name] ?? [];
      expect(result.responses).toBeLessThanOrEqual(responses);
      expect(result.rounds).toBeLessThanOrEqual(rounds);
      const { inputTokens, outputTokens } = result.tokens;
      expect(inputTokens + outputTokens).toBeLessThanOrEqual(MOST_TOKENS[task.name] ?? Number.POSITIVE_INFINITY);
    },
  );

  it.each(mistakes)('notices a mistake: %s (S174)', async (_, task, turns) => {
    const result = await playTask(task, { kind: 'scripted', turns }, TIME_LIMIT_MS);
    expect(result.problems).not.toEqual([]);
    expect(result.violations).toEqual([]);
  });
});
