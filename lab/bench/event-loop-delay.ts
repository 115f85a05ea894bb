import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as breath, setTimeout as pause } from 'node:timers/promises';
import { createOffloadThread } from '../../src/worker/offload/thread.ts';
import { WORST_CASE_CALLS } from './worst-case-calls.ts';

/**
 * Prints for how many milliseconds the event loop is kept (p99 and longest) while calls are served as
 * `worker/use-tools.ts` does, with the same thread.
 */
const TIMES = 4;

const thread = createOffloadThread({ log: { warn: () => {} } });

const delay = monitorEventLoopDelay({ resolution: 1 });

for (let time = 0; time < TIMES; time += 1) {
  // The first time compiles what the others run.
  if (time === 1) delay.enable();
  for (const [, call] of WORST_CASE_CALLS) {
    await breath();
    await call(thread.offload);
    await pause(2);
  }
}

delay.disable();

await thread.stop();

process.stdout.write(JSON.stringify({ p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 }));
