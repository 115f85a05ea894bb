import * as bugs from './bugs.ts';
import * as manyFiles from './many-files.ts';
import type { EvalTask } from './task.ts';
import * as threads from './threads.ts';

/** All tasks: every export of the files with tasks, which are named here. */
export const TASKS: readonly EvalTask[] = [bugs, threads, manyFiles].flatMap((group): EvalTask[] =>
  Object.values(group),
);
