import { parentPort } from 'node:worker_threads';
import { doPiece, type Piece } from './pieces.ts';

// Every fault that is played is an exception, and nobody looks at where it comes from until a case is told.
Error.stackTraceLimit = 0;

/** A thread: each message is a piece, each answer what came of it. What throws ends the thread, and whoever asked hears it. */
parentPort?.on('message', async (piece: Piece) => {
  parentPort?.postMessage(await doPiece(piece));
});
