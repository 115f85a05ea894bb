import type { FileWrite } from '../policy/countersigned.ts';
import type { Effect } from '../run/effect.ts';
import type { Write } from '../run/proposal.ts';
import type { Step } from '../run/step.ts';
import { tipOf } from '../simulator/world/lookup.ts';
import { DELIVERIES_MS } from '../store/prune.ts';
import type { Store, StoredEffect } from '../store/store.ts';
import { type GitHub, GitHubFault } from '../worker/ports.ts';
import type { Bend } from './case.ts';
import { standingOf } from './github/port.ts';
import { BRANCH } from './scene.ts';
import { ALL_LAWS } from './store/tables.ts';

/** A mistake that the product must not make, put in its place on purpose: the simulation has to notice it. */
export type Mutant = { readonly name: string; readonly lacks: string; readonly bend: () => Bend };

/** A store with some methods replaced. */
function store(change: (store: Store) => Partial<Store>): Bend {
  return { store: (given) => ({ ...given, ...change(given) }) };
}

function github(change: (...given: Parameters<NonNullable<Bend['github']>>) => Partial<GitHub>): Bend {
  return { github: (given, hub, scene) => ({ ...given, ...change(given, hub, scene) }) };
}

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

/** What is told of each change in a commit is told otherwise. */
function otherWrites(change: (writes: readonly Write[]) => readonly Write[]): Bend {
  const changed = (step: Step): Step => ({ ...step, writes: change(step.writes) });
  return store(({ save, saveDirect }) => ({
    save: (claim, signal, step, now) => save(claim, signal, changed(step), now),
    saveDirect: (claim, signal, step, now) => saveDirect(claim, signal, changed(step), now),
  }));
}

function permissionRemembered(): Bend {
  const known = new Map<string, ReturnType<GitHub['permission']>>();
  return github(({ permission }) => ({
    permission: (login) => {
      const found = known.get(login) ?? permission(login);
      known.set(login, found);
      return found;
    },
  }));
}

function treeRemembered(): Bend {
  let known: ReturnType<GitHub['tree']> | null = null;
  return github(({ tree }) => ({ tree: (sha) => (known ??= tree(sha)) }));
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

const plain = (body: string): string => body.replaceAll('\\', '').replaceAll('&lt;', '<').replaceAll('`', '');

function withBlankLine(file: FileWrite): FileWrite {
  const { content } = file;
  if (content.kind !== 'bytes') return file;
  return { ...file, content: { kind: 'bytes', bytes: Buffer.concat([content.bytes, Buffer.from('\n')]) } };
}

/** All of them, each with the promise that it breaks. */
export const MUTANTS: readonly Mutant[] = [
  { name: 'no-dedupe', lacks: 'a delivery is stored once', bend: () => ({ laws: { ...ALL_LAWS, dedupe: false } }) },
  { name: 'answer-before-store', lacks: 'a delivery is stored before it is answered', bend: answerBeforeStore },
  {
    name: 'sweep-takes-nothing',
    lacks: 'what no webhook told is found in GitHub’s log',
    bend: () => store(() => ({ knownDeliveries: async (ids) => new Set(ids) })),
  },
  {
    name: 'no-compare-and-swap',
    lacks: 'a commit is bound to the head that was checked',
    bend: () =>
      github(({ commit }, hub, scene) => ({
        commit: (plan) =>
          commit({ ...plan, expectedHead: tipOf(standingOf(hub, scene).repository, BRANCH) ?? plan.expectedHead }),
      })),
  },
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
    name: 'deny-ignored-after-approve',
    lacks: 'what was said first is heard before an attempt begins',
    bend: () => ({
      laws: { ...ALL_LAWS, guard: false },
      ...store(() => ({ heldUntil: async () => null })),
    }),
  },
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
    name: 'failed-effects-forgotten',
    lacks: 'an effect that failed is tried again',
    bend: () =>
      store(({ finishEffect }) => ({
        postponeEffect: async (effect, { now }) => void (await finishEffect(effect, null, now)),
      })),
  },
  {
    name: 'everybody-may-decide',
    lacks: 'only who may write decides',
    bend: () =>
      github(({ permission }) => ({
        permission: async (login) => ({ ...(await permission(login)), permission: 'write' }),
      })),
  },
  {
    name: 'forks-overlooked',
    lacks: 'a branch in a fork is never written to',
    bend: () => github(({ pull }) => ({ pull: async () => ({ ...(await pull()), fork: false }) })),
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
    name: 'suspended-taken-for-gone',
    lacks: 'a suspended installation is waited for',
    bend: suspensionTakenForGood,
  },
  {
    name: 'nothing-forgotten',
    lacks: 'words are forgotten in time',
    bend: () => store(() => ({ prune: async () => false })),
  },
  {
    name: 'forgotten-too-soon',
    lacks: 'what was heard is known for thirty days',
    bend: () => store(({ prune }) => ({ prune: (now) => prune(now + DELIVERIES_MS) })),
  },
  {
    name: 'ledger-forgotten',
    lacks: 'the ledger stays when words go',
    bend: () => ({ laws: { ...ALL_LAWS, ledger: false } }),
  },
  { name: 'permission-remembered', lacks: 'permissions are read again before a commit', bend: permissionRemembered },
  { name: 'tree-remembered', lacks: 'the files are those of the head', bend: treeRemembered },
  {
    name: 'other-bytes',
    lacks: 'the bytes of a commit are those that were approved',
    bend: () =>
      github(({ commit }) => ({ commit: (plan) => commit({ ...plan, files: plan.files.map(withBlankLine) }) })),
  },
  { name: 'writes-forgotten', lacks: 'the ledger has every commit', bend: () => otherWrites(() => []) },
  {
    name: 'first-approver-only',
    lacks: 'the ledger has everybody who approved',
    bend: () => otherWrites((writes) => writes.map((write) => ({ ...write, approvers: write.approvers.slice(0, 1) }))),
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
