import * as bugs from './bugs.ts';
import * as checks from './checks.ts';
import * as docsAndConfig from './docs-and-config.ts';
import * as everyday from './everyday.ts';
import * as exactBytes from './exact-bytes.ts';
import * as instructions from './instructions.ts';
import * as languages from './languages.ts';
import * as manyFiles from './many-files.ts';
import * as people from './people.ts';
import type { EvalTask } from './task.ts';
import * as threads from './threads.ts';
import * as traps from './traps.ts';
import * as wholeFiles from './whole-files.ts';

const GROUPS = [
  ...[bugs, threads, manyFiles, docsAndConfig, everyday, exactBytes],
  ...[wholeFiles, people, instructions, traps, languages, checks],
];

/** All tasks: every export of the files with tasks. */
export const TASKS: readonly EvalTask[] = GROUPS.flatMap((group): EvalTask[] => Object.values(group));
