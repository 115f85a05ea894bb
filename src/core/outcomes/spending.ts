import { addUsage, endStep, type StepBuilder, startStep, withEffects, withRun } from '../actions/step-builder.ts';
import type { TokenUsage } from '../state/conversation.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

type ModelRespondedSignal = Extract<Signal, { type: 'model-responded' }>;

/**
 * Counts an answer of the current run, once: later responses have higher numbers. An answer to a run that has ended
 * meanwhile counts too.
 */
export function countAnswer(builder: StepBuilder, signal: ModelRespondedSignal): StepBuilder {
  const { run } = builder.pull;
  const { runId, turn, response } = signal;
  if (run === null || run.id !== runId || turn <= run.turns) return builder;
  return withRun(addUsage(builder, response.usage), { turns: turn });
}

/** Counts an answer that failed, if it cost anything. The run can have ended meanwhile. */
export function countFailedAnswer(
  builder: StepBuilder,
  { runId, cost = null }: { readonly runId: string; readonly cost?: TokenUsage | null },
): StepBuilder {
  const { run } = builder.pull;
  return cost === null || run?.id !== runId ? builder : addUsage(builder, cost);
}

/**
 * From now on fewer readings are sent, and the model is asked again. It can read everything again, also what it was
 * shown before.
 */
export function onReadingsCleared(pull: PullState, signal: Extract<Signal, { type: 'readings-cleared' }>): Step {
  const { runId, turn, clearedBefore, usage } = signal;
  const run = activeRun(pull);
  const isAwaited = run?.id === runId && run.phase.kind === 'awaiting-model' && run.phase.turn === turn;
  const counted = countFailedAnswer(startStep(pull), { runId, cost: usage });
  if (!isAwaited || clearedBefore <= run.clearedBefore) return endStep(counted, 'outdated-result');
  const cleared = withRun(counted, { clearedBefore, shownFiles: {} });
  return endStep(withEffects(cleared, { type: 'ask-model', runId, turn }), 'readings-cleared');
}
