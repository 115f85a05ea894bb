import { writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { StartupError } from '../../src/app/app-identity.ts';
import { reportProblem, runCommand } from '../../src/cli/options.ts';
import { pluralize } from '../../src/lib/format.ts';
import { parallelMap } from '../shared/parallel-map.ts';
import { EVAL_COMMAND, type EvalOptions } from './options.ts';
import type { EvalModel, TaskResult } from './play.ts';
import { createReport, reportLines } from './report.ts';
import { TASKS } from './tasks/all-tasks.ts';
import type { EvalTask } from './tasks/task.ts';

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes to standard error, so that standard output has only the report. */
const printProgress = (line: string): void => void process.stderr.write(`${line}\n`);

/** The model cannot be used at all, so the other tasks would only repeat the failure. */
class UnusableModelError extends Error {}

function listTasks(tasks: readonly EvalTask[]): number {
  const width = Math.max(...tasks.map(({ name }) => name.length));
  for (const { name, about } of tasks) printLine(`${name.padEnd(width)}  ${about}`);
  return 0;
}

async function evaluate(tasks: readonly EvalTask[], options: EvalOptions): Promise<number> {
  const [startedAt, start] = [new Date().toISOString(), performance.now()];
  const model = options.model ?? 'scripted';
  printProgress(`${pluralize(tasks.length, 'task')}, ${options.jobs} at a time, model: ${model}`);
  const results = new Map<string, TaskResult>();
  const interruption = watchInterrupt();
  try {
    await Promise.race([interruption.promise, playAll(tasks, options, (result) => results.set(result.task, result))]);
  } finally {
    interruption.end();
  }
  const inOrder = tasks.flatMap(({ name }) => results.get(name) ?? []);
  const seconds = (performance.now() - start) / 1_000;
  const report = createReport(inOrder, { model, startedAt, seconds, prices: options.prices });
  for (const line of reportLines(report)) printLine(line);
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (interruption.happened()) return 130;
  return report.totals.solved === tasks.length ? 0 : 1;
}

/** Rejects if a task breaks the product or the model is unusable. */
async function playAll(
  tasks: readonly EvalTask[],
  { jobs, model, seconds }: EvalOptions,
  onResult: (result: TaskResult) => void,
): Promise<void> {
  // Loaded lazily, so that a wrong option fails before the App loads.
  const { playTask } = await import('./play.ts');
  let finished = 0;
  await parallelMap<EvalTask, TaskResult>({
    items: tasks,
    concurrency: Math.min(jobs, tasks.length),
    createRunner: () => ({
      run: (task) => playTask(task, modelFor(task, model), seconds * 1_000),
      close: async () => {},
    }),
    onResult: ({ name }, result) => {
      if (result.kind === 'crashed') throw result.error;
      const { value } = result;
      finished += 1;
      onResult(value);
      printProgress(`[${finished}/${tasks.length}] ${progressLine(value)}`);
      if (value.ended === 'model-failed' && value.responses === 0)
        throw new UnusableModelError(`the model answered no request of ${name}: ${value.endNote ?? 'no reason given'}`);
    },
  });
}

function modelFor({ solution }: EvalTask, name: string | null): EvalModel {
  return name === null ? { kind: 'scripted', turns: solution } : { kind: 'real', name };
}

function progressLine({ task, problems, responses, rounds, seconds }: TaskResult): string {
  const verdict = problems.length === 0 ? 'solved    ' : 'not solved';
  const figures = [pluralize(responses, 'response'), pluralize(rounds, 'round'), `${seconds.toFixed(1)} s`];
  return `${verdict} ${task} (${figures.join(', ')})`;
}

/** The promise resolves at the first interrupt. The tasks in progress then end with the process. */
function watchInterrupt() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let happened = false;
  const interrupt = (): void => {
    happened = true;
    resolve();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const end = (): void => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  return { promise, end, happened: () => happened };
}

async function run(options: EvalOptions): Promise<number> {
  const tasks = TASKS.filter(({ name }) => matchesGlob(name, options.tasks));
  if (tasks.length === 0)
    return reportProblem(EVAL_COMMAND.name, `no task has a name like ${options.tasks}. See --list.`);
  if (options.list) return listTasks(tasks);
  try {
    // A file that cannot be written is noticed before hours of work.
    if (options.json !== null) writeFileSync(options.json, '');
  } catch (error) {
    return reportProblem(EVAL_COMMAND.name, `the report cannot be written: ${String(error)}`);
  }
  try {
    return await evaluate(tasks, options);
  } catch (error) {
    if (error instanceof StartupError || error instanceof UnusableModelError)
      return reportProblem(EVAL_COMMAND.name, error.message);
    throw error;
  }
}

/** Resolves with the exit code. After an interrupt or an unusable model, tasks may still be in progress. */
export function runEval(argv: readonly string[]): Promise<number> {
  return runCommand(EVAL_COMMAND, argv, run);
}

if (import.meta.main) process.exit(await runEval(process.argv.slice(2)));
