import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import type { EffectRetry, Store, StoredEffect } from '../../../src/adapters/store/store.ts';
import { GitHubError, RateLimitExceededError } from '../../../src/core/step/ports.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { NO_CLAIM, runEffect } from '../../../src/worker/run-effect.ts';
import { createWorkerContext } from './effects/worker-context.ts';
import { openVirtualApp } from './virtual-app.ts';

/** A process that hangs before its first write to GitHub until its lease has ended; another process makes the write. */
function hangBeforeFirstWrite(context: WorkerContext): WorkerContext {
  const { store } = context;
  let answering: StoredEffect | null = null;
  let hung = false;
  return {
    ...context,
    store: {
      ...store,
      async nextWork(claim, now) {
        const work = await store.nextWork(claim, now);
        if (work?.kind === 'effect' && work.effect.effect.type === 'reply') answering ??= work.effect;
        return work;
      },
      async loadRef(pullKey) {
        if (answering !== null && !hung) {
          hung = true;
          const late = { ...NO_CLAIM, isLeased: () => false };
          await runEffect(context, answering, new AbortController().signal, late);
        }
        return store.loadRef(pullKey);
      },
    },
  };
}

it('a process that hung past its lease writes nothing, because another process might have taken over (G7)', async () => {
  const app = openVirtualApp({ wrapContext: hangBeforeFirstWrite });
  const pull = app.installedFor('acme').opens();
  pull.person('ana', 'write').says('/countersign /help');
  await app.runUntilIdle();
  expect(pull.appComments()).toHaveLength(1);
  expect(app.violations).toEqual([]);
});

/** How a commit requested an hour ago is postponed after a GitHub error. */
async function postponedCommits(error: GitHubError): Promise<readonly EffectRetry[]> {
  const delays: EffectRetry[] = [];
  const nothing = (): never => {
    throw error;
  };
  const store: Store = {
    ...createMemoryStore(createMemoryTables()),
    load: nothing,
    postponeEffect: async (_effect, delay) => void delays.push(delay),
  };
  const context = createWorkerContext(store, () => 3_600_000, nothing);
  const effect = { type: 'commit', runId: 'r', proposalIds: ['p1'], location: null } as const;
  const requestedAt = new Date(0).toISOString();
  const stored: StoredEffect = {
    id: 1,
    pullRequestKey: '1/2/1',
    effect,
    attempts: 3,
    internalErrors: 0,
    refusedSince: null,
    requestedAt,
  };
  await runEffect(context, stored, new AbortController().signal, NO_CLAIM);
  return delays;
}

it.each([
  ['an outage', new GitHubError('down', 502, null)],
  ['a suspension of the App', new GitHubError('suspended', 403, 3_660_000)],
])('a commit delayed by %s is postponed together with its notice (S87)', async (_, error) => {
  expect(await postponedCommits(error)).toMatchObject([{ signal: { type: 'commit-delayed', proposalIds: ['p1'] } }]);
});

it('a rate limit, which would delay the notice too, is waited for without one', async () => {
  expect(await postponedCommits(new RateLimitExceededError(3_660_000))).toMatchObject([{ signal: null }]);
});
