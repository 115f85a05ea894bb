import { explained } from '../../export/explain-commits.ts';
import { readCommit } from '../../simulator/git/commit-object.ts';
import { historyEntries } from '../../simulator/world/history.ts';
import { verifyCommit } from '../../verify/verify-commit.ts';
import { objectsOf } from '../github/git-objects.ts';
import type { Evidence, Landed } from './evidence.ts';
import { isReached } from './removed.ts';

/**
 * V7: every commit of the App is explained by its trailers and by the ledger, as `countersign export --check` looks at
 * them, and the ledger has no other commit.
 */
export async function ledgerExplains(evidence: Evidence): Promise<string[]> {
  const { hub, scene } = evidence.played;
  const { ledger } = evidence.remains;
  const unknown = new Set(evidence.landed.filter((one) => isUnheardOf(evidence, one)).map(({ sha }) => sha));
  const { history, store } = hub.world;
  const commits = new Set(
    historyEntries(history).flatMap(({ viaAppId, ref, after }) =>
      viaAppId === scene.appId && ref !== null ? (after ?? []) : [],
    ),
  );
  const problems = [...ledger.keys()]
    .filter((commit) => !commits.has(commit))
    .map((commit) => `V7: the ledger has commit ${commit}, which the App never made`);
  for (const id of commits) {
    if (unknown.has(id)) continue;
    const listed = { id, parents: readCommit(store, id)?.parents ?? [] };
    const rows = await verifyCommit(objectsOf(store), listed, { slug: scene.slug, strict: false });
    if (rows.length === 0) problems.push(`V7: commit ${id} names no change`);
    for (const row of rows) {
      const { result, problem, note, proposal } = explained(row, ledger.get(id) ?? []);
      if (result !== 'ok')
        problems.push(`V7: commit ${id}, ${proposal ?? 'what it does not name'}: ${problem ?? note}`);
    }
  }
  return problems;
}

/** Its answer was lost, and before anybody could look for it the App was removed. */
function isUnheardOf(evidence: Evidence, { plan }: Landed): boolean {
  return plan.proposalIds.every((id) => {
    const end = evidence.ends.get(id);
    return end?.state === 'failed' && /cannot see whether/.test(end.note ?? '') && !isReached(evidence, end.ref);
  });
}
