import { readBlobText, readGitCommit } from '../../../fakes/github/git/objects.ts';
import { listAuditEntries } from '../../../fakes/github/state/audit-log.ts';
import { verifyCommit } from '../../../src/cli/verify/check-commit.ts';
import type { FileChange } from '../../../src/core/edits/change.ts';
import { OUTCOME_UNKNOWN_NOTE } from '../../../src/core/events/pull-request.ts';
import { storedCommit, storedRepository } from '../../shared/stored-repository.ts';
import { HEAD_BRANCH } from '../world/fixture.ts';
import { fixtureForPull, readFullTree, snapshotPull } from '../world/simulated-github.ts';
import {
  approvalsOf,
  type CaseCheck,
  type CaseEvidence,
  expectedDigest,
  isInstalled,
  type ObservedCommit,
} from './evidence.ts';

/** The trailers of one change in a commit message; `member` counts the earlier trailers with the same id. */
type CommitTrailer = {
  readonly id: string;
  readonly digest: string;
  readonly range: readonly number[] | null;
  readonly member: number;
};

const TRAILER_GROUP =
  /^Countersign-Proposal: (\S+)\nCountersign-Digest: sha256:([0-9a-f]{64})(?:\nCountersign-Range: ([\d, ]+))?$/gm;

function parseTrailers(message: string): readonly CommitTrailer[] {
  const groups = [...message.matchAll(TRAILER_GROUP)];
  return groups.map(([, id = '', digest = '', range], index) => ({
    ...{ id, digest },
    range: range === undefined ? null : range.split(/[ ,]/).map(Number),
    member: groups.slice(0, index).filter(([, other]) => other === id).length,
  }));
}

/** V1: each commit of the App contains exactly the approved changes, on the head that was checked. */
export const commitsAreApproved: CaseCheck = (evidence) =>
  evidence.commits.flatMap((observed) => commitProblems(evidence, observed));

function commitProblems(evidence: CaseEvidence, observed: ObservedCommit): readonly string[] {
  const { store } = evidence.played.simulatedGitHub.state;
  const commit = readGitCommit(store, observed.sha);
  if (commit === undefined) return [`V1: commit ${observed.sha} does not exist`];
  const trailers = parseTrailers(commit.message);
  const [parent = ''] = commit.parents;
  const preflight = evidence.saved.findLast(
    ({ index, saved: { signal, step } }) =>
      index < observed.index &&
      signal.type === 'commit-preflight' &&
      step.pull.proposals.some(({ id }) => observed.plan.proposalIds.includes(id)),
  )?.saved.signal;
  const isOnCheckedHead = preflight?.type === 'commit-preflight' && preflight.headSha === parent;
  const named = trailers
    .filter(({ member }) => member === 0)
    .map(({ id }) => id)
    .join();
  return [
    ...(isOnCheckedHead ? [] : [`V1: the parent ${parent} of commit ${observed.sha} was not checked`]),
    ...(named === observed.plan.proposalIds.join() ? [] : [`V1: the trailers of commit ${observed.sha} name ${named}`]),
    ...trailers.flatMap((trailer) => digestProblems(evidence, observed, trailer)),
    ...trailers.flatMap(({ id }) => memberProblems(evidence, observed, id, trailers)),
    ...bytesProblems(evidence, observed, parent, trailers),
  ];
}

/** The change has an approval, and its digest matches its content. */
function digestProblems(evidence: CaseEvidence, { index }: ObservedCommit, { id }: CommitTrailer): readonly string[] {
  const approvals = approvalsOf(evidence, id, { before: index });
  if (approvals.length === 0) return [`V3: ${id} was committed without an approval`];
  const approvedChanges = approvals.flatMap(({ vote }) => evidence.changes.get(`${id} ${vote.digest}`) ?? []);
  const wrong = approvedChanges.find((change) => expectedDigest(change) !== change.digest);
  if (wrong !== undefined) return [`V1: ${id} has the digest ${wrong.digest} instead of ${expectedDigest(wrong)}`];
  return approvedChanges.length > 0 ? [] : [`V1: ${id} was approved with a digest that it never had`];
}

/** S146: a commit has all members of a change or none. */
function memberProblems(
  evidence: CaseEvidence,
  { index, sha }: ObservedCommit,
  id: string,
  trailers: readonly CommitTrailer[],
): readonly string[] {
  const change = lastApprovedChange(evidence, index, id);
  const named = trailers.filter((trailer) => trailer.id === id).length;
  const members = change === undefined ? named : change.members.length;
  return named === members ? [] : [`S146: commit ${sha} names ${named} of the ${members} members of ${id}`];
}

function bytesProblems(
  evidence: CaseEvidence,
  { sha, index }: ObservedCommit,
  parent: string,
  trailers: readonly CommitTrailer[],
): readonly string[] {
  const { store } = evidence.played.simulatedGitHub.state;
  const [before, after] = [readFullTree(store, parent), readFullTree(store, sha)];
  const changes = trailers.flatMap((trailer) => approvedMember(evidence, index, trailer) ?? []);
  const byPath = Map.groupBy(trailers, (trailer) => approvedMember(evidence, index, trailer)?.path ?? '');
  const isFile = (path: string): boolean => [before, after].every((tree) => tree.get(path)?.mode !== '040000');
  const named = new Set(changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from])));
  const paths = new Set([...before.keys(), ...after.keys()]);
  const differing = [...paths].filter(
    (path) => isFile(path) && (named.has(path) || before.get(path)?.sha !== after.get(path)?.sha),
  );
  return differing.flatMap((path) => {
    const isDeleted = changes.some(({ op, path: to, from }) => from === path || (op === 'delete' && to === path));
    const moved = changes.find(({ op, path: to }) => op === 'move' && to === path);
    const restored = changes.find(({ op, path: to, region }) => op === 'write' && region === null && to === path);
    const text = readBlobText(store, before.get(path)?.sha);
    const isAsApproved = isDeleted
      ? after.get(path) === undefined
      : moved !== undefined
        ? after.get(path)?.sha === (moved.region === null ? before.get(moved.from ?? '')?.sha : moved.result?.blob)
        : restored !== undefined
          ? after.get(path)?.sha === restored.result?.blob
          : readBlobText(store, after.get(path)?.sha) === applyRegions(evidence, index, text, byPath.get(path) ?? []);
    return isAsApproved ? [] : [`V1: commit ${sha} changes ${path} differently than approved`];
  });
}

function approvedMember(evidence: CaseEvidence, before: number, { id, member }: CommitTrailer): FileChange | undefined {
  const change = lastApprovedChange(evidence, before, id);
  return change === undefined ? undefined : change.members[member];
}

/** The change of this proposal that was approved last. */
function lastApprovedChange(evidence: CaseEvidence, before: number, id: string) {
  const vote = approvalsOf(evidence, id, { before }).at(-1)?.vote;
  return vote === undefined ? undefined : evidence.changes.get(`${id} ${vote.digest}`);
}

/** Applies the approved lines at the ranges in the trailers. An invalid range gives a text that matches no file. */
function applyRegions(
  evidence: CaseEvidence,
  before: number,
  text: string,
  trailers: readonly CommitTrailer[],
): string {
  const lines = text.split(/(?<=\n)/);
  const ordered = [...trailers].sort((left, right) => (right.range?.[0] ?? 0) - (left.range?.[0] ?? 0));
  for (const trailer of ordered) {
    const region = approvedMember(evidence, before, trailer)?.region;
    const { range } = trailer;
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
  const duplicates = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `V2: ${id} was committed twice`);
  const otherBranchWrites = listAuditEntries(played.simulatedGitHub.state.auditLog).filter(
    ({ viaAppId, ref }) => viaAppId !== null && ref !== null && ref !== `refs/heads/${HEAD_BRANCH}`,
  );
  return [...duplicates, ...otherBranchWrites.map(({ ref }) => `V2: the App wrote to ${ref}`)];
};

/** F15: a pull request from a fork gets no commit, neither in the fork nor on a branch of the same name. */
export const forksStayUntouched: CaseCheck = ({ events, played: { simulatedGitHub, fixture } }) => {
  const attempts = events.flatMap((event) => {
    if (event.kind !== 'committed') return [];
    const { repository, pull } = snapshotPull(simulatedGitHub, fixtureForPull(fixture, event.number));
    return pull.head.repositoryId === repository.id
      ? []
      : [
          `F15: a commit of ${event.plan.proposalIds.join(', ')} was attempted, although #${event.number} comes from a fork`,
        ];
  });
  const forkWrites = listAuditEntries(simulatedGitHub.state.auditLog).filter(
    ({ viaAppId, ref, repositoryId }) => viaAppId !== null && ref !== null && repositoryId !== fixture.repositoryId,
  );
  return [...attempts, ...forkWrites.map(({ ref }) => `F15: the App wrote to ${ref} of a fork`)];
};

/** J8: each commit of the App verifies from git alone, and the ledger has the same changes in the same commits. */
export async function commitsVerify(evidence: CaseEvidence): Promise<string[]> {
  const { simulatedGitHub, fixture } = evidence.played;
  const unknown = new Set(evidence.commits.filter((commit) => isUnknownToApp(evidence, commit)).map(({ sha }) => sha));
  const { auditLog, store } = simulatedGitHub.state;
  const commits = new Set(
    listAuditEntries(auditLog).flatMap(({ viaAppId, ref, after }) =>
      viaAppId === fixture.appId && ref !== null ? (after ?? []) : [],
    ),
  );
  const recorded = Map.groupBy(evidence.finalState.committed, ({ commit }) => commit);
  const problems = [...recorded.keys()]
    .filter((commit) => !commits.has(commit))
    .map((commit) => `J8: the ledger has commit ${commit}, which is not a commit of the App`);
  for (const id of commits) {
    if (unknown.has(id)) continue;
    const rule = { slug: fixture.slug, host: 'github.com' };
    const rows = await verifyCommit(storedRepository(store), storedCommit(store, id), rule);
    for (const { result, problem, proposal, approvedBy } of rows) {
      if (result !== 'ok') problems.push(`J8: commit ${id}, ${proposal ?? 'without a proposal id'}: ${problem}`);
      const approvers = recorded.get(id)?.find(({ proposalId }) => proposalId === proposal)?.approvers ?? [];
      const logins = approvers
        .map(({ login }) => login)
        .toSorted()
        .join();
      if (logins !== approvedBy.toSorted().join())
        problems.push(`J8: commit ${id} names the approvers ${approvedBy}, and the ledger has ${logins}`);
    }
    const inLedger = new Set(recorded.get(id)?.map(({ proposalId }) => proposalId));
    const named = new Set(rows.map(({ proposal }) => proposal ?? '?'));
    if (inLedger.size === 0 || [...inLedger].toSorted().join() !== [...named].toSorted().join())
      problems.push(`J8: commit ${id} names ${[...named]}, and the ledger has ${[...inLedger]}`);
  }
  return problems;
}

/** The response of the commit was lost, and the App was removed before it could look for the commit. */
function isUnknownToApp(evidence: CaseEvidence, { plan }: ObservedCommit): boolean {
  return plan.proposalIds.every((id) => {
    const proposal = evidence.finalProposals.get(id);
    return (
      proposal?.state === 'failed' && proposal.note === OUTCOME_UNKNOWN_NOTE && !isInstalled(evidence, proposal.ref)
    );
  });
}
