import { parentPort } from 'node:worker_threads';
import { runJob, type SimulationJob } from './simulate.ts';

// Every fault that is played is an exception, and nobody looks at where it comes from until a case is told.
Error.stackTraceLimit = 0;

/** A thread: each message is a piece, each answer what came of it. What throws ends the thread, and whoever asked hears it. */
parentPort?.on('message', async (piece: SimulationJob) => {
  parentPort?.postMessage(await runJob(piece));
});
