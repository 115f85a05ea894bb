import { CLEARED_OUTPUT } from '../../../src/core/agent/clear-readings.ts';
import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import { addTokens } from '../../../src/core/state/spending.ts';
import { REFUSED_USAGE } from '../world/random-model.ts';
import { type Mutant, overrideSteps } from './mutant.ts';

/** Clears every result before the last cleared one, also those that say how people decided. */
function clearAll(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const last = messages.findLastIndex(({ content }) => content === CLEARED_OUTPUT);
  return messages.map((message, index) =>
    index < last && message.role === 'tool' ? { ...message, content: CLEARED_OUTPUT } : message,
  );
}

/** Mistakes in what is sent to the model, and in what it costs. */
export const SPENDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'decisions-cleared',
    brokenPromise: 'only results of readings are cleared',
    createOverrides: () => ({
      context: (context) => ({
        ...context,
        model: { ...context.model, ask: (messages, ...more) => context.model.ask(clearAll(messages), ...more) },
      }),
    }),
  },
  {
    name: 'answer-counted-twice',
    brokenPromise: 'the tokens of an answer are counted once',
    createOverrides: () =>
      overrideSteps((step) => {
        const { run } = step.pull;
        if (run === null || step.reason !== 'tools-requested') return step;
        const usage = addTokens(run.usage, { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 });
        return { ...step, pull: { ...step.pull, run: { ...run, usage } } };
      }),
  },
  {
    name: 'refusal-uncounted',
    brokenPromise: 'a refused request is counted, also where readings are cleared after it',
    createOverrides: () =>
      overrideSteps((step) => {
        const { run } = step.pull;
        if (run === null || step.reason !== 'readings-cleared') return step;
        const inputTokens = Math.max(0, run.usage.inputTokens - REFUSED_USAGE.inputTokens);
        return { ...step, pull: { ...step.pull, run: { ...run, usage: { ...run.usage, inputTokens } } } };
      }),
  },
];
