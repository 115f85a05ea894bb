import { readBlobText } from '../../../fakes/github/git/objects.ts';
import { listAuditEntries } from '../../../fakes/github/state/audit-log.ts';
import { isReading } from '../../../src/core/edits/change.ts';
import { findSourceProblem } from '../../../src/core/policy/countersign.ts';
import { SETTINGS_PATH } from '../../../src/core/settings/repo-settings.ts';
import { usesStandingApproval, type Vote, voteLocationOf } from '../../../src/core/state/vote.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { CODEOWNERS_PATH, fixtureForPull, OWNERS_TEAM, readFullTree, snapshotPull } from '../world/simulated-github.ts';
import { readVoteSources } from '../world/vote-sources.ts';
import { approvalsOf, type CaseCheck, type CaseEvidence, type ObservedCommit, type PlayedCase } from './evidence.ts';

/** Approved proposals that a commit made real, or that let the agent read a file; `index` is when. */
type Execution = Pick<ObservedCommit, 'index' | 'at' | 'number'> & {
  readonly ids: readonly string[];
  readonly outcome: 'committed' | 'read';
};

function listExecutions(evidence: CaseEvidence): readonly Execution[] {
  const commits = evidence.commits.map(
    ({ index, at, number, plan }): Execution => ({ index, at, number, ids: plan.proposalIds, outcome: 'committed' }),
  );
  return [...commits, ...listReadings(evidence)];
}

/** The steps after which the agent may read a file that people had to approve. */
function listReadings({ saved, events }: CaseEvidence): readonly Execution[] {
  return saved.flatMap(({ index, saved: { step, before } }): readonly Execution[] => {
    const ids = step.pull.proposals
      .filter(({ id, change, state }) => isReading(change) && state === 'completed' && before.get(id) !== state)
      .map(({ id }) => id);
    const { number } = step.pull.ref;
    return ids.length === 0 ? [] : [{ index, at: events[index]?.at ?? 0, number, ids, outcome: 'read' }];
  });
}

/**
 * V3: each executed proposal had the approvals that the settings required, of as many people and of owners. An approval
 * is valid if its author could write during the attempt, and its comment was still on the page when the attempt began.
 */
export const approvalsAreEnough: CaseCheck = (evidence) =>
  listExecutions(evidence).flatMap((execution) => {
    const { index, at, number, ids, outcome } = execution;
    const attemptStart = findAttemptStart(evidence, execution);
    const versions = listRuleVersions(evidence.played, attemptStart.at, at);
    return ids.flatMap((id) => {
      const approvals = approvalsOf(evidence, id, { before: index }).map(({ vote }) => vote);
      const valid = approvals.filter(
        (vote) =>
          vote.digest === approvals.at(-1)?.digest &&
          couldWrite(evidence, vote.by.id, attemptStart.index, index) &&
          !wasWithdrawn(evidence, number, vote, attemptStart.at),
      );
      const people = new Set(valid.map(({ by }) => by.login));
      const paths = pathsOfProposal(evidence, id);
      const team = teamMembers(evidence, attemptStart.index, index);
      const isEnough = versions.some((rules) =>
        paths.every((path) => isAllowedBy(demandOf(rules, path, team), people)),
      );
      return isEnough
        ? []
        : [`V3: ${id} of ${paths.join(', ')} was ${outcome} by ${[...people].join(', ') || 'nobody'} alone`];
    });
  });

/** V3: a button votes for nothing but what its check run showed, in exactly that version, and had buttons for. */
export const buttonsCoverTheirList: CaseCheck = ({ votes, events }) => {
  const listed = new Map(events.flatMap((event) => (event.kind === 'listed' ? [[event.checkRunId, event]] : [])));
  return votes.flatMap(({ vote: { surface, commentId, proposalId, digest } }) => {
    const run = listed.get(commentId ?? 0);
    if (surface !== 'check') return [];
    const isShown = run?.text.includes(`\`${proposalId}\``) === true && run.text.includes(digest.slice(0, 12));
    return isShown && run.hasButtons ? [] : [`V3: a button decided on ${proposalId}, which its check run did not show`];
  });
};

function pathsOfProposal({ changes }: CaseEvidence, id: string): readonly string[] {
  const members = [...changes].filter(([key]) => key.startsWith(`${id} `)).flatMap(([, change]) => change.members);
  return [...new Set(members.flatMap(({ path, from }) => (from === null ? [path] : [from, path])))];
}

/** The texts of the settings and of `CODEOWNERS`. The App does not read both at the same moment. */
type RuleVersion = { readonly settings: string; readonly owners: string };

/** How many people a path needs, and the logins of which one must be among them; null if any will do. */
type Demand = { readonly people: number; readonly owners: readonly string[] | null };

function isAllowedBy({ people, owners }: Demand, approvers: ReadonlySet<string>): boolean {
  return approvers.size >= people && (owners === null || owners.some((login) => approvers.has(login)));
}

/** The rules as the actions of this simulation write them. Settings that are broken require one person here. */
function demandOf({ settings, owners }: RuleVersion, path: string, team: readonly string[]): Demand {
  const rows = [...settings.matchAll(/\{paths: \[([^\]]+)\](?:, approvals: (\d))?(?:, approvers: (\w+))?\}/g)];
  const matching = rows.filter(([, glob = '']) =>
    glob.endsWith('**') ? path.startsWith(glob.slice(0, -2)) : path === glob,
  );
  const general = Number(/^required_approvals: (\d+)$/m.exec(settings)?.[1] ?? 1);
  const people = Math.max(general, ...matching.map(([, , approvals]) => Number(approvals ?? 1)));
  const asksOwner = /^approvers: codeowners$/m.test(settings) || matching.some(([, , , who]) => who === 'codeowners');
  if (!asksOwner) return { people, owners: null };
  const line = owners.split('\n').findLast((one) => one.startsWith('* ') || one.startsWith(`/${path} `));
  const names = [...(line ?? '').matchAll(/@([\w/]+)/g)].map(([, name = '']) => name);
  return { people, owners: names.flatMap((name) => (name === OWNERS_TEAM ? team : [name])) };
}

/** Everyone whom the App could see in the owners' team at any time between two indexes. */
function teamMembers({ events }: CaseEvidence, from: number, to: number): readonly string[] {
  const versions = events.flatMap((event, index) =>
    event.kind === 'team' && index <= to ? [{ index, ...event }] : [],
  );
  const last = versions.findLastIndex(({ index }) => index <= from);
  return versions.slice(Math.max(last, 0)).flatMap(({ members }) => members);
}

/** The last attempt to execute these proposals; the execution itself if there is none. */
export function findAttemptStart({ events }: CaseEvidence, { index, at, ids }: Omit<Execution, 'outcome' | 'number'>) {
  const start = events.findLastIndex(
    (event, place) => place < index && event.kind === 'effect-started' && isAttemptOf(event.effect.effect, ids),
  );
  return start === -1 ? { index, at } : { index: start, at: events[start]?.at ?? 0 };
}

/** Each pair of texts that could be read between two times (ms). */
function listRuleVersions(played: PlayedCase, from: number, to: number): readonly RuleVersion[] {
  const owners = [...new Set(textsInForce(played, CODEOWNERS_PATH, from, to))];
  const settings = [...new Set(textsInForce(played, SETTINGS_PATH, from, to))];
  return settings.flatMap((one) => owners.map((other) => ({ settings: one, owners: other })));
}

/** The texts of a file of the default branch that were in force at any time between two times (ms); empty for no file. */
export function textsInForce(
  { simulatedGitHub: { state }, fixture }: PlayedCase,
  path: string,
  from: number,
  to: number,
): readonly string[] {
  const repository = state.repositories.get(fixture.repositoryId);
  const pushes = listAuditEntries(state.auditLog).filter(
    ({ ref, repositoryId, at }) =>
      ref === `refs/heads/${repository?.defaultBranch}` && repositoryId === fixture.repositoryId && at <= to,
  );
  const last = pushes.findLastIndex(({ at }) => at < from);
  const inForce = pushes.slice(Math.max(last, 0)).map(({ after }) => {
    const file = after === null ? undefined : readFullTree(state.store, after).get(path);
    return file === undefined ? '' : readBlobText(state.store, file.sha);
  });
  return last === -1 ? ['', ...inForce] : inForce;
}

/** True if the account had write permission at any time between two indexes. */
export function couldWrite({ events }: CaseEvidence, accountId: number, from: number, to: number): boolean {
  let writes = false;
  for (const [index, event] of events.entries()) {
    if (index > to) break;
    if (event.kind !== 'permission' || event.accountId !== accountId) continue;
    if (index <= from) writes = event.writes;
    else writes ||= event.writes;
  }
  return writes;
}

function isAttemptOf(effect: Effect, ids: readonly string[]): boolean {
  return effect.type === 'commit' && effect.proposalIds.some((id) => ids.includes(id));
}

/**
 * True if the comment of a vote was changed before a time and has another text since, or none. A standing approval
 * stands until it is revoked, also if its comment is edited or deleted.
 */
function wasWithdrawn({ played }: CaseEvidence, number: number, vote: Vote, before: number): boolean {
  const { simulatedGitHub, fixture } = played;
  const location = usesStandingApproval(vote) ? null : voteLocationOf(vote);
  if (location === null || location.surface === 'review') return false;
  const kind = location.surface === 'thread' ? 'review-comment' : 'comment';
  const changed = listAuditEntries(simulatedGitHub.state.auditLog).some(
    ({ id, action, at }) =>
      id === vote.commentId && (action === `${kind}-edited` || action === `${kind}-deleted`) && at < before,
  );
  if (!changed) return false;
  const sources = readVoteSources(snapshotPull(simulatedGitHub, fixtureForPull(fixture, number)), [location]);
  return findSourceProblem(vote, sources) !== null;
}
