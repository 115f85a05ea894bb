import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { GitError, gitDirectory } from '../../src/cli/git/run-git.ts';
import type { FidelityOptions } from './options.ts';
import { addTotals, createTotals, type FidelityTotals } from './report.ts';

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
