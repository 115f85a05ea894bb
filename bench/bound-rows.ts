import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseJson } from '../src/trust.ts';
import { workOutHere } from '../src/worker/work-out.ts';
import { longestKept } from './beside.ts';
import { HOSTILE_CALLS } from './hostile-calls.ts';
import { cost, type Row } from './measure.ts';

/** A number that a script beside this one prints, measured in a process of its own. */
function printed(script: string, key: string, ...flags: readonly string[]): number {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const written: unknown = parseJson(execFileSync(process.execPath, [...flags, file], { encoding: 'utf8' }));
  const entry = Object.entries(written ?? {}).find(([name]) => name === key);
  return Number(entry?.[1]);
}

/** What one tool call may cost, whatever its arguments are. */
export const BOUND_ROWS: readonly Row[] = [
  {
    name: `the longest of ${HOSTILE_CALLS.length} usual and hostile calls: what this process's own thread has to do (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestKept(HOSTILE_CALLS.map(([, call]) => call)),
  },
  {
    name: 'the same worked out, in the thread beside it for what is large',
    unit: 'ms',
    sample: () => Math.max(...HOSTILE_CALLS.map(([, call]) => cost(() => call(workOutHere)))),
  },
  {
    name: 'event loop delay under them with that thread, p99 (H6, goal: 100)',
    unit: 'ms',
    sample: () => printed('loop-delay.ts', 'p99'),
  },
  {
    name: 'memory for an edit of 2 MB (goal: at most 6)',
    unit: '× the file',
    sample: () => printed('memory.ts', 'times', '--expose-gc'),
  },
];
