import { openThread } from '../src/thread/open-thread.ts';
import type { WorkOut } from '../src/worker/work-out.ts';
import { keptBy, longestPiece } from './measure.ts';

/** The same thread that the App has; it is started by the first row that needs it. */
const thread = openThread({ log: { warn: () => {} } });

/** For how long the call of these that keeps this process's own thread longest does so (ms): sending, receiving and what is small. */
export async function longestKept(calls: readonly ((workOut: WorkOut) => unknown)[]): Promise<number> {
  let longest = 0;
  for (const call of calls) longest = Math.max(longest, await keptBy(() => call(thread.workOut)));
  return longest;
}

/** For how long it keeps the event loop at most in one piece (ms). */
export function longestPieceOf(call: (workOut: WorkOut) => Promise<unknown>): Promise<number> {
  return longestPiece(() => call(thread.workOut));
}
