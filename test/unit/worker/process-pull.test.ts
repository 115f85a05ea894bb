import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/adapters/store/engine/schema.ts';
import { createStore } from '../../../src/adapters/store/open.ts';
import type { Claim, Store } from '../../../src/adapters/store/store.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import type { Run } from '../../../src/core/state/run.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { type GitHubApp, GitHubError } from '../../../src/core/step/ports.ts';
import { deferralMs } from '../../../src/worker/handle-signal.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { processPullRequest } from '../../../src/worker/process-pull.ts';
import { NO_CLAIM, runEffect } from '../../../src/worker/run-effect.ts';
import { delivery, pullOf, refOf, run, step } from '../../contracts/store/samples.ts';
import { nextEffect, nextSignal, present } from '../../contracts/store/store-under-test.ts';
import { type BorrowedPglite, borrowPglite } from '../../support/borrowed-pglite.ts';
import { createWorkerContext } from './effects/worker-context.ts';

let pglite: BorrowedPglite;

let backend: Backend;

let store: Store;

beforeAll(async () => {
  pglite = await borrowPglite();
  backend = await pglite.open();
  store = createStore(backend);
});

afterAll(async () => {
  await store.close();
  pglite.giveBack();
});

const DAYS_LATER = 3 * 86_400_000;

/** A worker at this time (ms) with a GitHub that rejects every request with `status`. */
function failingContext(now: number, status: number): WorkerContext {
  const refuse = (): never => {
    throw new GitHubError('no', status, null);
  };
  return createWorkerContext(store, () => now, refuse);
}

/** Claims a pull request with an active run. */
async function claimWithRun(number: number, changed: Partial<Run>, effects: readonly Effect[] = []): Promise<Claim> {
  await store.receive(delivery(`begins ${number}`, number), 1);
  const claim = present(await store.claimPull(10, 1_000));
  const signal = present(await nextSignal(store, claim, 10));
  await store.save(claim, signal, step(pullOf(number, { run: run(`r${number}`, changed) }), { effects }), 10);
  return claim;
}

/** Claims the pull request again, ignoring those of other tests. */
async function claimAgain(number: number, now: number): Promise<Claim> {
  for (;;) {
    const claim = present(await store.claimPull(now, 1_000));
    if (claim.pullRequestKey === `1/2/${number}`) return claim;
  }
}

async function processClaimedPull(context: WorkerContext, claim: Claim): Promise<void> {
  await processPullRequest({ context, claim, stopping: new AbortController().signal, isLeased: () => true });
}

async function countDeadLetters(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from inbox where dead_lettered`.execute(
    backend.db,
  );
  return rows[0]?.count ?? 0;
}

async function countNewDeadLetters(context: WorkerContext, claim: Claim): Promise<number> {
  const before = await countDeadLetters();
  await processClaimedPull(context, claim);
  return (await countDeadLetters()) - before;
}

describe('a renamed repository', () => {
  it('is requested under its new name from the first comment on (F14)', async () => {
    const intent = delivery('renamed', 3).intent;
    const pull = { ...refOf(3), owner: 'acme', repo: 'store' };
    const claim = await claimWithRun(3, {});
    await store.receive({ id: 'renamed', intent: { ...intent, pull }, contentKey: null }, 11);
    const asked: PullRequestRef[] = [];
    const context = failingContext(100, 502);
    const githubApp: GitHubApp = {
      ...context.githubApp,
      forPull(ref) {
        asked.push(ref);
        return context.githubApp.forPull(ref);
      },
    };
    await processClaimedPull({ ...context, githubApp }, claim);
    expect(asked).toEqual([pull]);
    await store.releaseClaim(claim);
  });
});

describe('a deferred signal', () => {
  it.each([
    [0, 1_000],
    [3_000, 1_000],
    [60_000, 15_000],
    [3 * 86_400_000, 300_000],
  ])('after %i ms is handled again in %i ms', (waited, again) => {
    expect(deferralMs({ receivedAt: 500 }, 500 + waited)).toBe(again);
  });
});

describe('permanent refusals by GitHub', () => {
  it.each([
    [1, 403, [1]],
    [4, 502, [0, 0, 1]],
  ])(
    '%i: after days of %i a refused comment is a dead letter, after an outage only later (S87, R3)',
    async (number, status, counts) => {
      const claim = await claimWithRun(number, {});
      await store.receive(delivery(`retry ${number}`, number), 11);
      expect(await countNewDeadLetters(failingContext(100, status), claim)).toBe(0);
      for (const [index, count] of counts.entries()) {
        const now = DAYS_LATER + 100 + index * 5 * 60_000;
        expect(await countNewDeadLetters(failingContext(now, 403), await claimAgain(number, now))).toBe(count);
      }
    },
  );

  /** The signal of a commit effect that GitHub has refused for this long (ms), after a response with this status. */
  async function signalOfFailedCommit(number: number, waitedMs: number, status: number, retryAt: number | null) {
    const commit = { type: 'commit', runId: `r${number}`, proposalIds: ['p1'], location: null } as const;
    const claim = await claimWithRun(number, {}, [commit]);
    const stored = { ...present(await nextEffect(store, claim, 10)), attempts: 2, refusedSince: 10 };
    const refuse = (): never => {
      throw new GitHubError('no', status, retryAt);
    };
    const context = failingContext(waitedMs + 10, status);
    await runEffect({ ...context, store: { ...store, load: refuse } }, stored, new AbortController().signal, NO_CLAIM);
    const work = await store.nextWork(claim, waitedMs + 10);
    await store.releaseClaim(claim);
    return work?.kind === 'signal' ? work.signal.signal : null;
  }

  it.each([
    [11, 20, 404, null, null],
    [13, DAYS_LATER, 404, null, { type: 'access-lost', cause: 'unreachable' }],
    [14, DAYS_LATER, 403, null, { type: 'access-lost', cause: 'unreachable' }],
    [15, 20, 403, 1_000_000, null],
    [16, 20, 502, null, null],
  ] as const)(
    '%i: a commit refused for %i ms and a response of %i (S90b)',
    async (number, waitedMs, status, retryAt, signal) => {
      expect(await signalOfFailedCommit(number, waitedMs, status, retryAt)).toEqual(signal);
    },
  );

  it('the result of an effect is retried as long, and then the run ends instead of hanging (S78, S90b)', async () => {
    const effects = [{ type: 'post-proposals', runId: 'r2', turn: 1, proposalIds: [] }] as const;
    const claim = await claimWithRun(2, { phase: { kind: 'posting', turn: 1 } }, effects);
    const posted = {
      type: 'proposals-posted',
      runId: 'r2',
      turn: 1,
      proposals: [],
      reviews: [],
      unpostable: [],
    } as const;
    await store.finishEffect(present(await nextEffect(store, claim, 10)), posted, 11);
    expect(await countNewDeadLetters(failingContext(100, 404), claim)).toBe(0);
    const later = DAYS_LATER + 100;
    const again = await claimAgain(2, later);
    expect(present(await nextSignal(store, again, later)).signal).toEqual(posted);
    expect(await countNewDeadLetters(failingContext(later, 404), again)).toBe(1);
    const last = await claimAgain(2, later + 10_000);
    expect(present(await nextSignal(store, last, later + 10_000)).signal).toEqual({
      type: 'access-lost',
      cause: 'unreachable',
    });
    await store.releaseClaim(last);
  });
});
