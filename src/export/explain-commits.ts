import { listCommits } from '../git/list-commits.ts';
import type { Explained } from '../store/ledger.ts';
import type { Row } from '../verify/verify-commit.ts';
import { verifyRange } from '../verify/verify-range.ts';

export type CheckRequest = { readonly gitDir: string; readonly range: string; readonly slug: string | null };

/** What the ledger has of a commit. */
export type Lookup = (commit: string) => Promise<readonly Explained[]>;

/**
 * Holds every commit of the App in a range against its trailers and against the ledger; copies are left out. Throws as
 * `verifyRange` does.
 */
export async function* explainCommits(request: CheckRequest, lookup: Lookup): AsyncGenerator<Row> {
  const named = new Set<string>();
  let last: { readonly commit: string; readonly writes: readonly Explained[] } = { commit: '', writes: [] };
  for await (const row of verifyRange({ ...request, strict: false })) {
    named.add(row.commit);
    if (row.result === 'copied') continue;
    if (last.commit !== row.commit) last = { commit: row.commit, writes: await lookup(row.commit) };
    yield explained(row, last.writes);
  }
  yield* withoutTrailers(request, named);
}

/** What an explanation goes by. */
export type Explanation = Pick<Explained, 'proposalId' | 'digest' | 'approvers' | 'voters'>;

/** A row that holds by itself, and that the ledger's rows of its commit have too; else what is wrong with it. */
export function explained(row: Row, writes: readonly Explanation[]): Row {
  const problem = row.result === 'ok' ? problemOf(row, writes) : null;
  return problem === null ? row : { ...row, result: 'mismatch', problem };
}

function problemOf({ proposal, digest, approvedBy }: Row, writes: readonly Explanation[]): string | null {
  const [write, ...more] = writes.filter(({ proposalId }) => proposalId === proposal);
  if (write === undefined) return 'the ledger does not have it';
  if (more.length > 0) return 'the ledger has it more than once';
  if (write.digest !== digest) return `the ledger has the digest ${write.digest.slice(0, 12)}`;
  const logins = write.approvers.map(({ login }) => login);
  if (logins.toSorted().join() !== approvedBy.toSorted().join())
    return `the ledger says that ${logins.join(', ') || 'nobody'} approved`;
  const silent = write.approvers.find(({ id }) => !write.voters.includes(id));
  return silent === undefined ? null : `the ledger has no approval by ${silent.login} of what was shown`;
}

/** Commits that say of themselves that they are by the App, and name no change. */
async function* withoutTrailers(request: CheckRequest, named: ReadonlySet<string>): AsyncGenerator<Row> {
  const { gitDir, range, slug } = request;
  if (slug === null) return;
  const options = ['--topo-order', '--reverse', '--fixed-strings', `--author=${slug}[bot] <`];
  for await (const { id: commit } of listCommits({ gitDir, range, options })) {
    if (named.has(commit)) continue;
    const problem = 'it is by the App and names no change';
    yield {
      ...{ commit, proposal: null, path: null, digest: null, approvedBy: [], note: null },
      ...{ result: 'mismatch', problem },
    };
  }
}
