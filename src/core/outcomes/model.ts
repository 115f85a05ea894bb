import { endRun } from '../actions/end-run.ts';
import {
  addUsage,
  appendMessages,
  endStep,
  noop,
  type StepBuilder,
  startStep,
  withEffects,
  withRun,
} from '../actions/step-builder.ts';
import { deliverNotes, startNextTurn } from '../actions/tool-batch.ts';
import { findDuplicateCallIds } from '../agent/messages.ts';
import type { Facts } from '../state/facts.ts';
import { activeRun, type PullState, type Run, type ToolBatch } from '../state/run.ts';
import type { Signal } from '../state/signals.ts';
import type { Step } from '../state/step.ts';

type ModelRespondedSignal = Extract<Signal, { type: 'model-responded' }>;

type ModelFailedSignal = Extract<Signal, { type: 'model-failed' }>;

/** The active run if it is waiting for exactly this response, else null. */
function awaitingRun(pull: PullState, signal: ModelRespondedSignal | ModelFailedSignal): Run | null {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId) return null;
  return run.phase.kind === 'awaiting-model' && run.phase.turn === signal.turn ? run : null;
}

/** Runs the tool calls of a response. Without calls, the run ends, or continues with new notes for the agent. */
export function onModelResponded(pull: PullState, signal: ModelRespondedSignal, facts: Facts): Step {
  const run = awaitingRun(pull, signal);
  if (run === null) return noop(pull, 'outdated-result');
  const { response } = signal;
  if (findDuplicateCallIds(response.toolCalls).length > 0) {
    return failRun(pull, 'it gave the same id to two of its calls', facts);
  }
  const counted = withRun(addUsage(startStep(pull), response.usage), { turns: signal.turn });
  const withResponse = appendMessages(counted, {
    role: 'assistant',
    content: response.content,
    toolCalls: response.toolCalls,
  });
  return response.toolCalls.length > 0
    ? requestTools(withResponse, run, signal)
    : finishWithText(withResponse, run, signal, facts);
}

function requestTools(builder: StepBuilder, run: Run, signal: ModelRespondedSignal): Step {
  const { turn, response } = signal;
  const batch: ToolBatch = {
    turn,
    assistantText: response.content,
    calls: response.toolCalls.map((toolCall) => ({ toolCall, status: { kind: 'running' } })),
    continued: false,
  };
  const running = withRun(builder, { phase: { kind: 'running-tools', turn }, batch });
  return endStep(
    withEffects(running, { type: 'run-tools', runId: run.id, turn, calls: response.toolCalls }),
    'tools-requested',
  );
}

function finishWithText(builder: StepBuilder, run: Run, signal: ModelRespondedSignal, facts: Facts): Step {
  if (run.agentNotes.length > 0) return endStep(startNextTurn(deliverNotes(builder), facts.now), 'tools-requested');
  const withSummary = withRun(builder, { summary: signal.response.content });
  const truncationNote = TRUNCATION_NOTES.get(signal.response.finishReason);
  if (truncationNote === undefined)
    return endStep(endRun(withSummary, { reason: 'finished', by: null, note: null }, facts.now), 'run-finished');
  return endStep(
    endRun(withSummary, { reason: 'model-failed', by: null, note: truncationNote }, facts.now),
    'model-failed',
  );
}

/** By finish reason: a truncated text does not say that the work is done, so the run fails. */
const TRUNCATION_NOTES: ReadonlyMap<string, string> = new Map([
  ['length', 'The answer was cut off, because it reached the length limit of the model endpoint.'],
  ['content_filter', 'The answer was withheld by the content filter of the model endpoint.'],
]);

export function onModelFailed(pull: PullState, signal: ModelFailedSignal, facts: Facts): Step {
  return awaitingRun(pull, signal) === null ? noop(pull, 'outdated-result') : failRun(pull, signal.message, facts);
}

function failRun(pull: PullState, message: string, facts: Facts): Step {
  return endStep(
    endRun(startStep(pull), { reason: 'model-failed', by: null, note: message }, facts.now),
    'model-failed',
  );
}
