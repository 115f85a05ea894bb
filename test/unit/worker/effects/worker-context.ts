import { SILENT_LOG } from '../../../../lab/shared/silent.ts';
import { NO_OPERATOR_SETTINGS } from '../../../../src/core/settings/operator-file.ts';
import type { Job } from '../../../../src/worker/jobs/job.ts';

export const refuse = (): never => {
  throw new Error('unexpected call');
};

/** A context at this time (ms) in which every request to GitHub and the model fails with `fault`. */
export function createWorkerContext(
  store: Job['context']['store'],
  now: () => number,
  fault: () => never = refuse,
): Job['context'] {
  return {
    store,
    githubApp: { forPull: fault, identity: fault },
    model: { ask: fault, answerQuestion: fault, maxRequestTokens: fault },
    clock: { now, every: () => () => {} },
    log: SILENT_LOG,
    self: { slug: 'countersign', botId: 1 },
    idKey: 'key',
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
    links: () => ({ repository: 'https://github.example/acme/shop' }),
    recordMetric() {},
  };
}
