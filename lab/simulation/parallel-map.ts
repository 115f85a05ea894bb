import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CaseJob, HuntFinding, HuntJob, SimulationTotals } from './simulate.ts';

/** Somebody who does one piece of work after the other, such as a thread. */
export type JobRunner<Piece, Answer> = {
  /** Rejects where the hand itself broke: it does nothing any more. */
  readonly run: (piece: Piece) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

/** What came of a piece: its answer, or what the hand broke on. */
export type JobResult<Answer> =
  | { readonly kind: 'done'; readonly value: Answer }
  | { readonly kind: 'crashed'; readonly error: unknown };

type ParallelMapOptions<Piece, Answer> = {
  readonly items: Iterable<Piece>;
  /** How many pieces are under way at once. */
  readonly concurrency: number;
  readonly createRunner: () => JobRunner<Piece, Answer>;
  /** Called once for each piece, as soon as it is known what came of it. */
  readonly onResult: (piece: Piece, result: JobResult<Answer>) => void;
};

/** Gives each hand the next piece as soon as it is done with one; for a hand that broke another one goes on. */
export async function parallelMap<Piece, Answer>({
  items,
  concurrency,
  createRunner,
  onResult,
}: ParallelMapOptions<Piece, Answer>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    let hand: JobRunner<Piece, Answer> | null = null;
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      hand ??= createRunner();
      const result = await runItem(hand, next.value);
      onResult(next.value, result);
      if (result.kind === 'crashed') hand = null;
    }
    await hand?.close();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

async function runItem<Piece, Answer>(hand: JobRunner<Piece, Answer>, piece: Piece): Promise<JobResult<Answer>> {
  try {
    return { kind: 'done', value: await hand.run(piece) };
  } catch (error) {
    return { kind: 'crashed', error };
  }
}

/** A thread that plays cases. */
export const createCaseRunner = (): JobRunner<CaseJob, SimulationTotals> => startThread();

/** A thread that hunts mutants. */
export const createHuntRunner = (): JobRunner<HuntJob, HuntFinding> => startThread();

function startThread<Piece, Answer>(): JobRunner<Piece, Answer> {
  const thread = new Worker(new URL('./job-thread.ts', import.meta.url));
  const broke = new Promise<never>((_resolve, reject) => {
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`a thread ended with ${code}`)));
  });
  // It may break between two pieces, while nobody waits: whoever asks next hears it.
  broke.catch(() => {});
  return {
    async run(piece) {
      thread.postMessage(piece);
      const [answer] = await Promise.race([once(thread, 'message'), broke]);
      return answer;
    },
    close: async () => void (await thread.terminate()),
  };
}
