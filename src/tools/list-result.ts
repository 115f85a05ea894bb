import { readDenied } from '../policy/denied-path.ts';
import { globMatcher } from '../policy/glob.ts';
import { kindOf, type Tree } from '../policy/tree.ts';
import { echo } from './echo.ts';
import { oneLine } from './one-line.ts';

const MOST_FILES = 1000;
const MOST_CHARACTERS = 48_000;

/** The paths of plain files that may be read and match the glob (null: all), in order of their names. */
export function readableFiles(tree: Tree, glob: string | null): string[] {
  const matches = glob === null ? () => true : globMatcher(glob);
  const paths: string[] = [];
  for (const [path, entry] of tree) {
    if (kindOf(entry) !== 'file' || !matches(path) || readDenied(path) !== null) continue;
    paths.push(path);
  }
  return paths.sort((left, right) => (left < right ? -1 : 1));
}

/** The result of `list_files`: a line of ours, then a path a line. `visible` tells which of them this run may read. */
export function listResult(tree: Tree, glob: string | null, visible: (path: string) => boolean = () => true): string {
  const paths = readableFiles(tree, glob).filter(visible);
  const where = glob === null ? 'in the repository' : `matching ${echo(glob)}`;
  if (paths.length === 0)
    return `No files ${where}. A glob matches from the root: use **/name to match in every directory.`;
  const shown = bounded(paths);
  const count = paths.length === 1 ? '1 file' : `${paths.length} files`;
  const more = shown.length < paths.length ? ` (showing the first ${shown.length}; narrow the glob to see others)` : '';
  return `${count} ${where}${more}:\n${shown.join('\n')}`;
}

function bounded(paths: readonly string[]): string[] {
  const shown: string[] = [];
  let length = 0;
  for (const path of paths.slice(0, MOST_FILES)) {
    length += path.length + 1;
    if (length > MOST_CHARACTERS) break;
    shown.push(oneLine(path));
  }
  return shown;
}
