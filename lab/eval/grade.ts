import { runTests } from './run-tests.ts';
import type { EvalTask, Files, Grader, Outcome } from './tasks/task.ts';

/** The faults of a task's result, one line each. Empty if the task is solved. */
export async function grade({ grader }: Pick<EvalTask, 'grader'>, outcome: Outcome): Promise<readonly string[]> {
  const problems = CHECKS.flatMap((check) => check(grader, outcome));
  return [...problems, ...(await testProblems(grader, outcome)), ...(await coverProblems(grader, outcome))];
}

/** The outcome of a task of which nothing was done. */
export function untouched(files: Files): Outcome {
  return { before: files, after: files, answer: '', questions: 0, proposals: 0, openThreads: 0 };
}

type Check = (grader: Grader, outcome: Outcome) => readonly string[];

const CHECKS: readonly Check[] = [
  changedPaths,
  patterns,
  existence,
  answers,
  counts,
  ({ check }, outcome) => check?.(outcome) ?? [],
];

function changedPaths({ mayChange }: Grader, { before, after }: Outcome): readonly string[] {
  const mayChangePath = (path: string): boolean =>
    mayChange.some((allowed) => path === allowed || (allowed.endsWith('/') && path.startsWith(allowed)));
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  );
  return changed.filter((path) => !mayChangePath(path)).map((path) => `${path} should not have changed`);
}

function patterns({ contains = {}, lacks = {} }: Grader, { after }: Outcome): readonly string[] {
  const missing = Object.entries(contains).flatMap(([path, wanted]) =>
    wanted.filter((pattern) => !pattern.test(after[path] ?? '')).map((pattern) => `${path} lacks ${pattern}`),
  );
  const unwanted = Object.entries(lacks).flatMap(([path, banned]) =>
    banned.filter((pattern) => pattern.test(after[path] ?? '')).map((pattern) => `${path} contains ${pattern}`),
  );
  return [...missing, ...unwanted];
}

function existence({ exists = {} }: Grader, { after }: Outcome): readonly string[] {
  return Object.entries(exists)
    .filter(([path, wanted]) => Object.hasOwn(after, path) !== wanted)
    .map(([path, wanted]) => (wanted ? `${path} is missing` : `${path} is still there`));
}

function answers({ answer = [], answerLacks = [] }: Grader, outcome: Outcome): readonly string[] {
  return [
    ...answer.filter((pattern) => !pattern.test(outcome.answer)).map((pattern) => `the answer lacks ${pattern}`),
    ...answerLacks.filter((pattern) => pattern.test(outcome.answer)).map((pattern) => `the answer contains ${pattern}`),
  ];
}

function counts(grader: Grader, { proposals, questions }: Outcome): readonly string[] {
  const { asksAtLeast = 0, proposesAtLeast = 0, proposesAtMost = Number.POSITIVE_INFINITY } = grader;
  return [
    ...(questions < asksAtLeast ? [`people were asked ${questions} questions, expected ${asksAtLeast} or more`] : []),
    ...(proposals < proposesAtLeast ? [`${proposals} proposals, expected ${proposesAtLeast} or more`] : []),
    ...(proposals > proposesAtMost ? [`${proposals} proposals, expected at most ${proposesAtMost}`] : []),
  ];
}

async function testProblems({ tests }: Grader, { after }: Outcome): Promise<readonly string[]> {
  if (tests === undefined) return [];
  const { passed, failing } = await runTests({ ...after, ...tests });
  return passed ? [] : [`tests fail: ${failing.join(', ') || 'they do not run'}`];
}

/** The committed tests must pass with the change, and fail without it. */
async function coverProblems({ coversChangeOf }: Grader, { before, after }: Outcome): Promise<readonly string[]> {
  if (coversChangeOf === undefined) return [];
  const own = await runTests(after);
  if (!own.passed) return [`the committed tests fail: ${own.failing.join(', ') || 'they do not run'}`];
  const reverted = Object.fromEntries(coversChangeOf.map((path) => [path, before[path] ?? '']));
  const { passed } = await runTests({ ...after, ...reverted });
  return passed ? [`no committed test fails without the change of ${coversChangeOf.join(', ')}`] : [];
}
