import { z } from 'zod';
import { type CheckpointFile, openCheckpoint, type ProgressCodec, type TrialIdentity } from '../shared/checkpoint.ts';
import type { ChaosOptions } from './options.ts';
import type { ChaosResult } from './run-chaos.ts';

/** The finished parts of a long trial, and the sums of their results. */
type ChaosProgress = { readonly finishedParts: number; readonly result: ChaosResult };

/** Length of a part with a checkpoint (s): short enough to repeat after an interruption. */
const PART_SECONDS = 300;

/** One part takes this many seeds: people, webhooks, process faults and database faults each have one. */
const SEEDS_PER_PART = 4;

const NO_RESULT: ChaosResult = {
  verdict: { tasks: 0, proposals: 0, approved: 0, denied: 0, commits: 0, problems: [] },
  faults: { kills: 0, terminations: 0, hangs: 0, restarts: 0, readyMs: [], problems: [] },
  deliveries: { sent: 0, duplicated: 0, lost: 0 },
};

export const NO_PROGRESS: ChaosProgress = { finishedParts: 0, result: NO_RESULT };

/**
 * With a checkpoint, a trial consists of parts with processes, a database and a verdict of their own, because nobody can
 * interrupt real processes and continue them later. Without one it is a single part.
 */
export function listParts(options: ChaosOptions): readonly ChaosOptions[] {
  if (options.checkpoint === null) return [options];
  const count = Math.ceil(options.seconds / PART_SECONDS);
  return Array.from({ length: count }, (_, part) => ({
    ...options,
    seconds: Math.min(PART_SECONDS, options.seconds - part * PART_SECONDS),
    seed: options.seed + part * SEEDS_PER_PART,
  }));
}

/** Adds the result of the next part; its problems name the part. */
export function addPart({ finishedParts, result }: ChaosProgress, part: ChaosResult): ChaosProgress {
  const { verdict, faults, deliveries } = result;
  const named = (problems: readonly string[]): string[] =>
    problems.map((problem) => `part ${finishedParts + 1}: ${problem}`);
  return {
    finishedParts: finishedParts + 1,
    result: {
      verdict: {
        ...sumCounts(verdict, part.verdict),
        problems: [...verdict.problems, ...named(part.verdict.problems)],
      },
      faults: {
        ...sumCounts(faults, part.faults),
        readyMs: [...faults.readyMs, ...part.faults.readyMs],
        problems: [...faults.problems, ...named(part.faults.problems)],
      },
      deliveries: sumCounts(deliveries, part.deliveries),
    },
  };
}

/** Adds the numbers of both; everything else is that of the first. */
function sumCounts<Counts extends object>(first: Counts, second: Counts): Counts {
  const added = new Map(Object.entries(second));
  const sums = Object.entries(first).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, value + Number(added.get(name))] as const] : [],
  );
  return { ...first, ...Object.fromEntries(sums) };
}

const count = z.number();

const CODEC: ProgressCodec<ChaosProgress> = {
  schema: z.object({
    finishedParts: count,
    result: z.object({
      verdict: z.object({
        ...{ tasks: count, proposals: count, approved: count, denied: count, commits: count },
        problems: z.array(z.string()),
      }),
      faults: z.object({
        ...{ kills: count, terminations: count, hangs: count, restarts: count },
        readyMs: z.array(count),
        problems: z.array(z.string()),
      }),
      deliveries: z.object({ sent: count, duplicated: count, lost: count }),
    }),
  }),
  toJson: (progress) => progress,
};

/** The checkpoint of a trial with these options, by these sources. */
export function openChaosCheckpoint(
  file: string,
  { seconds, pulls, replicas, seed, database }: ChaosOptions,
  sources: TrialIdentity,
): CheckpointFile<ChaosProgress> {
  const identity: TrialIdentity = {
    seconds: { value: seconds, difference: 'with another --seconds' },
    pulls: { value: pulls, difference: 'with another --pulls' },
    replicas: { value: replicas, difference: 'with another --replicas' },
    seed: { value: seed, difference: 'with another --seed' },
    database: { value: database.kind, difference: 'on another kind of database' },
    ...sources,
  };
  return openCheckpoint({ file, trial: 'trial with real kills', identity, codec: CODEC });
}
