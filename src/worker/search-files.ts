import { setImmediate as breath } from 'node:timers/promises';
import { readableFiles } from '../tools/list-result.ts';
import { NOTHING_FOUND, searchFile, searchResult } from '../tools/search-result.ts';
import type { Workspace } from './workspace.ts';

/** Up to so many files are fetched one by one; more come in one archive. */
const FEW_FILES = 5;

/** Looks through the files of the head that may be read. */
export async function searchFiles(workspace: Workspace, pattern: string, glob: string | null): Promise<string> {
  const paths = readableFiles(workspace.tree, glob);
  const contents = await fetchAll(workspace, paths);
  if (contents === null)
    return 'The repository is too large to be searched at once. Search with a glob that fits few files.';
  let findings = NOTHING_FOUND;
  for (const path of paths) {
    await breath();
    const bytes = contents.get(path);
    if (bytes !== undefined) findings = searchFile(findings, { path, bytes, pattern });
  }
  return searchResult(pattern, glob, findings);
}

async function fetchAll(
  workspace: Workspace,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array> | null> {
  if (paths.length > FEW_FILES) return workspace.archive();
  const contents = new Map<string, Uint8Array>();
  for (const path of paths) {
    const entry = workspace.tree.get(path);
    if (entry !== undefined) contents.set(path, await workspace.github.blob(entry.sha));
  }
  return contents;
}
