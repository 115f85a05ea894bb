import type { Change } from '../change/change.ts';

/** Files whose text counts, and both ends of each move, of which blob and mode are enough. */
export type FilesWanted = { readonly paths: readonly string[]; readonly moves: readonly Move[] };

/** From one path to another. */
export type Move = { readonly from: string; readonly to: string };

/** Which files some changes are about. */
export function filesWanted(changes: readonly Pick<Change, 'path' | 'from'>[]): FilesWanted {
  const paths = new Set(changes.flatMap(({ path, from }) => (from === null ? [path] : [])));
  const moves = changes.flatMap(({ path: to, from }) => (from === null ? [] : [{ from, to }]));
  return { paths: [...paths], moves };
}
