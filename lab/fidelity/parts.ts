import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { GitError, gitDirectory, gitText } from '../../src/cli/git/run-git.ts';
import { type CheckpointFile, openCheckpoint, type ProgressCodec, type TrialIdentity } from '../shared/checkpoint.ts';
import type { FidelityOptions, RepositoryTrial } from './options.ts';
import { addTotals, createTotals, type FidelityTotals } from './report.ts';

/** How far a long trial is. */
export type FidelityProgress = {
  /** Number of repositories that are done. */
  readonly repositories: number;
  /** Commits of the next repository that are done, and their file changes. */
  readonly commits: number;
  readonly changes: number;
  readonly totals: FidelityTotals;
  /** Duration so far. */
  readonly seconds: number;
};

/** Commits between two checkpoints: some minutes. */
const COMMITS_PER_PART = 200;

export function startProgress(): FidelityProgress {
  return { repositories: 0, commits: 0, changes: 0, totals: createTotals(), seconds: 0 };
}

/** A repository of the trial; `name` is null if there is only one. */
export type NamedRepository = { readonly path: string; readonly name: string | null };

/** The repositories of a trial, in the order of their names. Throws a `GitError` if a folder has none. */
export async function listRepositories({
  source,
}: Pick<FidelityOptions, 'source'>): Promise<readonly NamedRepository[]> {
  if (source.kind === 'repository') return [{ path: source.path, name: null }];
  const found: NamedRepository[] = [];
  for (const name of readFolder(source.path)) {
    const path = join(source.path, name);
    if (await isRepository(path)) found.push({ path, name });
  }
  if (found.length === 0) throw new GitError(`${source.path} has no git repositories.`);
  return found;
}

function readFolder(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted();
  } catch (error) {
    throw new GitError(`${path} cannot be read: ${String(error)}`);
  }
}

/** A folder inside of a repository does not count. */
async function isRepository(path: string): Promise<boolean> {
  try {
    return (await gitDirectory(path)).startsWith(realpathSync(path));
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

/** The next part of a repository: without a checkpoint, all of it. Null if its changes are enough. */
export function nextPart(
  { range, diffBase, maxChanges, threads, checkpoint }: FidelityOptions,
  { path }: NamedRepository,
  { commits, changes }: Pick<FidelityProgress, 'commits' | 'changes'>,
): RepositoryTrial | null {
  const remaining = maxChanges === null ? null : maxChanges - changes;
  if (remaining !== null && remaining <= 0) return null;
  const part = checkpoint === null ? null : { skip: commits, count: COMMITS_PER_PART };
  return { repo: path, range, diffBase, maxChanges: remaining, threads, part };
}

/** The sum of both. The examples and mismatches of a named repository name it. */
export function addNamed(totals: FidelityTotals, more: FidelityTotals, name: string | null): FidelityTotals {
  const at = (commit: string): string => (name === null ? commit : `${name} ${commit}`);
  const sum = createTotals();
  addTotals(sum, totals);
  addTotals(sum, {
    ...more,
    refusals: new Map(
      [...more.refusals].map(([reason, { count, example }]) => [reason, { count, example: at(example) }] as const),
    ),
    mismatches: more.mismatches.map((mismatch) => ({ ...mismatch, commit: at(mismatch.commit) })),
  });
  return sum;
}

/** A map as a list of its entries. */
function mapOf<Value>(value: z.ZodType<Value>) {
  return z.array(z.tuple([z.string(), value])).transform((entries) => new Map(entries));
}

const METHODS = ['approve', 'button', 'user edit', 'undo', 'approve by hunk', 'undo by hunk'] as const;

const CODEC: ProgressCodec<FidelityProgress> = {
  schema: z.object({
    ...{ repositories: z.number(), commits: z.number(), changes: z.number(), seconds: z.number() },
    totals: z.object({
      ...{ commits: z.number(), changes: z.number(), verified: z.number() },
      kinds: mapOf(z.number()),
      placements: mapOf(z.number()),
      refusals: mapOf(z.object({ count: z.number(), example: z.string() })),
      results: mapOf(z.number()),
      mismatches: z.array(
        z.object({ commit: z.string(), path: z.string(), method: z.enum(METHODS).nullable(), problem: z.string() }),
      ),
    }),
  }),
  toJson({ totals, ...progress }) {
    const { kinds, placements, refusals, results } = totals;
    const lists = { kinds: [...kinds], placements: [...placements], refusals: [...refusals], results: [...results] };
    return { ...progress, totals: { ...totals, ...lists } };
  },
};

/** The checkpoint of a trial with these options, on these repositories as they are, by these sources. */
export async function openFidelityCheckpoint(
  file: string,
  { range, diffBase, maxChanges }: FidelityOptions,
  repositories: readonly NamedRepository[],
  sources: TrialIdentity,
): Promise<CheckpointFile<FidelityProgress>> {
  const revisions: string[] = [];
  for (const { path, name } of repositories)
    revisions.push(`${name ?? ''} ${await gitText([`--git-dir=${await gitDirectory(path)}`, 'rev-parse', range])}`);
  const identity: TrialIdentity = {
    repositories: { value: revisions.join('\n'), difference: 'with other repositories or commits' },
    range: { value: range, difference: 'with another --range' },
    diffBase: { value: diffBase, difference: 'with another --show' },
    maxChanges: { value: maxChanges ?? 'all', difference: 'with another --max' },
    ...sources,
  };
  return openCheckpoint({ file, trial: 'fidelity trial', identity, codec: CODEC });
}
