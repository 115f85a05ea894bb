import { objectsOf } from '../simulation/github/git-objects.ts';
import { readCommit } from '../simulator/git/commit-object.ts';
import type { ObjectStore } from '../simulator/git/object-store.ts';
import { type Row, verifyCommit } from '../verify/verify-commit.ts';
import { fault, type Place, type Put, type Trial } from './trial.ts';

/** What `countersign verify` says of the commits from `since` (left out) to `head` of a simulated repository. */
async function verifyBranch(store: ObjectStore, since: string, head: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let id = head; id !== since; ) {
    const parents = readCommit(store, id)?.parents ?? [];
    rows.push(...(await verifyCommit(objectsOf(store), { id, parents }, { slug: 'countersign', strict: false })));
    const [parent] = parents;
    if (parent === undefined) break;
    id = parent;
  }
  return rows;
}

/** Each change must stand on the branch once, under its trailers, as `countersign verify` sees it. */
export async function verify(trial: Trial, put: readonly Put[], since: string): Promise<void> {
  const { session, tally } = trial;
  const rows = await verifyBranch(session.world().store, since, session.onGitHub().head.sha);
  for (const { path, result, problem } of rows) {
    if (result === 'ok') tally.verified += 1;
    else fault(trial, named(put, path), `countersign verify: ${problem}`);
  }
  for (const { change, proposal } of put) {
    const found = rows.some((row) => row.proposal === proposal.id && row.path === proposal.change.path);
    if (!found) fault(trial, change, 'countersign verify: no commit names it');
  }
}

/** The change of a path; of one that nobody asked for there is no commit. */
function named(put: readonly Put[], path: string | null): Place {
  const found = put.find(({ change }) => change.path === path || (path !== null && change.from === path));
  return found?.change ?? { commit: '?', path: path ?? '?' };
}
