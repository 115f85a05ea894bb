import type { Store } from '../../../src/adapters/store/store.ts';
import { GitHubError } from '../../../src/core/step/ports.ts';
import { ALL_INVARIANTS } from '../memory-store/tables.ts';
import { type Mutant, mutant, type Overrides, overrideStore } from './mutant.ts';

/** A delivery stays in memory until the next one arrives. */
function acknowledgeBeforeStoring(): Overrides {
  return overrideStore(({ receive }) => {
    let delayed: Parameters<Store['receive']>[0] | null = null;
    return {
      receive: async (delivery, now) => {
        const previous = delayed;
        delayed = delivery;
        if (previous !== null) await receive(previous, now);
        return 'stored';
      },
    };
  });
}

/** A refusal during a suspension has no retry time. */
function treatSuspensionAsPermanent(): Overrides {
  const withoutRetryTime = (error: unknown): unknown =>
    error instanceof GitHubError && error.status === 403 ? new GitHubError(error.message, 403, null) : error;
  return {
    github: (github) =>
      new Proxy(github, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) =>
            Promise.resolve(Reflect.apply(method, target, args)).catch((error) =>
              Promise.reject(withoutRetryTime(error)),
            );
        },
      }),
  };
}

/** Mistakes in receiving deliveries, recovering lost ones, and following suspensions and removals. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  mutant('no-dedupe', 'a delivery that GitHub repeats is stored once', () => ({
    invariants: { ...ALL_INVARIANTS, dedupe: false },
  })),
  mutant('acknowledged-before-stored', 'a delivery is stored before it is acknowledged', acknowledgeBeforeStoring),
  mutant('recovery-takes-nothing', 'recovery finds lost webhooks in GitHub’s delivery log', () =>
    overrideStore(() => ({ findKnownDeliveries: async (ids) => new Set(ids) })),
  ),
  mutant('given-up-at-once', 'a temporary fault moves no comment to the dead letters', () =>
    overrideStore(({ deadLetterSignal, postponeSignal }) => ({
      postponeSignal: (claim, signal, notBefore, failure) =>
        failure === null
          ? postponeSignal(claim, signal, notBefore, null)
          : deadLetterSignal(
              claim,
              signal,
              { id: 'given-up', errorText: failure.error },
              { reply: null, signal: null },
              notBefore,
            ),
    })),
  ),
  mutant('uninstall-ignored', 'runs end when the App is uninstalled', () =>
    overrideStore(() => ({ broadcastToPulls: async () => 'stored' })),
  ),
  mutant('suspension-forgotten', 'approvals from before the end of a suspension start no commit attempt', () => ({
    // The check needs the event, so it is stored for no repository.
    ...overrideStore(({ broadcastToPulls }) => ({
      broadcastToPulls: (id, event, now) =>
        broadcastToPulls(id, event.kind === 'unsuspended' ? { ...event, repositoryIds: [] } : event, now),
    })),
    habits: ['suspend'],
  })),
  mutant(
    'suspension-treated-as-uninstall',
    'a suspended installation keeps its runs until the suspension ends',
    treatSuspensionAsPermanent,
  ),
];
