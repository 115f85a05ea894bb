import { SILENT_LOG } from '../../../../lab/shared/silent.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { NO_OPERATOR_SETTINGS } from '../../../../src/core/settings/operator-file.ts';
import type { PullState } from '../../../../src/core/state/pull-state.ts';
import type { Job } from '../../../../src/worker/jobs/job.ts';

export const refuse = (): never => {
  throw new Error('unexpected call');
};

/** A context in which an effect can only load this pull request and read the clock (ms). */
export function createWorkerContext(pull: PullState, now: number): Job['context'] {
  const store: Pick<Store, 'load'> = { load: async () => pull };
  return {
    store: Object.assign(Object.create(null), store),
    githubApp: { forPull: refuse, identity: refuse },
    model: { ask: refuse, answerQuestion: refuse, maxRequestTokens: refuse },
    clock: { now: () => now, every: refuse },
    log: SILENT_LOG,
    self: { slug: 'countersign', botId: 1 },
    idKey: 'key',
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
    links: refuse,
    recordMetric() {},
  };
}
