import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The checkpoint belongs to another run, or the file is damaged. The message says what to do. */
export class CheckpointError extends Error {}

/**
 * The values that must be equal for two runs to be parts of one trial, each with the words for another one. `current`
 * reads a value that can change during the trial.
 */
export type TrialIdentity = Readonly<
  Record<
    string,
    {
      readonly value: string | number;
      readonly difference: `${'with' | 'on' | 'by'} ${string}`;
      readonly current?: () => string | number;
    }
  >
>;

/** The file that keeps the progress of a long trial. */
export type CheckpointFile<Progress> = {
  /** Null at the start of a trial. Throws `CheckpointError`. */
  readonly read: () => Progress | null;
  /**
   * Replaces the progress. A process that is killed meanwhile leaves the old one. Throws `CheckpointError` if the
   * identity has changed, because the latest part could be of another one.
   */
  readonly write: (progress: Progress) => void;
};

type CheckpointOptions<Progress> = {
  readonly file: string;
  /** The name of the trial, for messages. */
  readonly trial: string;
  readonly identity: TrialIdentity;
  /** The form of the progress in the file. */
  readonly codec: ProgressCodec<Progress>;
};

/** Converts progress to JSON and back. */
export type ProgressCodec<Progress> = {
  readonly schema: z.ZodType<Progress>;
  readonly toJson: (progress: Progress) => object;
};

const IDENTITY_SCHEMA = z.object({ identity: z.record(z.string(), z.union([z.string(), z.number()])) });

/** Opens the checkpoint of a trial. A missing file is a trial at its start. */
export function openCheckpoint<Progress>(options: CheckpointOptions<Progress>): CheckpointFile<Progress> {
  const { file, trial, identity, codec } = options;
  const values = Object.fromEntries(Object.entries(identity).map(([key, { value }]) => [key, value]));
  return {
    read() {
      const text = readIfPresent(file);
      if (text === null) return null;
      const content = parseOrNull(text);
      const stored = IDENTITY_SCHEMA.safeParse(content).data?.identity;
      const progress = codec.schema.safeParse(content);
      if (stored === undefined || !progress.success)
        throw new CheckpointError(`${file} is no checkpoint of a ${trial}. Delete it, or name another file.`);
      const different = Object.entries(identity).find(([key, { value }]) => stored[key] !== value);
      if (different !== undefined)
        throw new CheckpointError(
          `${file} was written ${different[1].difference}. Delete it to begin anew, or name another file.`,
        );
      return progress.data;
    },
    write(progress) {
      const changed = Object.values(identity).find(
        ({ value, current }) => current !== undefined && current() !== value,
      );
      if (changed !== undefined)
        throw new CheckpointError(
          `The ${trial} went on ${changed.difference}. ${file} has the results before; the same command continues them once the change is undone.`,
        );
      const temporary = `${file}.new`;
      writeFileSync(temporary, `${JSON.stringify({ identity: values, ...codec.toJson(progress) })}\n`);
      renameSync(temporary, file);
    },
  };
}

const REPOSITORY_ROOT = join(import.meta.dirname, '../..');

/**
 * The part of an identity that changes with the sources, so that the parts of one result are all of one version. New
 * threads and processes load the sources again, so they must not change during a trial either.
 */
export function sourcesIdentity(root = REPOSITORY_ROOT): TrialIdentity {
  const current = (): string => hashSources(root);
  return { sourceHash: { value: current(), difference: 'by another version of the sources', current } };
}

/** A hash of the sources that a trial runs. */
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
