import type { Change } from '../change/change.ts';
import type { Move } from './facts.ts';

/** Which files some changes are about: those whose text counts, and both ends of each move. */
export function filesWanted(changes: readonly Change[]): {
  readonly paths: readonly string[];
  readonly moves: readonly Move[];
} {
  const paths = new Set(changes.flatMap(({ path, from }) => (from === null ? [path] : [])));
  const moves = changes.flatMap(({ path: to, from }) => (from === null ? [] : [{ from, to }]));
  return { paths: [...paths], moves };
}
