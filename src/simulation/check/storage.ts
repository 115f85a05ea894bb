import { mayMove } from '../../run/transition.ts';
import type { Check } from './evidence.ts';

/** Nothing is left undone, given up or going on for ever once people have stopped talking. */
export const allIsDone: Check = ({ played, remains }) => [
  ...(played.rested ? [] : [`it does not come to rest within ${played.events} events`]),
  ...(remains.waiting === 0 ? [] : [`${remains.waiting} signals and effects are left`]),
  ...remains.parked.map((error) => `a signal was given up: ${error}`),
];

/** A run that goes on waits for people, or something is under way: at rest only the first. */
export const runsWaitForPeople: Check = ({ saved }) => {
  const run = saved.at(-1)?.saved.step.pull.run;
  if (run == null || run.phase.kind === 'ended' || run.phase.kind === 'waiting') return [];
  return [`the run is ${run.phase.kind} for ever`];
};

/** Only the newest holder of a pull request writes (fencing). */
export const holdersWriteAlone: Check = ({ happenings }) => {
  let newest = 0;
  return happenings.flatMap((happening) => {
    if (happening.kind === 'claimed') newest = Math.max(newest, happening.claim.fence);
    if (happening.kind !== 'saved' || happening.result !== 'saved' || happening.claim.fence >= newest) return [];
    return [`a holder wrote (${happening.step.reason}) after it had lost the pull request`];
  });
};

/** Each thing that people said is decided at most once, whatever deliveries told of it. */
export const wordsCountOnce: Check = ({ saved }) => {
  const seen = new Set<string>();
  return saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'said') return [];
    const key = JSON.stringify(signal.intent.place);
    if (seen.has(key)) return [`the words at ${key} were decided twice (${step.reason})`];
    seen.add(key);
    return [];
  });
};

/** Every saved step is a way that the table of states has, or several of them. */
export const statesFollowTheTable: Check = ({ saved }) =>
  saved.flatMap(({ saved: { before, step } }) =>
    step.pull.proposals.flatMap(({ id, state }) => {
      const was = before.get(id);
      if (was === undefined || was === state || mayMove(was, state)) return [];
      const through = (['approved', 'executing'] as const).some((by) => mayMove(was, by) && mayMove(by, state));
      return through ? [] : [`${id} went from ${was} to ${state}`];
    }),
  );
