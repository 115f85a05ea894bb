import { describe, expect, it } from 'vitest';
import { performEffect } from '../../../../src/worker/effects/perform.ts';
import type { Job } from '../../../../src/worker/jobs/job.ts';
import { posted, pullOf, run } from '../../../contracts/store/samples.ts';
import { createWorkerContext, refuse } from './worker-context.ts';

const AT = '2030-01-08T12:00:00.000Z';

const NOW = Date.parse(AT);

const pending = pullOf(1, { run: run('r'), proposals: [posted('p1', 'r', 71)] });

/** A job that checks the deadlines of a pull request. */
function createExpiryJob(): Job<'check-deadlines'> {
  const effect = { type: 'check-deadlines', at: AT, requestedAt: AT } as const;
  const stored = {
    id: 1,
    pullRequestKey: '1/2/1',
    effect,
    attempts: 1,
    internalErrors: 0,
    refusedSince: null,
    requestedAt: AT,
  };
  return {
    context: createWorkerContext(Object.assign(Object.create(null), { load: async () => pending }), () => NOW),
    ...{ stored, effect, attempts: 1, stopping: new AbortController().signal },
    decideNow: refuse,
    pendingCommentsDueAt: async () => null,
  };
}

describe('an expiry', () => {
  it('waits for pending comments (S85)', async () => {
    const job = createExpiryJob();
    const decidable = { ...job, decideNow: async () => pending };
    expect(await performEffect(decidable)).toEqual({ kind: 'done', signal: null });
    const withComments = { ...decidable, pendingCommentsDueAt: async () => NOW + 5_000 };
    expect(await performEffect(withComments)).toMatchObject({ kind: 'retry', retryAt: NOW + 5_000 });
    expect(await performEffect({ ...job, decideNow: async () => null })).toMatchObject({
      kind: 'retry',
      retryAt: NOW + 100,
    });
  });
});
