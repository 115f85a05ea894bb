import type { StoredEffect } from '../../../src/adapters/store/store.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { ALL_INVARIANTS } from '../memory-store/tables.ts';
import { type Mutant, type Overrides, overrideGitHub, overrideStore } from './mutant.ts';

function retryBlindly(): Overrides {
  return overrideStore(({ nextWork, finishEffect, postponeEffect }) => {
    const storedEffects = new Map<number, StoredEffect>();
    const unchanged = (effect: StoredEffect): StoredEffect => storedEffects.get(effect.id) ?? effect;
    return {
      nextWork: async (claim, now) => {
        const work = await nextWork(claim, now);
        if (work?.kind !== 'effect') return work;
        storedEffects.set(work.effect.id, work.effect);
        return { kind: 'effect', effect: { ...work.effect, attempts: 1 } };
      },
      finishEffect: (effect, outcome, now) => finishEffect(unchanged(effect), outcome, now),
      postponeEffect: (effect, delay) => postponeEffect(unchanged(effect), delay),
    };
  });
}

/** The last effect of each step stays in memory and is stored with the next step. */
function saveEffectsLater(): Overrides {
  return overrideStore(({ save }) => {
    let delayed: readonly Effect[] = [];
    return {
      save: async (claim, signal, step, now) => {
        const effects = [...delayed, ...step.effects];
        delayed = effects.slice(-1);
        return save(claim, signal, { ...step, effects: effects.slice(0, -1) }, now);
      },
    };
  });
}

/** Replies are marked as done without being posted. */
function dropReplies(): Overrides {
  return overrideStore(({ nextWork, finishEffect }) => ({
    nextWork: async (claim, now) => {
      for (;;) {
        const work = await nextWork(claim, now);
        if (work?.kind !== 'effect' || work.effect.effect.type !== 'reply') return work;
        await finishEffect(work.effect, null, now);
      }
    },
  }));
}

function ignoreLeases(): Overrides {
  return {
    context: (context) => {
      const { githubApp } = context;
      return { ...context, githubApp: { ...githubApp, forPull: (ref) => githubApp.forPull(ref) } };
    },
  };
}

const stripEscapes = (body: string): string => body.replaceAll('\\', '').replaceAll('&lt;', '<').replaceAll('`', '');

/** Mistakes in effects, claims and leases. */
export const EFFECT_MUTANTS: readonly Mutant[] = [
  {
    name: 'blind-retry',
    brokenPromise: 'a retry first checks whether the earlier attempt succeeded',
    createOverrides: retryBlindly,
  },
  {
    name: 'posted-comments-not-found',
    brokenPromise: 'the App finds its posted comment if GitHub’s response was lost',
    createOverrides: () => overrideGitHub(() => ({ findCommentsByMarker: async () => new Map() })),
  },
  {
    name: 'posted-replies-not-found',
    brokenPromise: 'the App posts each reply once',
    createOverrides: () => overrideGitHub(() => ({ hasPosted: async () => false })),
  },
  {
    name: 'replies-dropped',
    brokenPromise: 'the App posts every reply that a decision requires',
    createOverrides: dropReplies,
  },
  {
    name: 'no-fencing',
    brokenPromise: 'a worker that lost its claim saves nothing',
    createOverrides: () => ({ invariants: { ...ALL_INVARIANTS, fencing: false } }),
  },
  {
    name: 'dead-leases-hold',
    brokenPromise: 'the leases of a crashed process become free',
    createOverrides: () => ({ invariants: { ...ALL_INVARIANTS, leasesEnd: false } }),
  },
  {
    name: 'writes-past-its-lease',
    brokenPromise: 'a process whose lease expired writes nothing to GitHub',
    createOverrides: ignoreLeases,
  },
  {
    name: 'effects-after-the-step',
    brokenPromise: 'a decision and its effects are saved in one transaction',
    createOverrides: saveEffectsLater,
  },
  {
    name: 'result-lost-on-retry',
    brokenPromise: 'the result of an effect is processed even if the effect needed a retry',
    createOverrides: () =>
      overrideStore(({ finishEffect }) => ({
        finishEffect: (effect, outcome, now) => finishEffect(effect, effect.attempts > 1 ? null : outcome, now),
      })),
  },
  {
    name: 'earlier-runs-not-updated',
    brokenPromise: 'the comment of a run shows how the run ended, even after the next run has started',
    createOverrides: () => overrideStore(() => ({ loadRun: async () => null })),
  },
  {
    name: 'failed-effects-dropped',
    brokenPromise: 'a failed effect is retried',
    createOverrides: () =>
      overrideStore(({ finishEffect }) => ({
        postponeEffect: async (effect, { now }) => void (await finishEffect(effect, null, now)),
      })),
  },
  {
    name: 'reviews-not-released',
    brokenPromise: 'the App dismisses its request for changes when no proposal is pending',
    createOverrides: () =>
      overrideGitHub(({ fetchSettingsFile }) => ({
        dismissReview: async () => true,
        fetchSettingsFile: async () =>
          (await fetchSettingsFile()) ?? { kind: 'file', bytes: Buffer.from('review_event: request-changes\n') },
      })),
  },
  {
    name: 'threads-left-open',
    brokenPromise: 'the thread of a decided proposal is resolved',
    createOverrides: () => overrideGitHub(() => ({ resolveThread: async () => {} })),
  },
  {
    name: 'active-markdown',
    brokenPromise: 'text from models or strangers is never active Markdown',
    createOverrides: () =>
      overrideGitHub(({ createComment, updateComment }) => ({
        createComment: (body) => createComment(stripEscapes(body)),
        updateComment: (comment, body) => updateComment(comment, stripEscapes(body)),
      })),
  },
];
