import { roleOf } from '../../simulator/world/lookup.ts';
import type { Chance } from '../chance.ts';
import { onPull, pullsOf } from '../github/port.ts';
import type { Hub } from '../hub.ts';
import type { Name, Scene } from '../scene.ts';
import type { Timeline } from '../timeline.ts';
import type { Trace } from '../trace.ts';
import { DEEDS, type Deed, doIt, momentOf, SECOND_THOUGHTS } from './deeds.ts';
import { ABSENT, restores, suspends } from './owner.ts';

/** Who acts, with how often. */
const CAST: readonly (readonly [weight: number, who: Name])[] = [
  [10, 'ana'],
  [7, 'ben'],
  [2, 'carl'],
  [2, 'dora'],
  [1, 'helper[bot]'],
];

const DAY_MS = 86_400_000;

/** How long people take between two deeds (ms): at once, a moment, until much has happened, until changes expire, or until all is forgotten. */
type Pauses = readonly (readonly [weight: number, pause: { readonly from: number; readonly to: number }])[];

const PAUSES: Pauses = [
  [8, { from: 10, to: 800 }],
  [8, { from: 1_000, to: 15_000 }],
  [8, { from: 15_000, to: 90_000 }],
  [1, { from: 5 * DAY_MS, to: 9 * DAY_MS }],
  [0.2, { from: 31 * DAY_MS, to: 120 * DAY_MS }],
];

/** How long the App is suspended or removed (ms): for a slip, for a while, or until changes expire. */
const ABSENCES: Pauses = [
  [3, { from: 500, to: 30_000 }],
  [3, { from: 30_000, to: 1_800_000 }],
  [1, { from: 3_600_000, to: DAY_MS / 4 }],
  [0.05, { from: 6 * DAY_MS, to: 8 * DAY_MS }],
];

/** How long a restless owner suspends it. */
const LONG_ABSENCES: Pauses = [
  [1, { from: 20_000, to: 1_800_000 }],
  [2, { from: 7_200_000, to: DAY_MS / 3 }],
];
/** How often after somebody's deed. */
const SUSPENDS = 0.3;

export type ConversationOptions = {
  readonly hub: Hub;
  readonly scene: Scene;
  readonly chance: Chance;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly turns: number;
  /** The App's owner suspends it over and over, for hours, while what people said is still worked on. */
  readonly restless: boolean;
  /** The App may act again, after it was suspended or removed. */
  readonly onReturn: () => void;
  readonly onEnd: () => void;
};

/** Several people talk to the App and to each other, past each other too. */
export function converse(options: ConversationOptions): void {
  const { chance, timeline, turns } = options;
  act(options, 'ana', ({ person }) => {
    const { id } = person.says('/countersign make the shop simpler');
    return `gives the task (${id})`;
  });
  const next = (left: number): void => {
    if (left === 0) {
      comesBack(options);
      options.onEnd();
    } else
      timeline.after(pause(chance, PAUSES), () => {
        const what = act(options, weighed(chance, CAST), weighed(chance, DEEDS));
        if (what?.includes('/approve') === true && chance.happens(0.4)) thinkAgain(options);
        if (what !== null && ABSENT.has(what)) timeline.after(pause(chance, ABSENCES), () => comesBack(options));
        if (options.restless && chance.happens(SUSPENDS)) goesAway(options);
        next(left - 1);
      });
  };
  timeline.after(chance.between(8_000, 60_000), () => next(turns));
}

/** What people wanted of the App meanwhile may never have been told it. */
function comesBack(options: ConversationOptions): void {
  if (act(options, 'acme', restores) !== null) options.onReturn();
}

function goesAway(options: ConversationOptions): void {
  const { chance, timeline } = options;
  timeline.after(chance.between(50, 8_000), () => {
    if (act(options, 'acme', suspends) !== null) timeline.after(pause(chance, LONG_ABSENCES), () => comesBack(options));
  });
}

function pause(chance: Chance, pauses: Pauses): number {
  const { from, to } = weighed(chance, pauses);
  return chance.between(from, to);
}

/** Within the few seconds that an approval needs to become a commit. */
function thinkAgain(options: ConversationOptions): void {
  const { chance, timeline } = options;
  timeline.after(
    chance.between(100, 4_000),
    () => void act(options, weighed(chance, CAST), weighed(chance, SECOND_THOUGHTS)),
  );
}

function act(options: ConversationOptions, who: Name, deed: Deed): string | null {
  const { hub, chance, trace } = options;
  const scene = onSomePull(options);
  const what = doIt(deed, momentOf(hub, scene, chance, who));
  if (what !== null)
    trace.add({ kind: 'deed', who, what: scene === options.scene ? what : `${what} on #${scene.ref.number}` });
  const repository = hub.world.repositories.get(scene.repositoryId);
  for (const accountId of Object.values(scene.people)) {
    const permission = repository === undefined ? 'none' : roleOf(repository, accountId).permission;
    trace.add({ kind: 'permission', accountId, writes: permission === 'write' || permission === 'admin' });
  }
  return what;
}

/** Mostly on the first pull request, where the conversation began. */
function onSomePull({ hub, scene, chance }: ConversationOptions): Scene {
  const others = pullsOf(hub, scene).filter((number) => number !== scene.ref.number);
  return others.length > 0 && chance.happens(0.35) ? onPull(scene, chance.pick(others)) : scene;
}

function weighed<Value>(chance: Chance, values: readonly (readonly [weight: number, value: Value])[]): Value {
  const total = values.reduce((sum, [weight]) => sum + weight, 0);
  let left = chance.part() * total;
  for (const [weight, value] of values) {
    left -= weight;
    if (left < 0) return value;
  }
  return chance.pick(values)[1];
}
