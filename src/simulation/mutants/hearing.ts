import type { Store } from '../../store/store.ts';
import { GitHubFault } from '../../worker/ports.ts';
import type { Bend } from '../case.ts';
import { ALL_LAWS } from '../store/tables.ts';
import { github, type Mutant, otherPulls, store } from './mutant.ts';

/** Kept in the process until the next delivery comes. */
function answerBeforeStore(): Bend {
  return store(({ receive }) => {
    let kept: Parameters<Store['receive']>[0] = [];
    return {
      receive: async (deliveries, now) => {
        const late = kept;
        kept = deliveries;
        await receive(late, now);
        return deliveries.map(() => 'stored' as const);
      },
    };
  });
}

/** What went on when it was to catch up is not known later. */
function catchesUpWhileItGoesOn(): Bend {
  return store(({ nextWork }) => ({
    nextWork: async (claim, now) => {
      const work = await nextWork(claim, now);
      if (work?.kind !== 'effect' || work.effect.effect.type !== 'catch-up') return work;
      return { kind: 'effect', effect: { ...work.effect, effect: { ...work.effect.effect, since: null } } };
    },
  }));
}

/** Its refusals come without the time from which on another try may do better. */
function suspensionTakenForGood(): Bend {
  const forGood = (error: unknown): unknown =>
    error instanceof GitHubFault && error.status === 403 ? new GitHubFault(error.message, 403, null) : error;
  return {
    github: (given) =>
      new Proxy(given, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...words: unknown[]) =>
            Promise.resolve(Reflect.apply(method, target, words)).catch((error) => Promise.reject(forGood(error)));
        },
      }),
  };
}

/** What is heard, of people and of GitHub: deliveries, the log of those that were lost, and the App’s coming and going. */
export const HEARING: readonly Mutant[] = [
  { name: 'no-dedupe', lacks: 'a delivery is stored once', bend: () => ({ laws: { ...ALL_LAWS, dedupe: false } }) },
  { name: 'answer-before-store', lacks: 'a delivery is stored before it is answered', bend: answerBeforeStore },
  {
    name: 'sweep-takes-nothing',
    lacks: 'what no webhook told is found in GitHub’s log',
    bend: () => store(() => ({ knownDeliveries: async (ids) => new Set(ids) })),
  },
  {
    name: 'given-up-at-once',
    lacks: 'a fault that passes loses nobody’s words',
    bend: () =>
      store(({ parkSignal, postponeSignal }) => ({
        postponeSignal: (claim, signal, notBefore, failure) =>
          failure === null
            ? postponeSignal(claim, signal, notBefore, null)
            : parkSignal(
                claim,
                signal,
                { id: 'given-up', words: failure.words },
                { told: null, outcome: null },
                notBefore,
              ),
      })),
  },
  {
    name: 'lost-words-not-looked-for',
    lacks: 'what was said is heard before anything expires, even where its webhook was lost for good',
    bend: () => github(() => ({ saidSince: async () => [] })),
  },
  {
    name: 'removal-not-heard',
    lacks: 'what went on ends where the App is removed',
    bend: () => store(() => ({ tellAll: async () => 'stored' })),
  },
  {
    name: 'absence-not-heard',
    lacks: 'what was said while the App was suspended is heard as soon as it may act again',
    bend: () =>
      store(({ tellAll }) => ({
        tellAll: async (id, notice, now) => (notice.kind === 'unsuspended' ? 'stored' : tellAll(id, notice, now)),
      })),
  },
  {
    name: 'absence-of-ended-not-heard',
    lacks: 'what was said while the App was suspended is heard though its run has ended by then',
    bend: catchesUpWhileItGoesOn,
  },
  {
    name: 'absence-overlooked',
    lacks: 'no commit begins before what was said while the App was suspended is heard',
    bend: () => ({ ...store(() => ({ unheardUntil: async () => null })), restless: true }),
  },
  {
    name: 'notes-forgotten',
    lacks: 'what people say to a run is told the model',
    bend: () => otherPulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, notes: [] } })),
  },
  {
    name: 'suspended-taken-for-gone',
    lacks: 'a suspended installation is waited for',
    bend: suspensionTakenForGood,
  },
];
