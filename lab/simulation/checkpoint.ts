import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { SimulationOptions } from './options.ts';
import { NO_CASES, type SimulationTotals } from './simulate.ts';

/** How far a long simulation is: the results of all cases before `nextSeed`. */
export type Checkpoint = {
  readonly nextSeed: number;
  readonly totals: SimulationTotals;
  /** Playing time so far. */
  readonly seconds: number;
};

/** The checkpoint belongs to another simulation, or the file is damaged. The message says what to do. */
export class CheckpointError extends Error {}

/** Two runs are parts of one simulation only if all of these are equal. */
type SimulationIdentity = Pick<SimulationOptions, 'seed' | 'cases' | 'mode'> & { readonly sourceHash: string };

const IDENTITY_KEYS = ['seed', 'cases', 'mode', 'sourceHash'] as const satisfies (keyof SimulationIdentity)[];

const counts = z.record(z.string(), z.number());

const CHECKPOINT_SCHEMA = z.object({
  identity: z.object({ seed: z.number(), cases: z.number(), mode: z.string(), sourceHash: z.string() }),
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

/** Reads the checkpoint of a simulation; its start if the file is missing. Throws `CheckpointError`. */
export function readCheckpoint(file: string, options: SimulationOptions, sourceHash: string): Checkpoint {
  const text = readIfPresent(file);
  if (text === null) return { nextSeed: options.seed, totals: NO_CASES, seconds: 0 };
  const { success, data } = CHECKPOINT_SCHEMA.safeParse(parseOrNull(text));
  if (!success) throw new CheckpointError(`${file} is no checkpoint of a simulation. Delete it, or name another file.`);
  const { identity, ...checkpoint } = data;
  const expected = identityOf(options, sourceHash);
  const different = IDENTITY_KEYS.find((key) => identity[key] !== expected[key]);
  if (different !== undefined) throw new CheckpointError(differenceMessage(file, different));
  return checkpoint;
}

/** Replaces the checkpoint. A process that is killed meanwhile leaves the old one. */
export function writeCheckpoint(
  file: string,
  options: SimulationOptions,
  sourceHash: string,
  checkpoint: Checkpoint,
): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${JSON.stringify({ identity: identityOf(options, sourceHash), ...checkpoint })}\n`);
  renameSync(temporary, file);
}

/** A hash of the sources that a simulation plays, so that the parts of one result are all of the same version. */
export function hashSources(root: string): string {
  const hash = createHash('sha256');
  for (const path of globSync(['{src,fakes,lab}/**/*.ts', 'package-lock.json'], { cwd: root }).toSorted()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function identityOf({ seed, cases, mode }: SimulationOptions, sourceHash: string): SimulationIdentity {
  return { seed, cases, mode, sourceHash };
}

const DIFFERENCES = {
  seed: 'with another --seed',
  cases: 'with another --cases',
  mode: 'on the other store',
  sourceHash: 'by another version of the sources',
} as const satisfies Record<keyof SimulationIdentity, string>;

function differenceMessage(file: string, key: keyof SimulationIdentity): string {
  return `${file} was written ${DIFFERENCES[key]}. Delete it to begin anew, or name another file.`;
}

function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
