import { addUsage, endStep, type StepBuilder, startStep, withEffects, withRun } from '../actions/step-builder.ts';
import { measureAnswer } from '../agent/clear-readings.ts';
import type { TokenUsage } from '../state/conversation.ts';
import { activeRun, type PullState } from '../state/run.ts';
import type { Signal } from '../state/signals.ts';
import type { Step } from '../state/step.ts';

type ModelRespondedSignal = Extract<Signal, { type: 'model-responded' }>;

/**
 * Counts an answer of the current run, once: later responses have higher numbers. An answer to a run that has ended
 * meanwhile counts too.
 */
export function countAnswer(builder: StepBuilder, signal: ModelRespondedSignal): StepBuilder {
  const { run } = builder.pull;
  const { runId, turn, response, estimatedTokens = 0, scarceRoom = null } = signal;
  if (run === null || run.id !== runId || turn <= run.turns) return builder;
  const { counted, isEstimated, context } = measureAnswer(run.modelContext, { estimatedTokens, scarceRoom }, response);
  return withRun(addUsage(builder, counted), {
    turns: turn,
    spending: { ...run.spending, isEstimated: run.spending.isEstimated || isEstimated },
    modelContext: context,
  });
}

/** Counts an answer that failed, if the endpoint counted it. The run can have ended meanwhile. */
export function countFailedAnswer(
  builder: StepBuilder,
  { runId, usage }: { readonly runId: string; readonly usage?: TokenUsage | null },
): StepBuilder {
  return !usage || builder.pull.run?.id !== runId ? builder : addUsage(builder, usage);
}

/**
 * From now on fewer readings are sent, and the model is asked again. It can read everything again, also what it was
 * shown before.
 */
export function onReadingsCleared(pull: PullState, signal: Extract<Signal, { type: 'readings-cleared' }>): Step {
  const { runId, turn, modelContext } = signal;
  const run = activeRun(pull);
  const isAwaited = run?.id === runId && run.phase.kind === 'awaiting-model' && run.phase.turn === turn;
  const counted = countFailedAnswer(startStep(pull), signal);
  if (!isAwaited || modelContext.clearedBefore <= run.modelContext.clearedBefore)
    return endStep(counted, 'outdated-result');
  const cleared = withRun(counted, { modelContext, shownFiles: {} });
  return endStep(withEffects(cleared, { type: 'ask-model', runId, turn }), 'readings-cleared');
}
