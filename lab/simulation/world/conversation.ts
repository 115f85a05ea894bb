import { collaboratorRoleOf } from '../../../fakes/github/state/lookup.ts';
import type { CaseFixture, Login } from './fixture.ts';
import {
  APP_DISABLED_ACTIONS,
  createActionContext,
  PERSON_ACTIONS,
  type PersonAction,
  restoreInstallation,
  SECOND_THOUGHT_ACTIONS,
  suspendInstallation,
  tryAction,
} from './person-actions.ts';
import type { Random } from './random.ts';
import { fixtureForPull, listPullNumbers, type SimulatedGitHub } from './simulated-github.ts';
import type { Trace } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Who acts, with how often. */
const WEIGHTED_ACTORS: readonly (readonly [weight: number, who: Login])[] = [
  [10, 'ana'],
  [7, 'ben'],
  [2, 'carl'],
  [2, 'dora'],
  [1, 'helper[bot]'],
];

const DAY_MS = 86_400_000;

/** How long people take between two deeds (ms): at once, a moment, until much has happened, until changes expire, or until all is forgotten. */
type WeightedPauses = readonly (readonly [weight: number, pause: { readonly from: number; readonly to: number }])[];

const ACTION_PAUSES: WeightedPauses = [
  [8, { from: 10, to: 800 }],
  [8, { from: 1_000, to: 15_000 }],
  [8, { from: 15_000, to: 90_000 }],
  [1, { from: 5 * DAY_MS, to: 9 * DAY_MS }],
  [0.2, { from: 31 * DAY_MS, to: 120 * DAY_MS }],
];

/** How long the App is suspended or removed (ms): for a slip, for a while, or until changes expire. */
const SUSPENSION_DURATIONS: WeightedPauses = [
  [3, { from: 500, to: 30_000 }],
  [3, { from: 30_000, to: 1_800_000 }],
  [1, { from: 3_600_000, to: DAY_MS / 4 }],
  [0.05, { from: 6 * DAY_MS, to: 8 * DAY_MS }],
];

/** How long a restless owner suspends it. */
const LONG_SUSPENSION_DURATIONS: WeightedPauses = [
  [1, { from: 20_000, to: 1_800_000 }],
  [2, { from: 7_200_000, to: DAY_MS / 3 }],
];

/** How often after somebody's deed. */
const SUSPEND_PROBABILITY = 0.3;

type ConversationOptions = {
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
  readonly random: Random;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  readonly turns: number;
  /** The App's owner suspends it over and over, for hours, while what people said is still worked on. */
  readonly suspendsOften: boolean;
  /** The App may act again, after it was suspended or removed. */
  readonly onReactivated: () => void;
  readonly onEnd: () => void;
};

/** Several people talk to the App and to each other, past each other too. */
export function startConversation(options: ConversationOptions): void {
  const { random, clock, turns } = options;
  performAction(options, 'ana', ({ person }) => {
    const { id } = person.says('/countersign make the shop simpler');
    return `gives the task (${id})`;
  });
  const next = (left: number): void => {
    if (left === 0) {
      reactivateApp(options);
      options.onEnd();
    } else
      clock.schedule(pickPause(random, ACTION_PAUSES), () => {
        const what = performAction(
          options,
          pickWeighted(random, WEIGHTED_ACTORS),
          pickWeighted(random, PERSON_ACTIONS),
        );
        if (what?.includes('/approve') === true && random.chance(0.4)) scheduleSecondThought(options);
        if (what !== null && APP_DISABLED_ACTIONS.has(what))
          clock.schedule(pickPause(random, SUSPENSION_DURATIONS), () => reactivateApp(options));
        if (options.suspendsOften && random.chance(SUSPEND_PROBABILITY)) scheduleSuspension(options);
        next(left - 1);
      });
  };
  clock.schedule(random.between(8_000, 60_000), () => next(turns));
}

/** What people wanted of the App meanwhile may never have been told it. */
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

/** Within the few seconds that an approval needs to become a commit. */
function scheduleSecondThought(options: ConversationOptions): void {
  const { random, clock } = options;
  clock.schedule(
    random.between(100, 4_000),
    () =>
      void performAction(options, pickWeighted(random, WEIGHTED_ACTORS), pickWeighted(random, SECOND_THOUGHT_ACTIONS)),
  );
}

function performAction(options: ConversationOptions, actor: Login, deed: PersonAction): string | null {
  const { simulatedGitHub, random, trace } = options;
  const fixture = pickPull(options);
  const what = tryAction(deed, createActionContext(simulatedGitHub, fixture, random, actor));
  if (what !== null)
    trace.add({
      kind: 'person-action',
      actor,
      action: fixture === options.fixture ? what : `${what} on #${fixture.ref.number}`,
    });
  const repository = simulatedGitHub.state.repositories.get(fixture.repositoryId);
  for (const accountId of Object.values(fixture.people)) {
    const permission = repository === undefined ? 'none' : collaboratorRoleOf(repository, accountId).permission;
    trace.add({ kind: 'permission', accountId, writes: permission === 'write' || permission === 'admin' });
  }
  return what;
}

/** Mostly on the first pull request, where the conversation began. */
function pickPull({ simulatedGitHub, fixture, random }: ConversationOptions): CaseFixture {
  const others = listPullNumbers(simulatedGitHub, fixture).filter((number) => number !== fixture.ref.number);
  return others.length > 0 && random.chance(0.35) ? fixtureForPull(fixture, random.pick(others)) : fixture;
}

function pickWeighted<Value>(random: Random, values: readonly (readonly [weight: number, value: Value])[]): Value {
  const total = values.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.float() * total;
  for (const [weight, value] of values) {
    left -= weight;
    if (left < 0) return value;
  }
  return random.pick(values)[1];
}
