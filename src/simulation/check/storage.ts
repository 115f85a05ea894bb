import { isOpen } from '../../run/proposal.ts';
import { pullKey } from '../../run/run.ts';
import { mayMove } from '../../run/transition.ts';
import type { Check } from './evidence.ts';
import { isReached } from './removed.ts';

/** Nothing is left undone, given up or going on for ever once people have stopped talking. */
export const allIsDone: Check = ({ played, remains }) => {
  // What was written to the App before it was removed may come after, and can never be decided.
  const { installations } = played.hub.world;
  const parked = remains.parked.filter(({ pullKey: key }) => installations.has(Number(key.split('/')[0])));
  return [
    ...(played.rested ? [] : [`it does not come to rest within ${played.events} events`]),
    ...(remains.waiting === 0 ? [] : [`${remains.waiting} signals and effects are left`]),
    ...parked.map(({ error }) => `a signal was given up: ${error}`),
  ];
};

/** Whatever waits for people waits for a while: at rest every run has ended, and no change is open. */
export const nothingWaitsForEver: Check = ({ saved, ends }) => {
  const last = new Map(saved.map(({ saved: { claim, step } }) => [claim.pullKey, step.pull.run]));
  const runs = [...last.values()].flatMap((run) =>
    run === null || run.phase.kind === 'ended' ? [] : [`the run is ${run.phase.kind} for ever`],
  );
  const open = [...ends].filter(([, { state }]) => state === 'proposed').map(([id]) => `${id} waits for ever`);
  return [...runs, ...open];
};

/** A run that waits for people has something that they can decide, or that is being made (S88). */
export const waitingHasItsReason: Check = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run, proposals } = step.pull;
    if (run?.phase.kind !== 'waiting' || proposals.some((one) => one.runId === run.id && isOpen(one))) return [];
    return [`the run waits, and nothing is open (${step.reason})`];
  });

/** Nothing expires before its time, or while words wait that were stored before (S85). */
export const expiryComesLast: Check = ({ happenings, played }) => {
  const unheard = new Map<string, string>();
  return happenings.flatMap((one) => {
    if (one.kind === 'received' && one.receipt === 'stored')
      unheard.set(one.delivery.id, pullKey(one.delivery.intent.pull));
    if (one.kind !== 'saved' || one.result !== 'saved') return [];
    if (one.signal.type === 'intent') unheard.delete(one.signal.deliveryId);
    const gone = one.step.pull.proposals.filter(({ id, state }) => state === 'expired' && one.before.get(id) !== state);
    const early = gone.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > one.at);
    // What was written to the App before it was removed can never be decided.
    const reached = isReached({ played }, one.step.pull.ref);
    const waiting = [...unheard].filter(([, key]) => reached && key === one.claim.pullKey).map(([id]) => id);
    const deaf = gone.length > 0 && waiting.length > 0 ? [`something expired while ${waiting.join(', ')} waited`] : [];
    return [...early.map(({ id }) => `${id} expired before its time`), ...deaf];
  });
};

/**
 * Only the newest holder of a pull request writes (fencing). What the App was removed from is forgotten after a while: a
 * webhook that comes later begins to count anew.
 */
export const holdersWriteAlone: Check = ({ happenings, played }) => {
  const newest = new Map<string, number>();
  const { installations } = played.hub.world;
  return happenings.flatMap((happening) => {
    if (happening.kind !== 'claimed' && happening.kind !== 'saved') return [];
    const { pullKey, fence } = happening.claim;
    const known = newest.get(pullKey) ?? 0;
    if (happening.kind === 'claimed')
      newest.set(pullKey, installations.has(Number(pullKey.split('/')[0])) ? Math.max(known, fence) : fence);
    if (happening.kind !== 'saved' || happening.result !== 'saved' || fence >= known) return [];
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
