import type { LedgerChange } from '../../adapters/store/ledger.ts';
import { setDigest } from '../../core/edits/digest.ts';
import { listGitCommits } from '../git/objects.ts';
import type { VerifiedChange } from '../verify/check-commit.ts';
import { verifyRange } from '../verify/verify.ts';

type LedgerCheckRequest = {
  readonly gitDir: string;
  readonly range: string;
  readonly slug: string | null;
  readonly host: string;
};

/** The ledger's changes of a commit. */
export type LedgerLookup = (commit: string) => Promise<readonly LedgerChange[]>;

/**
 * Checks all commits of the App in a range against their trailers and the ledger. A commit in the ledger counts as the
 * App's own even without a signature, because some servers do not sign. Throws like `verifyRange`.
 */
export async function* checkCommitsAgainstLedger(
  request: LedgerCheckRequest,
  lookup: LedgerLookup,
): AsyncGenerator<VerifiedChange> {
  const checkedCommits = new Set<string>();
  const cachedLookup = cacheLastLookup(lookup);
  const isInLedger = async (commit: string): Promise<boolean> => (await cachedLookup(commit)).length > 0;
  for await (const rows of groupByCommit(verifyRange({ ...request, isRequired: false, isInLedger }))) {
    const [first] = rows;
    if (first === undefined) continue;
    checkedCommits.add(first.commit);
    yield* checkAgainstLedger(rows, await cachedLookup(first.commit));
  }
  yield* commitsWithoutTrailers(request, checkedCommits);
}

/** The rows of each commit together. They are adjacent. */
async function* groupByCommit(rows: AsyncIterable<VerifiedChange>): AsyncGenerator<readonly VerifiedChange[]> {
  let group: VerifiedChange[] = [];
  for await (const row of rows) {
    if (group.length > 0 && group[0]?.commit !== row.commit) {
      yield group;
      group = [];
    }
    group.push(row);
  }
  yield group;
}

/** Looks up each commit once. The changes of one commit are adjacent. */
function cacheLastLookup(lookup: LedgerLookup): LedgerLookup {
  let last: { readonly commit: string; readonly changes: ReturnType<LedgerLookup> } | null = null;
  return (commit) => {
    if (last?.commit !== commit) last = { commit, changes: lookup(commit) };
    return last.changes;
  };
}

/** The fields of a ledger entry that the check uses. */
export type LedgerEvidence = Pick<LedgerChange, 'proposalId' | 'digest' | 'approvers' | 'voters'>;

/** Turns the `ok` rows of one commit into mismatches if the ledger does not have the same changes. */
export function checkAgainstLedger(
  rows: readonly VerifiedChange[],
  recorded: readonly LedgerEvidence[],
): readonly VerifiedChange[] {
  const byProposal = Map.groupBy(rows, ({ proposal }) => proposal);
  return rows.map((row) => {
    const digest = digestOf(byProposal.get(row.proposal) ?? [row]);
    const problem = row.result === 'ok' ? ledgerProblem({ ...row, digest }, recorded) : null;
    return problem === null ? row : { ...row, result: 'mismatch', problem };
  });
}

/** The digest that the ledger must have: of several changes with one id, that of the set with exactly these members. */
function digestOf(rows: readonly VerifiedChange[]): string | null {
  const digests = rows.flatMap(({ digest }) => digest ?? []);
  return digests.length > 1 ? setDigest(digests) : (digests[0] ?? null);
}

function ledgerProblem(
  { proposal, digest, approvedBy }: VerifiedChange,
  recorded: readonly LedgerEvidence[],
): string | null {
  const [record, ...more] = recorded.filter(({ proposalId }) => proposalId === proposal);
  if (record === undefined) return 'the ledger does not have this change';
  if (more.length > 0) return 'the ledger has this change more than once';
  if (record.digest !== digest) return `the ledger has the digest ${record.digest.slice(0, 12)}`;
  const logins = record.approvers.map(({ login }) => login);
  if (logins.toSorted().join() !== approvedBy.toSorted().join())
    return `the ledger has other approvers: ${logins.join(', ') || 'none'}`;
  const missingVoter = record.approvers.find(({ id }) => !record.voters.includes(id));
  return missingVoter === undefined ? null : `the ledger has no approval of the shown change by ${missingVoter.login}`;
}

/** Commits with the App as author, but without trailers. */
async function* commitsWithoutTrailers(
  request: LedgerCheckRequest,
  checkedCommits: ReadonlySet<string>,
): AsyncGenerator<VerifiedChange> {
  const { gitDir, range, slug } = request;
  if (slug === null) return;
  const options = [
    '--topo-order',
    '--reverse',
    '--basic-regexp',
    '--regexp-ignore-case',
    `--author=^${escapeBasicRegExp(slug)}\\[bot] <`,
  ];
  for await (const { id: commit } of listGitCommits({ gitDir, range, options })) {
    if (checkedCommits.has(commit)) continue;
    const problem = 'its author is the App, but it has no trailers';
    yield {
      ...{ commit, proposal: null, path: null, digest: null, approvedBy: [], note: null },
      ...{ exact: false, origin: 'other', result: 'mismatch', problem },
    };
  }
}

/** Escapes text for a basic regular expression. */
function escapeBasicRegExp(text: string): string {
  return text.replaceAll(/[\\.*[\]^$]/g, '\\$&');
}
