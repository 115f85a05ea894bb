import { workOutHere } from '../src/worker/work-out.ts';
import { longestKept, longestPieceOf } from './beside.ts';
import { HOSTILE_HEADS } from './hostile-heads.ts';
import { keptBy, type Row } from './measure.ts';

/** What a head that moved, and what people say of the largest changes, may cost until it is decided. */
export const HEAD_ROWS: readonly Row[] = HOSTILE_HEADS.flatMap(([name, head]) => [
  {
    name: `${name}: the longest for which it keeps the event loop in one piece (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestPieceOf(head),
  },
  {
    name: "all that this process's own thread has to do for it, from reading the head to what is decided",
    unit: 'ms',
    sample: () => longestKept([head]),
  },
  {
    name: 'the same with what is worked out in the thread beside it',
    unit: 'ms',
    sample: () => keptBy(() => head(workOutHere)),
  },
]);
