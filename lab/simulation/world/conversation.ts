import { collaboratorRoleOf } from '../../../fakes/github/state/lookup.ts';
import { DAY_MS } from '../../../src/core/state/limits.ts';
import type { CaseFixture, Login } from './fixture.ts';
import {
  APP_DISABLED_ACTIONS,
  changeOwners,
  changeTeam,
  gateReadings,
  requireTwoApprovals,
  restoreInstallation,
  suspendInstallation,
} from './owner-actions.ts';
import {
  approveToo,
  createActionContext,
  type PersonAction,
  SECOND_THOUGHT_ACTIONS,
  tryAction,
  type WeightedActions,
  withdrawApproval,
} from './person-actions.ts';
import type { Random } from './random.ts';
import { fixtureForPull, listPullNumbers, readOwnersTeam, type SimulatedGitHub } from './simulated-github.ts';
import type { Trace } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

const WEIGHTED_ACTORS: readonly (readonly [weight: number, actor: Login])[] = [
  [10, 'ana'],
  [7, 'ben'],
  [2, 'carl'],
  [2, 'dora'],
  [1, 'helper[bot]'],
];

type WeightedPauses = readonly (readonly [weight: number, pause: { readonly from: number; readonly to: number }])[];

/** The time between two actions (ms), from moments to past the expiry of changes and past the retention of data. */
const ACTION_PAUSES: WeightedPauses = [
  [8, { from: 10, to: 800 }],
  [8, { from: 1_000, to: 15_000 }],
  [8, { from: 15_000, to: 90_000 }],
  [1, { from: 5 * DAY_MS, to: 9 * DAY_MS }],
  [0.2, { from: 31 * DAY_MS, to: 120 * DAY_MS }],
];

/** How long the App is suspended or removed (ms). The longest exceeds the expiry of changes. */
const SUSPENSION_DURATIONS: WeightedPauses = [
  [3, { from: 500, to: 30_000 }],
  [3, { from: 30_000, to: 1_800_000 }],
  [1, { from: 3_600_000, to: DAY_MS / 4 }],
  [0.05, { from: 6 * DAY_MS, to: 8 * DAY_MS }],
];

/** For cases in which the owner suspends the App often (ms). */
const LONG_SUSPENSION_DURATIONS: WeightedPauses = [
  [1, { from: 20_000, to: 1_800_000 }],
  [2, { from: 7_200_000, to: DAY_MS / 3 }],
];

/** After each action, if the owner suspends the App often. */
const SUSPEND_PROBABILITY = 0.3;

/** After each action, where two approvals are required. */
const OWNER_CHANGE_PROBABILITY = 0.2;

/** What happens again and again in a case, and elsewhere rarely. */
export type Habit =
  /** The owner suspends the App for hours, while it processes comments. */
  | 'suspend'
  /** The repository requires two approvals from the start, and people approve what another person approved. */
  | 'require-two'
  /** People must approve some readings from the start. */
  | 'gate-readings'
  /** The owners, or the members of their team, change after every approval. */
  | 'change-owners'
  /** Approvals are edited or deleted before they become a commit. */
  | 'withdraw';

type ConversationOptions = {
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
  readonly random: Random;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  /** The number of actions after the task. */
  readonly turns: number;
  readonly habits: ReadonlySet<Habit>;
  /** Actions of people, by weight. */
  readonly actions: WeightedActions;
  /** After an approval others often approve, deny or push before it becomes a commit. */
  readonly hasSecondThoughts: boolean;
  /** Called when a suspension or removal of the App ends. */
  readonly onReactivated: () => void;
  readonly onEnd: () => void;
};

/** Schedules random actions of several people, one after another. */
export function startConversation(options: ConversationOptions): void {
  const { random, clock, turns, actions, habits, hasSecondThoughts } = options;
  if (habits.has('require-two')) performAction(options, 'acme', requireTwoApprovals);
  else if (habits.has('gate-readings')) performAction(options, 'acme', gateReadings);
  performAction(options, 'ana', ({ person }) => {
    const { id } = person.says('/countersign make the shop simpler');
    return `gives the task (${id})`;
  });
  const scheduleNext = (remaining: number): void => {
    if (remaining === 0) {
      reactivateApp(options);
      options.onEnd();
    } else
      clock.schedule(pickPause(random, ACTION_PAUSES), () => {
        const description = performAction(
          options,
          pickWeighted(random, WEIGHTED_ACTORS),
          pickWeighted(random, actions),
        );
        const isApproval = hasSecondThoughts && description?.includes('/approve') === true;
        if (isApproval && random.chance(0.4)) scheduleSecondThought(options);
        if (habits.has('withdraw') && isApproval) scheduleWithdrawal(options);
        if (habits.has('require-two') && isApproval && random.chance(0.7)) scheduleSecondApproval(options);
        if (habits.has('require-two') && random.chance(OWNER_CHANGE_PROBABILITY)) scheduleOwnerChange(options);
        if (habits.has('change-owners') && isApproval) scheduleOwnerChange(options);
        if (description !== null && APP_DISABLED_ACTIONS.has(description))
          clock.schedule(pickPause(random, SUSPENSION_DURATIONS), () => reactivateApp(options));
        if (habits.has('suspend') && random.chance(SUSPEND_PROBABILITY)) scheduleSuspension(options);
        scheduleNext(remaining - 1);
      });
  };
  clock.schedule(random.between(8_000, 60_000), () => scheduleNext(turns));
}

function reactivateApp(options: ConversationOptions): void {
  if (performAction(options, 'acme', restoreInstallation) !== null) options.onReactivated();
}

function scheduleSuspension(options: ConversationOptions): void {
  const { random, clock } = options;
  clock.schedule(random.between(50, 8_000), () => {
    if (performAction(options, 'acme', suspendInstallation) !== null)
      clock.schedule(pickPause(random, LONG_SUSPENSION_DURATIONS), () => reactivateApp(options));
  });
}

function pickPause(random: Random, pauses: WeightedPauses): number {
  const { from, to } = pickWeighted(random, pauses);
  return random.between(from, to);
}

/** Schedules an action within these times (ms). Who acts, and how, is drawn when it begins. */
function scheduleAction(
  options: ConversationOptions,
  [from, to]: readonly [number, number],
  actor: () => Login,
  action: () => PersonAction,
): void {
  options.clock.schedule(options.random.between(from, to), () => void performAction(options, actor(), action()));
}

/** Schedules another action before an approval can become a commit. */
function scheduleSecondThought(options: ConversationOptions): void {
  const { random } = options;
  const draw = () => pickWeighted(random, SECOND_THOUGHT_ACTIONS);
  scheduleAction(options, [100, 4_000], () => pickWeighted(random, WEIGHTED_ACTORS), draw);
}

/** Schedules an edit or a deletion of the last approval, often after it was counted and before its commit. */
function scheduleWithdrawal(options: ConversationOptions): void {
  scheduleAction(
    options,
    [50, 3_000],
    () => options.random.pick(['ana', 'ben'] as const),
    () => withdrawApproval,
  );
}

/** Schedules the approval of a person who can write, perhaps the same one again. */
function scheduleSecondApproval(options: ConversationOptions): void {
  scheduleAction(
    options,
    [200, 20_000],
    () => options.random.pick(['ana', 'ben', 'ben'] as const),
    () => approveToo,
  );
}

/** Schedules new owners, or new members of their team, perhaps between an approval and its commit. */
function scheduleOwnerChange(options: ConversationOptions): void {
  const action = options.random.chance(0.6) ? changeOwners : changeTeam;
  scheduleAction(
    options,
    [100, 4_000],
    () => 'acme',
    () => action,
  );
}

function performAction(options: ConversationOptions, actor: Login, action: PersonAction): string | null {
  const { simulatedGitHub, random, trace } = options;
  const fixture = pickPull(options);
  const description = tryAction(action, createActionContext(simulatedGitHub, fixture, random, actor));
  if (description !== null)
    trace.add({
      kind: 'person-action',
      actor,
      action: fixture === options.fixture ? description : `${description} on #${fixture.ref.number}`,
    });
  const repository = simulatedGitHub.state.repositories.get(fixture.repositoryId);
  for (const accountId of Object.values(fixture.people)) {
    const permission = repository === undefined ? 'none' : collaboratorRoleOf(repository, accountId).permission;
    trace.add({ kind: 'permission', accountId, writes: permission === 'write' || permission === 'admin' });
  }
  trace.add({ kind: 'team', members: readOwnersTeam(simulatedGitHub, fixture) ?? [] });
  return description;
}

/** Picks mostly the first pull request. */
function pickPull({ simulatedGitHub, fixture, random }: ConversationOptions): CaseFixture {
  const others = listPullNumbers(simulatedGitHub, fixture).filter((number) => number !== fixture.ref.number);
  return others.length > 0 && random.chance(0.35) ? fixtureForPull(fixture, random.pick(others)) : fixture;
}

function pickWeighted<Value>(random: Random, values: readonly (readonly [weight: number, value: Value])[]): Value {
  const total = values.reduce((sum, [weight]) => sum + weight, 0);
  let rest = random.float() * total;
  for (const [weight, value] of values) {
    rest -= weight;
    if (rest < 0) return value;
  }
  return random.pick(values)[1];
}
