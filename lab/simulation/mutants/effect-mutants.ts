import type { StoredEffect } from '../../../src/adapters/store/store.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { ALL_INVARIANTS } from '../memory-store/tables.ts';
import { type Mutant, mutant, type Overrides, overrideGitHub, overrideStore } from './mutant.ts';

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
  mutant('blind-retry', 'a retry first checks whether the earlier attempt succeeded', retryBlindly),
  mutant('posted-comments-not-found', 'the App finds its posted comment if GitHub’s response was lost', () =>
    overrideGitHub(() => ({ findCommentsByMarker: async () => new Map() })),
  ),
  mutant('posted-replies-not-found', 'the App posts each reply once', () =>
    overrideGitHub(() => ({ hasPosted: async () => false })),
  ),
  mutant('replies-dropped', 'the App posts every reply that a decision requires', dropReplies),
  mutant('no-fencing', 'a worker that lost its claim saves nothing', () => ({
    invariants: { ...ALL_INVARIANTS, fencing: false },
  })),
  mutant('dead-leases-hold', 'the leases of a crashed process become free', () => ({
    invariants: { ...ALL_INVARIANTS, leasesEnd: false },
  })),
  mutant('writes-past-its-lease', 'a process whose lease expired writes nothing to GitHub', ignoreLeases),
  mutant('effects-after-the-step', 'a decision and its effects are saved in one transaction', saveEffectsLater),
  mutant('result-lost-on-retry', 'the result of an effect is processed even if the effect needed a retry', () =>
    overrideStore(({ finishEffect }) => ({
      finishEffect: (effect, outcome, now) => finishEffect(effect, effect.attempts > 1 ? null : outcome, now),
    })),
  ),
  mutant(
    'earlier-runs-not-updated',
    'the comment of a run shows how the run ended, even after the next run has started',
    () => overrideStore(() => ({ loadRun: async () => null })),
  ),
  mutant('failed-effects-dropped', 'a failed effect is retried', () =>
    overrideStore(({ finishEffect }) => ({
      postponeEffect: async (effect, { now }) => void (await finishEffect(effect, null, now)),
    })),
  ),
  mutant('reviews-not-released', 'the App dismisses its request for changes when no proposal is pending', () =>
    overrideGitHub(({ fetchSettingsFile }) => ({
      dismissReview: async () => true,
      fetchSettingsFile: async () =>
        (await fetchSettingsFile()) ?? { kind: 'file', bytes: Buffer.from('review_event: request-changes\n') },
    })),
  ),
  mutant('threads-left-open', 'the thread of a decided proposal is resolved', () =>
    overrideGitHub(() => ({ closeThread: async () => 'refused', resolveThread: async () => {} })),
  ),
  mutant('active-markdown', 'text from models or strangers is never active Markdown', () =>
    overrideGitHub(({ createComment, updateComment }) => ({
      createComment: (body) => createComment(stripEscapes(body)),
      updateComment: (comment, body) => updateComment(comment, stripEscapes(body)),
    })),
  ),
];
