import type { Sha } from '../../../fakes/github/git/objects.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import {
  listCheckSuites,
  listLatestStatuses,
  listSuiteRuns,
  suiteStatusOf,
} from '../../../fakes/github/state/checks.ts';
import { listPullCommits } from '../../../fakes/github/state/commits.ts';
import type { FakeActor, FakeCheckConclusion, FakeRepository } from '../../../fakes/github/state/github-state.ts';
import { findBranchHead } from '../../../fakes/github/state/lookup.ts';
import type { WebhookEvent } from '../../../fakes/github/state/operation.ts';
import {
  CHECK_KEYS,
  type Check,
  type CheckDetails,
  type CheckState,
  type Checks,
  type PullChecks,
} from '../../../src/core/state/checks.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import type { CaseFixture } from './fixture.ts';
import type { Random } from './random.ts';
import { type PullSnapshot, readPullFacts, type SimulatedGitHub } from './simulated-github.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The checks of the head and the base, as GitHub has them now. */
export function readPullChecks(snapshot: PullSnapshot, { appId }: CaseFixture): PullChecks {
  const { state: github, repository, pull } = snapshot;
  const { state, headSha } = readPullFacts(snapshot);
  const base = findBranchHead(repository, pull.base.branch);
  return {
    ...{ state, headSha, own: listPullCommits(github.store, pull) },
    head: checksOf(repository, headSha, appId),
    base: base === undefined ? { listed: [], running: [] } : checksOf(repository, base, appId),
  };
}

function checksOf(repository: FakeRepository, sha: Sha, ownAppId: number): Checks {
  const suites = listCheckSuites(repository, sha).filter(({ id, appId }) => {
    return appId !== ownAppId && listSuiteRuns(repository, id).length > 0;
  });
  const runs = suites.flatMap(({ id }) => listSuiteRuns(repository, id));
  const statuses = listLatestStatuses(repository, sha);
  const listed = [
    ...runs.map(({ name, conclusion, nodeId }) => toCheck(name, conclusion, nodeId)),
    ...statuses.map(({ context, state }) => toCheck(context, state === 'pending' ? null : state, null)),
  ];
  const open = suites.filter((suite) => suiteStatusOf(repository, suite) !== 'completed');
  const pending = statuses.filter(({ state }) => state === 'pending');
  const keys = [
    ...open.map(({ nodeId }) => CHECK_KEYS.suite(nodeId)),
    ...pending.map((one) => CHECK_KEYS.status(one.context)),
  ];
  return { listed, running: keys };
}

const FAILED: ReadonlySet<string> = new Set(['failure', 'timed_out', 'error']);

function toCheck(name: string, word: string | null, nodeId: string | null): Check {
  const ended: CheckState = FAILED.has(word ?? '') ? 'failed' : word === 'action_required' ? 'blocked' : 'passed';
  return {
    name,
    state: word === null ? 'running' : ended,
    word: word ?? 'in_progress',
    url: null,
    nodeId,
    jobId: null,
  };
}

/** A check says its name everywhere. */
export function detailsOf({ name }: Check): CheckDetails {
  const annotations = [{ path: name, line: 1, message: name }];
  return { title: name, summary: name, annotations, logEnd: Buffer.from(`${name}\n${name}\n`) };
}

type CiOptions = {
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
  readonly clock: VirtualClock;
  /** Of its own, so that checks change nothing else of a case. */
  readonly random: Random;
  readonly names: readonly string[];
};

export const CHECK_NAMES = ['build', 'lint'] as const;

/** Another App that checks most pushes: its runs begin and end at random, some twice, and some never end. */
export function startCi(options: CiOptions): (event: WebhookEvent) => void {
  return ({ name, action, payload }) => {
    const { after } = payload;
    if (name !== 'pull_request' || action !== 'synchronize' || typeof after !== 'string') return;
    const { random, clock } = options;
    if (random.chance(0.4)) return;
    const { repository } = payload;
    if (!isRecord(repository) || repository['id'] !== options.fixture.repositoryId) return;
    const names = [random.pick(options.names), random.pick(options.names), 'ci/old'];
    for (const one of names.slice(0, 1 + random.integer(3)))
      clock.schedule(random.between(500, 90_000), () => runCheck(options, one, after));
  };
}

const ENDS: readonly FakeCheckConclusion[] = ['neutral', 'cancelled', 'timed_out', 'action_required'];

/** Most pass, and some fail. */
function pickConclusion(random: Random): FakeCheckConclusion {
  if (random.chance(0.5)) return 'success';
  return random.chance(0.5) ? 'failure' : random.pick(ENDS);
}

function runCheck(options: CiOptions, name: string, sha: Sha): void {
  const { simulatedGitHub, fixture, clock, random } = options;
  const target = { actor: ciActor(options), repositoryId: fixture.repositoryId };
  const endsIn = random.between(1_000, 400_000);
  if (name === 'ci/old') {
    const status = { ...target, sha, context: name };
    simulatedGitHub.apply(OPERATIONS.createCommitStatus, { ...status, state: 'pending' });
    const state = random.pick(['success', 'success', 'failure'] as const);
    clock.schedule(endsIn, () => simulatedGitHub.apply(OPERATIONS.createCommitStatus, { ...status, state }));
    return;
  }
  const created = simulatedGitHub.apply(OPERATIONS.createCheckRun, { ...target, headSha: sha, name });
  if (!created.ok || random.chance(0.05)) return;
  const checkRunId = created.value.id;
  const conclusion = pickConclusion(random);
  clock.schedule(endsIn, () => {
    simulatedGitHub.apply(OPERATIONS.updateCheckRun, { ...target, checkRunId, conclusion });
    if (random.chance(0.1)) clock.schedule(random.between(1_000, 90_000), () => runCheck(options, name, sha));
  });
}

function ciActor({ simulatedGitHub, fixture }: CiOptions): FakeActor {
  const slug = 'github-actions';
  const known = [...simulatedGitHub.state.apps.values()].find((app) => app.slug === slug);
  if (known !== undefined) return { accountId: known.botId, viaAppId: known.id };
  const app = { slug, ownerId: fixture.people.acme, permissions: { checks: 'write' }, events: [] } as const;
  const added = simulatedGitHub.apply(OPERATIONS.addApp, app);
  if (!added.ok) throw new Error(added.error.message);
  return { accountId: added.value.botId, viaAppId: added.value.id };
}
