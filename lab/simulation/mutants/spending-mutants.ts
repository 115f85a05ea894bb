import { CLEARED_OUTPUT } from '../../../src/core/agent/clear-readings.ts';
import type { OperatorSettings } from '../../../src/core/settings/operator-file.ts';
import type { TokenUsage, TranscriptMessage } from '../../../src/core/state/conversation.ts';
import type { Run } from '../../../src/core/state/run.ts';
import { addTokens } from '../../../src/core/state/spending.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { REFUSED_USAGE } from '../world/random-model.ts';
import { type Mutant, overridePulls, overrideSteps, overrideStore } from './mutant.ts';

/** Clears every result before the last cleared one, also those that say how people decided. */
function clearAll(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const last = messages.findLastIndex(({ content }) => content === CLEARED_OUTPUT);
  return messages.map((message, index) =>
    index < last && message.role === 'tool' ? { ...message, content: CLEARED_OUTPUT } : message,
  );
}

function withoutTokenLimit(run: Run): Run {
  return { ...run, settings: { ...run.settings, limits: { ...run.settings.limits, tokens: 1_000_000 } } };
}

function withUsage(step: Step, usage: TokenUsage): Step {
  const { run } = step.pull;
  return run === null
    ? step
    : { ...step, pull: { ...step.pull, run: { ...run, spending: { ...run.spending, usage } } } };
}

function withoutCachedPrices(settings: OperatorSettings): OperatorSettings {
  const prices = [...settings.prices].map(([model, price]) => [model, { ...price, cachedInput: price.input }] as const);
  return { ...settings, prices: new Map(prices) };
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
        return withUsage(
          step,
          addTokens(run.spending.usage, { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 }),
        );
      }),
  },
  {
    name: 'refusal-uncounted',
    brokenPromise: 'a refused request is counted, also where readings are cleared after it',
    createOverrides: () =>
      overrideSteps((step) => {
        const { run } = step.pull;
        if (run === null || step.reason !== 'readings-cleared') return step;
        const { usage } = run.spending;
        return withUsage(step, { ...usage, inputTokens: Math.max(0, usage.inputTokens - REFUSED_USAGE.inputTokens) });
      }),
  },
  {
    name: 'limit-ignored-after-resume',
    brokenPromise: 'a resumed run has its limits again',
    createOverrides: () => ({
      ...overridePulls((pull) => (pull.run?.lastResumption ? { ...pull, run: withoutTokenLimit(pull.run) } : pull)),
      limitsOften: true,
    }),
  },
  {
    name: 'day-limit-not-counted',
    brokenPromise: 'no more runs start within a day than the settings allow',
    createOverrides: () => ({
      ...overrideStore(({ save }) => ({
        findReachedRunLimit: async () => null,
        save: (claim, signal, step, now) => save(claim, signal, { ...step, runStart: null }, now),
      })),
      limitsOften: true,
    }),
  },
  {
    name: 'resumption-not-counted',
    brokenPromise: 'a run whose limits begin anew counts like a start',
    createOverrides: () => ({
      ...overrideSteps((step) => (step.reason === 'resumed' ? { ...step, runStart: null } : step)),
      limitsOften: true,
    }),
  },
  {
    name: 'cached-price-ignored',
    brokenPromise: 'cached tokens cost what the operator says',
    createOverrides: () => ({
      context: (context) => ({ ...context, operatorSettings: () => withoutCachedPrices(context.operatorSettings()) }),
    }),
  },
];
