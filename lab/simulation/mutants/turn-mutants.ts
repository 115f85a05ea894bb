import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import type { Run } from '../../../src/core/state/run.ts';
import { type Mutant, overridePulls, overrideSteps } from './mutant.ts';

/** Calls that are shown to people stay held, so that they are shown again with the next changes. */
function withShownCallsHeld(run: Run): Run {
  const shown = run.batch?.calls ?? [];
  const again = shown.flatMap(({ heldPath, status, ...call }) =>
    heldPath === null || status.kind !== 'proposed' ? [] : [{ ...call, path: heldPath }],
  );
  return again.length === 0 ? run : { ...run, heldCalls: again };
}

function withoutOutcomes(message: TranscriptMessage): TranscriptMessage {
  if (message.role !== 'user' || !message.content.startsWith('Results of the calls that were held')) return message;
  return { role: 'user', content: 'Results of the calls that were held, each as JSON:' };
}

/** Mistakes in held calls and results. */
export const TURN_MUTANTS: readonly Mutant[] = [
  {
    name: 'held-calls-shown-twice',
    brokenPromise: 'a held call is shown to people once',
    createOverrides: () =>
      overrideSteps((step) => {
        const { run } = step.pull;
        return run === null ? step : { ...step, pull: { ...step.pull, run: withShownCallsHeld(run) } };
      }),
  },
  {
    name: 'held-calls-lost',
    brokenPromise: 'a held call is kept until people see it',
    createOverrides: () => overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, heldCalls: [] } })),
  },
  {
    name: 'held-outcomes-missing',
    brokenPromise: 'the model gets the outcome of every held call',
    createOverrides: () => overrideSteps((step) => ({ ...step, messages: step.messages.map(withoutOutcomes) })),
  },
  {
    name: 'results-before-pushes',
    brokenPromise: 'the results of a run come with the note about each push before them',
    createOverrides: () => overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, unreadPushes: [] } })),
  },
];
