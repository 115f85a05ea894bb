import { listCommits } from '../git/list-commits.ts';
import type { Explained } from '../store/ledger.ts';
import type { Row } from '../verify/verify-commit.ts';
import { verifyRange } from '../verify/verify-range.ts';

export type CheckRequest = { readonly gitDir: string; readonly range: string; readonly slug: string | null };

/** What the ledger has of a commit. */
export type Lookup = (commit: string) => Promise<readonly Explained[]>;

/**
 * Holds every commit of the App in a range against its trailers and against the ledger; copies are listed as that. What the
 * ledger has is the App's own, whatever it says of itself: not every server signs. Throws as `verifyRange` does.
 */
export async function* explainCommits(request: CheckRequest, lookup: Lookup): AsyncGenerator<Row> {
  const named = new Set<string>();
  const known = remembering(lookup);
  const isKnown = async (commit: string): Promise<boolean> => (await known(commit)).length > 0;
  for await (const row of verifyRange({ ...request, strict: false, isKnown })) {
    named.add(row.commit);
    yield row.result === 'copied' ? row : explained(row, await known(row.commit));
  }
  yield* withoutTrailers(request, named);
}

/** Asks once for all changes of a commit, which come one after the other. */
function remembering(lookup: Lookup): Lookup {
  let last: { readonly commit: string; readonly writes: ReturnType<Lookup> } | null = null;
  return (commit) => {
    if (last?.commit !== commit) last = { commit, writes: lookup(commit) };
    return last.writes;
  };
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
  const options = ['--topo-order', '--reverse', '--basic-regexp', `--author=^${literally(slug)}\\[bot] <`];
  for await (const { id: commit } of listCommits({ gitDir, range, options })) {
    if (named.has(commit)) continue;
    const problem = 'it is by the App and names no change';
    yield {
      ...{ commit, proposal: null, path: null, digest: null, approvedBy: [], note: null },
      ...{ result: 'mismatch', problem },
    };
  }
}

/** Of a basic regular expression. */
function literally(text: string): string {
  return text.replaceAll(/[\\.*[\]^$]/g, '\\$&');
}
