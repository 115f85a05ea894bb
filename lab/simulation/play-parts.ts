import { type JobResult, type JobRunner, parallelMap } from '../shared/parallel-map.ts';

type PartsOptions<Result> = {
  readonly firstSeed: number;
  /** The seed behind the last one. */
  readonly endSeed: number;
  /** The number of cases in a part; the last part can have fewer. */
  readonly partCases: number;
  /** The number of runners. */
  readonly concurrency: number;
  /** Plays the case of a seed. */
  readonly createRunner: () => JobRunner<number, Result>;
  readonly onResult: (seed: number, result: JobResult<Result>) => void;
  /** Called once all cases before `nextSeed` have their results, and no later case has begun. */
  readonly onPartEnd: (nextSeed: number) => void;
};

/** Plays seeds in parts. The runners live through all parts, because a new thread is slow for its first cases. */
export async function playParts<Result>(options: PartsOptions<Result>): Promise<void> {
  const { firstSeed, endSeed, partCases, concurrency, createRunner, onResult, onPartEnd } = options;
  let playing = 0;
  let onIdle: (() => void) | null = null;
  async function* seeds(): AsyncGenerator<number> {
    for (let nextSeed = firstSeed + 1; nextSeed <= endSeed; nextSeed += 1) {
      playing += 1;
      yield nextSeed - 1;
      if ((nextSeed - firstSeed) % partCases !== 0 && nextSeed !== endSeed) continue;
      if (playing > 0)
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      onPartEnd(nextSeed);
    }
  }
  await parallelMap({
    ...{ items: seeds(), concurrency, createRunner },
    onResult(seed, result) {
      playing -= 1;
      onResult(seed, result);
      if (playing === 0) onIdle?.();
    },
  });
}
