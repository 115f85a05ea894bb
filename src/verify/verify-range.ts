import { listCommits } from '../git/list-commits.ts';
import { openObjects } from '../git/objects.ts';
import type { OwnRule } from './origin.ts';
import { type Row, verifyCommit } from './verify-commit.ts';

export type RangeRequest = OwnRule & { readonly gitDir: string; readonly range: string };

/** Only such commits are read; which of them hold proper trailers is found then. */
const WITH_TRAILERS = ['--topo-order', '--reverse', '--basic-regexp', '--grep=^Countersign-'];

/**
 * Checks every commit of a range that carries our trailers, oldest first, with git's objects alone: one process lists
 * them, one reads objects. Throws `GitFailed` for an unknown range or a broken repository, `GitMissing` without git.
 */
export async function* verifyRange({ gitDir, range, ...rule }: RangeRequest): AsyncGenerator<Row> {
  const objects = openObjects(gitDir);
  const seen = new Map<string, string>();
  try {
    for await (const listed of listCommits({ gitDir, range, options: WITH_TRAILERS })) {
      for (const row of await verifyCommit(objects, listed, rule)) yield onlyOnce(row, seen);
    }
  } finally {
    await objects.close();
  }
}

/** The App makes each change once: a second commit of its name with the same trailers is somebody's repetition. */
function onlyOnce(row: Row, seen: Map<string, string>): Row {
  if (row.result !== 'ok') return row;
  const name = `${row.proposal} ${row.digest}`;
  const first = seen.get(name);
  if (first === undefined) seen.set(name, row.commit);
  return first === undefined ? row : { ...row, result: 'mismatch', problem: `${first.slice(0, 7)} holds it already` };
}
