import { readBlobText, readGitCommit } from '../../../fakes/github/git/objects.ts';
import { listAuditEntries } from '../../../fakes/github/state/audit-log.ts';
import { checkAgainstLedger } from '../../../src/cli/export/check-against-ledger.ts';
import { verifyCommit } from '../../../src/cli/verify/check-commit.ts';
import { OUTCOME_UNKNOWN_NOTE } from '../../../src/core/events/pull-request.ts';
import { isApprovalVote } from '../../../src/core/state/proposal.ts';
import { HEAD_BRANCH } from '../world/fixture.ts';
import { fixtureForPull, readFullTree, snapshotPull, toGitObjects } from '../world/simulated-github.ts';
import { type CaseCheck, type CaseEvidence, expectedDigest, isInstalled, type ObservedCommit } from './evidence.ts';

/** What a commit's message says of one change. */
type CommitTrailer = { readonly id: string; readonly digest: string; readonly range: readonly number[] | null };

const TRAILER_GROUP =
  /^Countersign-Proposal: (\S+)\nCountersign-Digest: sha256:([0-9a-f]{64})(?:\nCountersign-Range: ([\d, ]+))?$/gm;

function parseTrailers(message: string): readonly CommitTrailer[] {
  return [...message.matchAll(TRAILER_GROUP)].map(([, id = '', digest = '', range]) => ({
    ...{ id, digest },
    range: range === undefined ? null : range.split(/[ ,]/).map(Number),
  }));
}

/** V1: every commit of the App is what was approved and nothing else, on the head that was checked. */
export const commitsAreApproved: CaseCheck = (evidence) =>
  evidence.commits.flatMap((landed) => commitProblems(evidence, landed));

function commitProblems(evidence: CaseEvidence, landed: ObservedCommit): readonly string[] {
  const { store } = evidence.played.simulatedGitHub.state;
  const commit = readGitCommit(store, landed.sha);
  if (commit === undefined) return [`V1: commit ${landed.sha} is nowhere`];
  const trailers = parseTrailers(commit.message);
  const [parent = ''] = commit.parents;
  const checked = evidence.saved.findLast(
    ({ place, saved: { signal, step } }) =>
      place < landed.place &&
      signal.type === 'commit-preflight' &&
      step.pull.proposals.some(({ id }) => landed.plan.proposalIds.includes(id)),
  )?.saved.signal;
  const onChecked = checked?.type === 'commit-preflight' && checked.headSha === parent;
  const named = trailers.map(({ id }) => id).join();
  const problems = [
    ...(onChecked ? [] : [`V1: commit ${landed.sha} follows ${parent}, which was not checked`]),
    ...(named === landed.plan.proposalIds.join() ? [] : [`V1: commit ${landed.sha} names ${named}`]),
    ...trailers.flatMap((trailer) => digestProblems(evidence, landed, trailer)),
    ...bytesProblems(evidence, landed, parent, trailers),
  ];
  return problems;
}

/** An approval for the very lines that stand in the commit, under a digest that is theirs. */
function digestProblems(
  { votes, changes }: CaseEvidence,
  landed: ObservedCommit,
  { id }: CommitTrailer,
): readonly string[] {
  const approvals = votes.filter(
    ({ place, vote }) => place < landed.place && vote.proposalId === id && isApprovalVote(vote),
  );
  if (approvals.length === 0) return [`V3: ${id} was committed and nobody approved it`];
  const shown = approvals.flatMap(({ vote }) => changes.get(`${id} ${vote.digest}`) ?? []);
  const wrong = shown.find((change) => expectedDigest(change) !== change.digest);
  if (wrong !== undefined) return [`V1: ${id} has the digest ${wrong.digest} and is ${expectedDigest(wrong)}`];
  return shown.length > 0 ? [] : [`V1: ${id} was approved under a digest that it never had`];
}

function bytesProblems(
  evidence: CaseEvidence,
  { sha, place }: ObservedCommit,
  parent: string,
  trailers: readonly CommitTrailer[],
): readonly string[] {
  const { store } = evidence.played.simulatedGitHub.state;
  const [before, after] = [readFullTree(store, parent), readFullTree(store, sha)];
  const changes = trailers.flatMap(({ id }) => lastApprovedChange(evidence, place, id) ?? []);
  const byPath = Map.groupBy(trailers, ({ id }) => lastApprovedChange(evidence, place, id)?.path ?? '');
  const isFile = (path: string): boolean => [before, after].every((tree) => tree.get(path)?.mode !== '040000');
  const paths = new Set([...before.keys(), ...after.keys()]);
  const differing = [...paths].filter((path) => isFile(path) && before.get(path)?.sha !== after.get(path)?.sha);
  return differing.flatMap((path) => {
    const gone = changes.some(({ op, path: to, from }) => from === path || (op === 'delete' && to === path));
    const moved = changes.find(({ op, path: to }) => op === 'move' && to === path);
    const restored = changes.find(({ op, path: to, region }) => op === 'write' && region === null && to === path);
    const text = readBlobText(store, before.get(path)?.sha);
    const asApproved = gone
      ? after.get(path) === undefined
      : moved !== undefined
        ? after.get(path)?.sha === before.get(moved.from ?? '')?.sha
        : restored !== undefined
          ? after.get(path)?.sha === restored.result?.blob
          : readBlobText(store, after.get(path)?.sha) === applyRegions(evidence, place, text, byPath.get(path) ?? []);
    return asApproved ? [] : [`V1: commit ${sha} makes something else of ${path} than was approved`];
  });
}

/** What a person approved last under this id. */
function lastApprovedChange({ votes, changes }: CaseEvidence, before: number, id: string) {
  const vote = votes.findLast(
    ({ place, vote: one }) => place < before && one.proposalId === id && isApprovalVote(one),
  )?.vote;
  return vote === undefined ? undefined : changes.get(`${id} ${vote.digest}`);
}

/** The approved lines, put where the commit's trailers say. */
function applyRegions(
  evidence: CaseEvidence,
  before: number,
  text: string,
  trailers: readonly CommitTrailer[],
): string {
  const lines = text.split(/(?<=\n)/);
  const ordered = [...trailers].sort((left, right) => (right.range?.[0] ?? 0) - (left.range?.[0] ?? 0));
  for (const { id, range } of ordered) {
    const region = lastApprovedChange(evidence, before, id)?.region;
    const [start = 0, count = 0] = range ?? [];
    const at = count === 0 ? start : start - 1;
    if (region == null || lines.slice(at, at + count).join('') !== region.old.join('')) return `${text}\0`;
    lines.splice(at, count, ...region.new);
  }
  return lines.join('');
}

/** V2: no proposal is committed twice, and the App writes to no other branch. */
export const commitsHappenOnce: CaseCheck = ({ commits, played }) => {
  const ids = commits.flatMap(({ plan }) => plan.proposalIds);
  const twice = ids.filter((id, place) => ids.indexOf(id) !== place).map((id) => `V2: ${id} was committed twice`);
  const elsewhere = listAuditEntries(played.simulatedGitHub.state.auditLog).filter(
    ({ viaAppId, ref }) => viaAppId !== null && ref !== null && ref !== `refs/heads/${HEAD_BRANCH}`,
  );
  return [...twice, ...elsewhere.map(({ ref }) => `V2: the App wrote to ${ref}`)];
};

/** V3: whoever a commit goes back to could write when it was attempted. */
export const approversCanWrite: CaseCheck = (evidence) =>
  evidence.commits.flatMap((landed) => {
    const begun = evidence.events.findLastIndex(
      (event, place) =>
        place < landed.place && event.kind === 'effect-started' && event.effect.effect.type === 'commit',
    );
    return landed.plan.proposalIds
      .filter((id) => {
        const people = evidence.votes.filter(
          ({ place, vote }) => place < landed.place && vote.proposalId === id && vote.action !== 'deny',
        );
        return !people.some(({ vote }) => couldWrite(evidence, vote.by.id, begun, landed.place));
      })
      .map((id) => `V3: ${id} was committed and none of its approvers could write`);
  });

/** At any time between two places, and as it was at the first. */
function couldWrite({ events }: CaseEvidence, accountId: number, from: number, to: number): boolean {
  let writes = false;
  for (const [place, event] of events.entries()) {
    if (place > to) break;
    if (event.kind !== 'permission' || event.accountId !== accountId) continue;
    if (place <= from) writes = event.writes;
    else writes ||= event.writes;
  }
  return writes;
}

/** F15: nothing is committed for a pull request from a fork, neither there nor to a branch of the same name here. */
export const forksStayUntouched: CaseCheck = ({ events, played: { simulatedGitHub, fixture } }) => {
  const tried = events.flatMap((one) => {
    if (one.kind !== 'committed') return [];
    const { repository, pull } = snapshotPull(simulatedGitHub, fixtureForPull(fixture, one.number));
    return pull.head.repositoryId === repository.id
      ? []
      : [`F15: a commit of ${one.plan.proposalIds.join(', ')} was tried, and #${one.number} comes from a fork`];
  });
  const written = listAuditEntries(simulatedGitHub.state.auditLog).filter(
    ({ viaAppId, ref, repositoryId }) => viaAppId !== null && ref !== null && repositoryId !== fixture.repositoryId,
  );
  return [...tried, ...written.map(({ ref }) => `F15: the App wrote to ${ref} of a fork`)];
};

/**
 * V7: every commit of the App is explained by its trailers and by the ledger, as `countersign export --check` looks at
 * them, and the ledger has no other commit.
 */
export async function checkLedger(evidence: CaseEvidence): Promise<string[]> {
  const { simulatedGitHub, fixture } = evidence.played;
  const { ledger } = evidence.finalState;
  const unknown = new Set(evidence.commits.filter((one) => isUnknownToApp(evidence, one)).map(({ sha }) => sha));
  const { auditLog, store } = simulatedGitHub.state;
  const commits = new Set(
    listAuditEntries(auditLog).flatMap(({ viaAppId, ref, after }) =>
      viaAppId === fixture.appId && ref !== null ? (after ?? []) : [],
    ),
  );
  const problems = [...ledger.keys()]
    .filter((commit) => !commits.has(commit))
    .map((commit) => `V7: the ledger has commit ${commit}, which the App never made`);
  for (const id of commits) {
    if (unknown.has(id)) continue;
    const listed = { id, parents: readGitCommit(store, id)?.parents ?? [] };
    const rows = await verifyCommit(toGitObjects(store), listed, { slug: fixture.slug, strict: false });
    if (rows.length === 0) problems.push(`V7: commit ${id} names no change`);
    for (const row of rows) {
      const { result, problem, note, proposal } = checkAgainstLedger(row, ledger.get(id) ?? []);
      if (result !== 'ok')
        problems.push(`V7: commit ${id}, ${proposal ?? 'what it does not name'}: ${problem ?? note}`);
    }
  }
  return problems;
}

/** Its answer was lost, and before anybody could look for it the App was removed. */
function isUnknownToApp(evidence: CaseEvidence, { plan }: ObservedCommit): boolean {
  return plan.proposalIds.every((id) => {
    const end = evidence.finalProposals.get(id);
    return end?.state === 'failed' && end.note === OUTCOME_UNKNOWN_NOTE && !isInstalled(evidence, end.ref);
  });
}
