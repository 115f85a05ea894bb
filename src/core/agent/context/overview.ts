import { byteLength, escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { CONTEXT_LIMITS, type DirectoryCount, type Overview } from '../../state/task-context.ts';
import { formatPath } from '../shared/tool-results.ts';

/** The names of the root folder, and the directories with the number of readable files in and below them. */
export function buildOverview(paths: readonly string[]): Overview {
  const inRoot = paths.filter((path) => !path.includes('/'));
  const rootFiles = inRoot.slice(0, CONTEXT_LIMITS.rootFileCount);
  return { directories: countDirectories(paths), rootFiles, unlistedRootFiles: inRoot.length - rootFiles.length };
}

/** The directories as deep as they fit the limit. */
function countDirectories(paths: readonly string[]): readonly DirectoryCount[] {
  const counts = countFiles(paths);
  for (let depth: number = CONTEXT_LIMITS.overviewDepth; depth > 1; depth -= 1) {
    const rows = rowsToDepth(counts, depth);
    if (byteLength(rows.map(formatRow).join('\n')) <= CONTEXT_LIMITS.overview) return rows;
  }
  return largestThatFit(rowsToDepth(counts, 1));
}

function countFiles(paths: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, CONTEXT_LIMITS.overviewDepth + 1);
    for (let depth = 0; depth < parts.length; depth += 1) {
      const directory = parts.slice(0, depth).join('/');
      counts.set(directory, (counts.get(directory) ?? 0) + 1);
    }
  }
  return counts;
}

function rowsToDepth(counts: ReadonlyMap<string, number>, maxDepth: number): readonly DirectoryCount[] {
  const rows = [...counts].map(([path, files]) => ({ path, files }));
  return rows
    .filter(({ path }) => path === '' || path.split('/').length <= maxDepth)
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** The directories with the most files, in the order of their paths. */
function largestThatFit(rows: readonly DirectoryCount[]): readonly DirectoryCount[] {
  const chosen = new Set<DirectoryCount>();
  let bytes = 0;
  for (const row of rows.toSorted((left, right) => right.files - left.files)) {
    bytes += byteLength(formatRow(row)) + 1;
    if (bytes > CONTEXT_LIMITS.overview) break;
    chosen.add(row);
  }
  return rows.filter((row) => chosen.has(row));
}

/** One directory a line, and one line for the files of the root folder. */
export function formatOverview({ directories, rootFiles, unlistedRootFiles }: Overview): string {
  const names = rootFiles.map((name) => formatPath(escapeHiddenCharacters(name))).join(' ');
  const more = unlistedRootFiles === 0 ? '' : ` and ${unlistedRootFiles} more`;
  const root = rootFiles.length === 0 ? [] : [`in the root folder: ${names}${more}`];
  return [...directories.map(formatRow), ...root].join('\n');
}

function formatRow({ path, files }: DirectoryCount): string {
  return path === '' ? `(all) ${files}` : `${formatPath(escapeHiddenCharacters(path))}/ ${files}`;
}
