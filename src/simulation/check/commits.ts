import { blobText } from '../../simulator/git/blob.ts';
import { readCommit } from '../../simulator/git/commit-object.ts';
import { historyEntries } from '../../simulator/world/history.ts';
import { treeAt } from '../github/reading.ts';
import { BRANCH } from '../scene.ts';
import { type Check, digestOf, type Evidence, type Landed } from './evidence.ts';

/** What a commit's message says of one change. */
type Trailer = { readonly id: string; readonly digest: string; readonly range: readonly number[] | null };

const GROUP =
  /^Countersign-Proposal: (\S+)\nCountersign-Digest: sha256:([0-9a-f]{64})(?:\nCountersign-Range: ([\d, ]+))?$/gm;

function trailersOf(message: string): readonly Trailer[] {
  return [...message.matchAll(GROUP)].map(([, id = '', digest = '', range]) => ({
    ...{ id, digest },
    range: range === undefined ? null : range.split(/[ ,]/).map(Number),
  }));
}

/** V1: every commit of the App is what was approved and nothing else, on the head that was checked. */
export const commitsAreApproved: Check = (evidence) =>
  evidence.landed.flatMap((landed) => commitProblems(evidence, landed));

function commitProblems(evidence: Evidence, landed: Landed): readonly string[] {
  const { store } = evidence.played.hub.world;
  const commit = readCommit(store, landed.sha);
  if (commit === undefined) return [`V1: commit ${landed.sha} is nowhere`];
  const trailers = trailersOf(commit.message);
  const [parent = ''] = commit.parents;
  const checked = evidence.saved.findLast(
    ({ place, saved: { signal, step } }) =>
      place < landed.place &&
      signal.type === 'commit-starting' &&
      step.pull.proposals.some(({ id }) => landed.plan.proposalIds.includes(id)),
  )?.saved.signal;
  const onChecked = checked?.type === 'commit-starting' && checked.head === parent;
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
function digestProblems({ votes, changes }: Evidence, landed: Landed, { id }: Trailer): readonly string[] {
  const approvals = votes.filter(
    ({ place, vote }) => place < landed.place && vote.proposalId === id && /^(?:approve|modify)$/.test(vote.action),
  );
  if (approvals.length === 0) return [`V3: ${id} was committed and nobody approved it`];
  const shown = approvals.flatMap(({ vote }) => changes.get(`${id} ${vote.digest}`) ?? []);
  const wrong = shown.find((change) => digestOf(change) !== change.digest);
  if (wrong !== undefined) return [`V1: ${id} has the digest ${wrong.digest} and is ${digestOf(wrong)}`];
  return shown.length > 0 ? [] : [`V1: ${id} was approved under a digest that it never had`];
}

function bytesProblems(
  evidence: Evidence,
  { sha, place }: Landed,
  parent: string,
  trailers: readonly Trailer[],
): readonly string[] {
  const { store } = evidence.played.hub.world;
  const [before, after] = [treeAt(store, parent), treeAt(store, sha)];
  const changes = trailers.flatMap(({ id }) => approvedChange(evidence, place, id) ?? []);
  const byPath = Map.groupBy(trailers, ({ id }) => approvedChange(evidence, place, id)?.path ?? '');
  const isFile = (path: string): boolean => [before, after].every((tree) => tree.get(path)?.mode !== '040000');
  const paths = new Set([...before.keys(), ...after.keys()]);
  const differing = [...paths].filter((path) => isFile(path) && before.get(path)?.sha !== after.get(path)?.sha);
  return differing.flatMap((path) => {
    const gone = changes.some(({ op, path: to, from }) => from === path || (op === 'delete' && to === path));
    const moved = changes.find(({ op, path: to }) => op === 'move' && to === path);
    const restored = changes.find(({ op, path: to, region }) => op === 'write' && region === null && to === path);
    const text = blobText(store, before.get(path)?.sha);
    const asApproved = gone
      ? after.get(path) === undefined
      : moved !== undefined
        ? after.get(path)?.sha === before.get(moved.from ?? '')?.sha
        : restored !== undefined
          ? after.get(path)?.sha === restored.result?.blob
          : blobText(store, after.get(path)?.sha) === applied(evidence, place, text, byPath.get(path) ?? []);
    return asApproved ? [] : [`V1: commit ${sha} makes something else of ${path} than was approved`];
  });
}

/** What a person approved last under this id. */
function approvedChange({ votes, changes }: Evidence, before: number, id: string) {
  const vote = votes.findLast(
    ({ place, vote: { proposalId, action } }) =>
      place < before && proposalId === id && (action === 'approve' || action === 'modify'),
  )?.vote;
  return vote === undefined ? undefined : changes.get(`${id} ${vote.digest}`);
}

/** The approved lines, put where the commit's trailers say. */
function applied(evidence: Evidence, before: number, text: string, trailers: readonly Trailer[]): string {
  const lines = text.split(/(?<=\n)/);
  const ordered = [...trailers].sort((left, right) => (right.range?.[0] ?? 0) - (left.range?.[0] ?? 0));
  for (const { id, range } of ordered) {
    const region = approvedChange(evidence, before, id)?.region;
    const [start = 0, count = 0] = range ?? [];
    const at = count === 0 ? start : start - 1;
    if (region == null || lines.slice(at, at + count).join('') !== region.old.join('')) return `${text}\0`;
    lines.splice(at, count, ...region.new);
  }
  return lines.join('');
}

/** V2: no proposal is committed twice, and the App writes to no other branch. */
export const commitsComeOnce: Check = ({ landed, played }) => {
  const ids = landed.flatMap(({ plan }) => plan.proposalIds);
  const twice = ids.filter((id, place) => ids.indexOf(id) !== place).map((id) => `V2: ${id} was committed twice`);
  const elsewhere = historyEntries(played.hub.world.history).filter(
    ({ viaAppId, ref }) => viaAppId !== null && ref !== null && ref !== `refs/heads/${BRANCH}`,
  );
  return [...twice, ...elsewhere.map(({ ref }) => `V2: the App wrote to ${ref}`)];
};

/** V3: whoever a commit goes back to could write when it was attempted. */
export const approversMayWrite: Check = (evidence) =>
  evidence.landed.flatMap((landed) => {
    const begun = evidence.happenings.findLastIndex(
      (happening, place) =>
        place < landed.place && happening.kind === 'effect-begun' && happening.effect.effect.type === 'commit',
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
function couldWrite({ happenings }: Evidence, accountId: number, from: number, to: number): boolean {
  let writes = false;
  for (const [place, happening] of happenings.entries()) {
    if (place > to) break;
    if (happening.kind !== 'permission' || happening.accountId !== accountId) continue;
    if (place <= from) writes = happening.writes;
    else writes ||= happening.writes;
  }
  return writes;
}
