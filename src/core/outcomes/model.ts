import { hasWords } from '../actions/agent-notes.ts';
import { waitForChecks } from '../actions/check-wait.ts';
import { endRun } from '../actions/end-run.ts';
import { countIdleResponse, heldCallStates, renewCheckRounds, runBatch, startNextTurn } from '../actions/next-turn.ts';
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
import { deliverNotes } from '../actions/tool-batch.ts';
import { buildFirstMessage } from '../agent/context/first-message.ts';
import { assistantMessages } from '../agent/messages.ts';
import { buildSystemPrompt } from '../agent/system-prompt.ts';
import { isUnfinishedAnswer, joinAnswers, NUDGE_MESSAGE } from '../agent/turn-texts.ts';
import { type CheckHistory, namesOf } from '../state/checks.ts';
import type { TokenUsage, ToolCallState } from '../state/conversation.ts';
import { NO_IDLE_RESPONSES } from '../state/limits.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';
import type { TaskContext } from '../state/task-context.ts';
import type { Facts } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/** Begins the conversation with the model: the system prompt, the first message, and what people said meanwhile. */
export function onContextRead(pull: PullState, signal: SignalOf<'context-read'>, facts: Facts): Step {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId || run.phase.kind !== 'reading-context')
    return noop(pull, 'outdated-result');
  const { pull: summary, context } = signal;
  const content = buildFirstMessage({ task: run.task, ref: pull.ref, pull: summary, context });
  const prompt = buildSystemPrompt(run.settings.limits);
  const opened = appendMessages(startStep(pull), { role: 'system', content: prompt }, { role: 'user', content });
  const told = deliverNotes(opened);
  const phase = { kind: 'awaiting-model', turn: 1, since: facts.now, delay: null, unfinished: null } as const;
  const branch = { ...run.branch, checks: historyOf(context.checks) };
  return endStep(
    withEffects(withRun(told, { phase, branch }), { type: 'ask-model', runId: run.id, turn: 1 }),
    'context-read',
  );
}

/** The checks that failed already, so that their failure starts nothing. */
function historyOf(checks: TaskContext['checks']): CheckHistory | null {
  if (checks === null) return null;
  const failedBefore = [checks.head, checks.base].flatMap(({ listed }) => namesOf(listed, 'failed'));
  return { failedBefore: [...new Set(failedBefore)], told: null, rounds: 0 };
}

type AboutRequest = SignalOf<'model-responded' | 'model-failed' | 'model-attempt-failed' | 'readings-cleared'>;

/** The active run if it is waiting for exactly this response, else null. */
function awaitingRun(pull: PullState, signal: AboutRequest): Run | null {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId) return null;
  return run.phase.kind === 'awaiting-model' && run.phase.turn === signal.turn ? run : null;
}

/** Runs the tool calls of a response. Without calls, the run ends, or continues with new notes for the agent. */
export function onModelResponded(pull: PullState, signal: SignalOf<'model-responded'>, facts: Facts): Step {
  const run = awaitingRun(pull, signal);
  const counted = countAnswer(startStep(pull), signal);
  if (run === null) return endStep(counted, 'outdated-result');
  const { response } = signal;
  const said = appendMessages(counted, ...assistantMessages(response));
  return response.toolCalls.length > 0 ? requestTools(said, run, signal) : answerWithoutCalls(said, run, signal, facts);
}

function requestTools(builder: StepBuilder, run: Run, signal: SignalOf<'model-responded'>): Step {
  const { turn, response } = signal;
  const isCutOff = response.finishReason === 'length';
  const ownCalls = response.toolCalls.map((toolCall, index): ToolCallState => {
    const isCut = isCutOff && index === response.toolCalls.length - 1;
    return { turn, toolCall, isCut, heldPath: null, status: { kind: 'running' } };
  });
  const batch = { turn, assistantText: response.content, calls: [...heldCallStates(run), ...ownCalls] };
  return endStep(runBatch(builder, batch), 'tools-requested');
}

/** The answer that the model was asked to go on from; null if it was not. */
function unfinishedAnswer({ phase }: Run): string | null {
  return phase.kind === 'awaiting-model' ? phase.unfinished : null;
}

/** The model's answers that people did not read yet, with this one. */
function withAnswer(run: Run, content: string | null): string | null {
  return joinAnswers(joinAnswers(run.summary, unfinishedAnswer(run)), content);
}

/** The run ends, unless there is something to do first: held calls, people's words, or a model that only seems done. */
function answerWithoutCalls(builder: StepBuilder, run: Run, signal: SignalOf<'model-responded'>, facts: Facts): Step {
  const { turn, response } = signal;
  const isCutOff = TRUNCATION_NOTES.has(response.finishReason);
  if (hasWords(run)) {
    // They answer the words before, and the next answer those that came meanwhile.
    const summary = withAnswer(run, response.content);
    const renewed = withRun(renewCheckRounds(deliverNotes(builder)), { idleResponses: NO_IDLE_RESPONSES, summary });
    return endStep(startNextTurn(renewed, facts.now), 'model-asked-again');
  }
  if (!isCutOff && unfinishedAnswer(run) === null && isUnfinishedAnswer(response.content)) {
    const asked = appendMessages(countIdleResponse(builder), NUDGE_MESSAGE);
    return endStep(startNextTurn(asked, facts.now, response.content ?? ''), 'model-asked-again');
  }
  if (!isCutOff && run.heldCalls.length > 0) {
    const batch = { turn, assistantText: response.content, calls: heldCallStates(run) };
    return endStep(runBatch(builder, batch), 'tools-requested');
  }
  return finishWithText(withRun(builder, { summary: withAnswer(run, response.content) }), signal, facts);
}

function finishWithText(builder: StepBuilder, signal: SignalOf<'model-responded'>, facts: Facts): Step {
  const truncationNote = TRUNCATION_NOTES.get(signal.response.finishReason);
  if (truncationNote === undefined) {
    const waiting = waitForChecks(builder, facts.now);
    if (waiting !== null) return endStep(waiting, 'checks-awaited');
    return endStep(endRun(builder, { reason: 'finished', by: null, note: null }, facts.now), 'run-finished');
  }
  return endStep(
    endRun(builder, { reason: 'model-failed', by: null, note: truncationNote }, facts.now),
    'model-failed',
  );
}

/** By finish reason: a truncated text does not say that the work is done, so the run fails. */
const TRUNCATION_NOTES: ReadonlyMap<string, string> = new Map([
  ['length', 'The answer was cut off, because it reached the length limit of the model endpoint.'],
  ['content_filter', 'The answer was withheld by the content filter of the model endpoint.'],
]);

/** Counts what the failed request cost, and says on the run comment why the model is silent, until the next answer. */
export function onModelAttemptFailed(pull: PullState, signal: SignalOf<'model-attempt-failed'>): Step {
  const counted = countFailedAnswer(startStep(pull), signal);
  const run = awaitingRun(pull, signal);
  if (signal.delay === null || run?.phase.kind !== 'awaiting-model')
    return endStep(counted, counted.pull === pull ? 'outdated-result' : 'model-attempt-failed');
  const delayed = withRun(counted, { phase: { ...run.phase, delay: signal.delay } });
  return endStep(withEffects(delayed, { type: 'update-run-comment', runId: run.id }), 'model-attempt-failed');
}

export function onModelFailed(pull: PullState, signal: SignalOf<'model-failed'>, facts: Facts): Step {
  const counted = countFailedAnswer(startStep(pull), signal);
  const failed = { reason: 'model-failed', by: null, note: signal.message } as const;
  if (awaitingRun(pull, signal) !== null) return endStep(endRun(counted, failed, facts.now), 'model-failed');
  // A request that ended with its run has its cost shown, too.
  const shown =
    counted.pull === pull ? counted : withEffects(counted, { type: 'update-run-comment', runId: signal.runId });
  return endStep(shown, 'outdated-result');
}

/**
 * Counts an answer of the current run, once: later responses have higher numbers. An answer to a run that has ended
 * meanwhile counts too.
 */
function countAnswer(builder: StepBuilder, signal: SignalOf<'model-responded'>): StepBuilder {
  const { run } = builder.pull;
  const { runId, turn, response } = signal;
  if (run === null || run.id !== runId || turn <= run.turns) return builder;
  return withRun(addUsage(builder, response.usage), { turns: turn });
}

/** Counts an answer that failed, if it cost anything. The run can have ended meanwhile. */
function countFailedAnswer(
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
export function onReadingsCleared(pull: PullState, signal: SignalOf<'readings-cleared'>): Step {
  const { runId, turn, clearedBefore, usage } = signal;
  const run = awaitingRun(pull, signal);
  const counted = countFailedAnswer(startStep(pull), { runId, cost: usage });
  if (run === null || clearedBefore <= run.clearedBefore) return endStep(counted, 'outdated-result');
  const cleared = withRun(counted, { clearedBefore, readings: run.readings.map((one) => ({ ...one, shown: [] })) });
  return endStep(withEffects(cleared, { type: 'ask-model', runId, turn }), 'readings-cleared');
}
