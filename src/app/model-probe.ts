import { type Model, ModelError } from '../core/step/model-port.ts';
import { endpointHost, type FailureLogOptions, FIXES } from './observed-requests.ts';
import type { Finding, Probe } from './probes.ts';

/** The only tool of the check. A model or server that takes no tools refuses it. */
export const CHECK_TOOL = {
  name: 'ready',
  description: 'Tell that you are ready.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
} as const;

/** The first two words tell a check from a task for those who count the endpoint's requests. */
const CHECK_MESSAGE = 'Countersign check: call the tool ready, or answer with one word.';

type ModelProbeOptions = Pick<FailureLogOptions, 'modelUp' | 'model' | 'baseUrl'> & {
  /** The endpoint with the check's tool alone. */
  readonly checked: Pick<Model, 'ask'>;
};

/** Asks the model one tiny question with one tool, as a run would ask. */
export function createModelProbe({ checked, modelUp, model, baseUrl }: ModelProbeOptions): Probe {
  const endpoint = endpointHost(baseUrl);
  return {
    name: 'the model',
    async run(stopping) {
      try {
        await checked.ask([{ role: 'user', content: CHECK_MESSAGE }], stopping, 'check', null);
        modelUp.set(1);
        return [{ level: 'ok', message: 'the model answers', fix: null, endpoint, model }];
      } catch (error) {
        if (!(error instanceof ModelError) || error.report === null) throw error;
        modelUp.set(0);
        const { failure, ...answer } = error.report;
        const finding: Finding = { level: 'wrong', message: 'the model cannot be used', fix: FIXES[failure] };
        return [{ ...finding, endpoint, model, failure, ...answer }];
      }
    },
  };
}
