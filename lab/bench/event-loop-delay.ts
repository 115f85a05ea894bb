/**
 * Prints as JSON for how many ms the worst-case calls block the event loop (p99 and longest), with the same offload
 * thread as the App.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createOffloadThread } from '../../src/worker/offload/thread.ts';
import { WORST_CASE_CALLS } from './worst-case-calls.ts';

const ROUNDS = 4;

const thread = createOffloadThread({ log: { warn: () => {} } });

const delay = monitorEventLoopDelay({ resolution: 1 });

for (let round = 0; round < ROUNDS; round += 1) {
  // The first round compiles code and is not measured.
  if (round === 1) delay.enable();
  for (const [, call] of WORST_CASE_CALLS) {
    await nextTurn();
    await call(thread.offload);
    await sleep(2);
  }
}

delay.disable();

await thread.stop();

process.stdout.write(JSON.stringify({ p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 }));
