import { describe, expect, it, vi } from 'vitest';
import { SILENT_LOG } from '../../../../lab/shared/silent.ts';
import { createMemoryStore } from '../../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../../lab/simulation/memory-store/tables.ts';
import { pullRequestKey as keyOf } from '../../../../src/core/state/pull-state.ts';
import { GitHubError, RateLimitExceededError } from '../../../../src/core/step/ports.ts';
import type { WorkerContext } from '../../../../src/worker/jobs/job.ts';
import { effectLog, knownPullFields, logRetry } from '../../../../src/worker/jobs/job-log.ts';
import { delivery, refOf } from '../../../contracts/store/samples.ts';

function context() {
  const store = createMemoryStore(createMemoryTables());
  const log = { ...SILENT_LOG, warn: vi.fn(), child: vi.fn(() => SILENT_LOG) };
  const worker: Pick<WorkerContext, 'store' | 'log'> = { store, log };
  return { store, log, worker };
}

const EFFECT = {
  ...{ id: 5, pullRequestKey: '1/2/7', attempts: 1, internalErrors: 0, refusedSince: null, requestedAt: '' },
  effect: { type: 'commit', runId: 'r', proposalIds: ['k7q2', 'm3x9'], location: null },
} as const;

const FIELDS = { run: 'r', proposal: 'k7q2 m3x9', effect: 'commit', effectId: 5 };

describe('the log of an effect (O12)', () => {
  it('asks the store once for the names of a pull request, as after a restart', async () => {
    const { store, log, worker } = context();
    await store.receive(delivery('a', 7), 1);
    const pullRequestKey = keyOf(refOf(7));
    const loadRef = vi.spyOn(store, 'loadRef');
    for (let time = 0; time < 2; time += 1) await effectLog(worker, { ...EFFECT, pullRequestKey });
    const { owner, repo, number } = refOf(7);
    expect(log.child).toHaveBeenLastCalledWith({ repo: `${owner}/${repo}`, pr: number, ...FIELDS });
    expect(loadRef).toHaveBeenCalledTimes(1);
  });

  it('has at least the number while the database is away', async () => {
    const { store, log, worker } = context();
    vi.spyOn(store, 'loadRef').mockRejectedValue(new Error('away'));
    await effectLog(worker, EFFECT);
    expect(log.child).toHaveBeenCalledWith({ pr: 7, ...FIELDS });
    expect(knownPullFields(worker, '1/2/7')).toEqual({ pr: 7 });
  });
});

describe('a failed attempt', () => {
  it('of an outage is logged once a minute for each kind of effect, any other each time (O13)', () => {
    const { log, worker } = context();
    const fail = (about: string, error: unknown): void =>
      logRetry(worker, { log, level: 'warn', message: 'effect failed, will retry', about }, error, { attempts: 1 });
    const linesOf = (...errors: readonly unknown[]): number => {
      log.warn.mockClear();
      for (const error of errors) for (const about of ['commit', 'commit', 'reply']) fail(about, error);
      return log.warn.mock.calls.length;
    };
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(linesOf(new GitHubError('down', 502, null), new GitHubError('reset', null, null), away)).toBe(2);
    expect(linesOf(new GitHubError('refused', 422, null))).toBe(3);
    expect(linesOf(new RateLimitExceededError(9))).toBe(3);
    expect(linesOf(new TypeError('a bug'))).toBe(3);
  });
});
