import { z } from 'zod';
import { type CheckpointFile, openCheckpoint, type TrialIdentity } from '../shared/checkpoint.ts';
import type { SimulationOptions } from './options.ts';
import type { SimulationTotals } from './simulate.ts';

/** How far a long simulation is: the results of all cases before `nextSeed`. */
type SimulationProgress = {
  readonly nextSeed: number;
  readonly totals: SimulationTotals;
  /** Playing time so far. */
  readonly seconds: number;
};

const counts = z.record(z.string(), z.number());

const PROGRESS_SCHEMA = z.object({
  nextSeed: z.number(),
  seconds: z.number(),
  totals: z.object({
    cases: z.number(),
    events: z.number(),
    commits: z.number(),
    faults: counts,
    reasons: counts,
    transitions: counts,
    failures: z.array(z.object({ seed: z.number(), problems: z.array(z.string()) })),
  }),
});

/** The checkpoint of a simulation with these options, by these sources. */
export function openSimulationCheckpoint(
  file: string,
  { seed, cases, mode }: SimulationOptions,
  sources: TrialIdentity,
): CheckpointFile<SimulationProgress> {
  const identity: TrialIdentity = {
    seed: { value: seed, difference: 'with another --seed' },
    cases: { value: cases, difference: 'with another --cases' },
    mode: { value: mode, difference: 'on the other store' },
    ...sources,
  };
  return openCheckpoint<SimulationProgress>({
    file,
    trial: 'simulation',
    identity,
    codec: { schema: PROGRESS_SCHEMA, toJson: (progress) => progress },
  });
}
