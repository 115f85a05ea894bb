import type { Effect } from '../../run/effect.ts';
import type { StoredEffect } from '../../store/store.ts';
import type { Bend } from '../case.ts';
import { ALL_LAWS } from '../store/tables.ts';
import { github, type Mutant, store } from './mutant.ts';

function retryWithoutLooking(): Bend {
  return store(({ nextWork, finishEffect, postponeEffect }) => {
    const real = new Map<number, StoredEffect>();
    const known = (effect: StoredEffect): StoredEffect => real.get(effect.id) ?? effect;
    return {
      nextWork: async (claim, now) => {
        const work = await nextWork(claim, now);
        if (work?.kind !== 'effect') return work;
        real.set(work.effect.id, work.effect);
        return { kind: 'effect', effect: { ...work.effect, attempts: 1 } };
      },
      finishEffect: (effect, outcome, now, lease) => finishEffect(known(effect), outcome, now, lease),
      postponeEffect: (effect, delay) => postponeEffect(known(effect), delay),
    };
  });
}

/** Effects are kept in the process, and stored with the next decision. */
function effectsAfterTheStep(): Bend {
  return store(({ save }) => {
    let kept: readonly Effect[] = [];
    return {
      save: async (claim, signal, step, now) => {
        const effects = [...kept, ...step.effects];
        kept = effects.slice(-1);
        return save(claim, signal, { ...step, effects: effects.slice(0, -1) }, now);
      },
    };
  });
}

/** What is to be answered is taken for answered. */
function answersForgotten(): Bend {
  return store(({ nextWork, finishEffect }) => ({
    nextWork: async (claim, now) => {
      for (;;) {
        const work = await nextWork(claim, now);
        if (work?.kind !== 'effect' || work.effect.effect.type !== 'answer') return work;
        await finishEffect(work.effect, null, now);
      }
    },
  }));
}

/** Every effect that is given out is another one than is stored. */
function otherEffects(change: (effect: StoredEffect) => StoredEffect): Bend {
  return store(({ nextWork, claimEffect, save }) => ({
    nextWork: async (claim, now) => {
      const work = await nextWork(claim, now);
      return work?.kind === 'effect' ? { kind: 'effect', effect: change(work.effect) } : work;
    },
    claimEffect: async (worker, now, leaseMs) => {
      const effect = await claimEffect(worker, now, leaseMs);
      return effect && change(effect);
    },
    save: async (claim, signal, step, now, ending) => {
      const saved = await save(claim, signal, step, now, ending);
      return typeof saved === 'string' || saved.effect === null ? saved : { ...saved, effect: change(saved.effect) };
    },
  }));
}

function writesWhatever(): Bend {
  return {
    context: (context) => {
      const { githubs } = context;
      return { ...context, githubs: { ...githubs, for: (ref, rank) => githubs.for(ref, rank) } };
    },
  };
}

const plain = (body: string): string => body.replaceAll('\\', '').replaceAll('&lt;', '<').replaceAll('`', '');

/** How effects are performed and claims held, whoever dies meanwhile. */
export const PERFORMING: readonly Mutant[] = [
  { name: 'retry-without-looking', lacks: 'what may have happened is looked for first', bend: retryWithoutLooking },
  {
    name: 'comments-not-looked-for',
    lacks: 'a comment whose answer was lost is found again',
    bend: () => github(() => ({ findByMarker: async () => new Map() })),
  },
  {
    name: 'answers-not-looked-for',
    lacks: 'nobody is answered twice',
    bend: () => github(() => ({ wrote: async () => false })),
  },
  { name: 'answers-forgotten', lacks: 'whoever is to be answered is', bend: answersForgotten },
  {
    name: 'no-fencing',
    lacks: 'a former holder writes nothing',
    bend: () => ({ laws: { ...ALL_LAWS, fencing: false } }),
  },
  {
    name: 'dead-leases-hold',
    lacks: 'what a dead process held is free',
    bend: () => ({ laws: { ...ALL_LAWS, deadLeases: false } }),
  },
  {
    name: 'writes-past-its-lease',
    lacks: 'a process that hung past its lease writes nothing to GitHub',
    bend: writesWhatever,
  },
  {
    name: 'writes-after-a-cut',
    lacks: 'what the database may have forgotten of an attempt is not written',
    bend: () => store(() => ({ tenure: () => PERFORMING })),
  },
  {
    name: 'writes-ahead-of-the-disk',
    lacks: 'an attempt is on disk before it writes',
    bend: () => ({ laws: { ...ALL_LAWS, disk: false } }),
  },
  {
    name: 'limits-counted',
    lacks: 'tries that a limit stopped give nothing up',
    bend: () => ({ ...otherEffects((effect) => ({ ...effect, limited: 0 })), restless: true }),
  },
  { name: 'effects-after-the-step', lacks: 'a decision and its effects are saved together', bend: effectsAfterTheStep },
  {
    name: 'outcome-lost-on-repetition',
    lacks: 'what came of an effect is always heard',
    bend: () =>
      store(({ finishEffect }) => ({
        finishEffect: (effect, outcome, now, lease) =>
          finishEffect(effect, effect.attempts > 1 ? null : outcome, now, lease),
      })),
  },
  {
    name: 'earlier-runs-not-shown',
    lacks: 'the comment of a run says how it ended, also where the next one has begun',
    bend: () => store(() => ({ loadRun: async () => null })),
  },
  {
    name: 'failed-effects-forgotten',
    lacks: 'an effect that failed is tried again',
    bend: () =>
      store(({ finishEffect }) => ({
        postponeEffect: async (effect, { now }) => void (await finishEffect(effect, null, now)),
      })),
  },
  {
    name: 'reviews-not-released',
    lacks: 'a request for changes is taken back where nothing waits any more',
    bend: () => github(() => ({ dismissReview: async () => true })),
  },
  {
    name: 'threads-left-open',
    lacks: 'the thread of what is decided is resolved',
    bend: () => github(() => ({ resolveThread: async () => {} })),
  },
  {
    name: 'words-act',
    lacks: 'nothing that models or strangers wrote is Markdown',
    bend: () =>
      github(({ createComment, updateComment }) => ({
        createComment: (body) => createComment(plain(body)),
        updateComment: (comment, body) => updateComment(comment, plain(body)),
      })),
  },
];
