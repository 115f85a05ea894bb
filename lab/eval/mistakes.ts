/** Plays the known mistakes of every task. Its grader must notice each one; exit code 1 if it overlooks any. */
import process from 'node:process';
import { parallelMap } from '../shared/parallel-map.ts';
import { playTask, type TaskResult } from './play.ts';
import { TASKS } from './tasks/all-tasks.ts';

const TIME_LIMIT_MS = 120_000;

const mistakes = TASKS.flatMap((task) =>
  Object.entries(task.mistakes ?? {}).map(([name, turns]) => ({ task, name, turns })),
);
const overlooked: string[] = [];
await parallelMap<(typeof mistakes)[number], TaskResult>({
  items: mistakes,
  concurrency: 2,
  createRunner: () => ({
    run: ({ task, turns }) => playTask(task, { kind: 'scripted', turns }, TIME_LIMIT_MS),
    close: async () => {},
  }),
  onResult({ task, name }, result) {
    if (result.kind === 'crashed' || result.value.problems.length === 0) overlooked.push(`${task.name}: ${name}`);
  },
});
for (const line of overlooked) process.stdout.write(`overlooked: ${line}\n`);
process.stdout.write(`${mistakes.length} mistakes, ${overlooked.length} overlooked\n`);
process.exit(overlooked.length === 0 ? 0 : 1);
