import { parentPort } from 'node:worker_threads';
import { runJob, type SimulationJob } from './simulate.ts';

// Simulated faults are exceptions. Capturing their stacks would be slow, and only `--trace` shows them.
Error.stackTraceLimit = 0;

/** Answers each job with its result. An exception ends the thread, and the main thread gets it as an error. */
parentPort?.on('message', async (job: SimulationJob) => {
  parentPort?.postMessage(await runJob(job));
});
