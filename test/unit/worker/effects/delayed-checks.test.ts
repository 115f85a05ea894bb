import { describe, expect, it } from 'vitest';
import type { PullState } from '../../../../src/core/state/pull-state.ts';
import type { Effect } from '../../../../src/core/step/effects.ts';
import { checkDeadlines, expireProposals } from '../../../../src/worker/effects/delayed-checks.ts';
import type { Job } from '../../../../src/worker/jobs/job.ts';
import { posted, pullOf, run } from '../../../contracts/store/samples.ts';
import { createWorkerContext, refuse } from './worker-context.ts';

const AT = '2030-01-08T12:00:00.000Z';

const NOW = Date.parse(AT);

/** A job that runs `lateMs` after the deadline by our clock, with GitHub's clock `skewMs` ahead of ours. */
function createJob(pull: PullState, lateMs: number, skewMs: number): Job<'check-deadlines'> {
  const effect: Effect = { type: 'check-deadlines', at: AT, requestedAt: '2030-01-01T12:00:00.000Z' };
  const stored = {
    id: 1,
    pullRequestKey: '1/2/1',
    effect,
    attempts: 1,
    waitingAttempts: 0,
    internalErrors: 0,
    requestedAt: AT,
  };
  return {
    context: createWorkerContext(pull, NOW + lateMs, skewMs),
    ...{ stored, effect, attempts: 1, stopping: new AbortController().signal },
    decideNow: refuse,
    pendingCommentsDueAt: async () => null,
  };
}

const pending = pullOf(1, { run: run('r'), proposals: [posted('p1', 'r', 71)] });

const reached = { kind: 'done', signal: { type: 'deadline-reached' } };

/** A job that expires the proposals of a pull request. */
function createExpiryJob(): Job<'expire-proposals'> {
  const { context, stored, attempts, stopping, decideNow, pendingCommentsDueAt } = createJob(pending, 0, 0);
  const effect = { type: 'expire-proposals' } as const;
  return { context, stored: { ...stored, effect }, effect, attempts, stopping, decideNow, pendingCommentsDueAt };
}

describe('checkDeadlines', () => {
  it('uses GitHub’s clock instead of ours (F19, S85)', async () => {
    expect(await checkDeadlines(createJob(pending, 0, 0))).toEqual(reached);
    expect(await checkDeadlines(createJob(pending, -600_000, 600_000))).toEqual(reached);
    expect(await checkDeadlines(createJob(pending, 0, -600_000))).toMatchObject({
      kind: 'retry',
      retryAt: NOW + 600_000,
    });
  });

  it('does nothing without a pending proposal (S85)', async () => {
    expect(await checkDeadlines(createJob({ ...pending, proposals: [] }, 0, 0))).toEqual({
      kind: 'done',
      signal: null,
    });
  });
});

describe('expireProposals', () => {
  it('waits for pending comments (S85)', async () => {
    const job = createExpiryJob();
    const decidable = { ...job, decideNow: async () => pending };
    expect(await expireProposals(decidable)).toEqual({ kind: 'done', signal: null });
    const withComments = { ...decidable, pendingCommentsDueAt: async () => NOW + 5_000 };
    expect(await expireProposals(withComments)).toMatchObject({ kind: 'retry', retryAt: NOW + 5_000 });
    expect(await expireProposals({ ...job, decideNow: async () => null })).toMatchObject({
      kind: 'retry',
      retryAt: NOW + 100,
    });
  });
});
