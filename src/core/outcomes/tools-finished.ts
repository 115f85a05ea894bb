import { setHeadIfIdle } from '../actions/head-moved.ts';
import { createQuestions } from '../actions/questions.ts';
import { endStep, noop, type StepBuilder, showRun, startStep, withRun } from '../actions/step-builder.ts';
import { advanceBatch, answerToolCall, isInCurrentBatch, setCallStatus } from '../actions/tool-batch.ts';
import { PLAN_OUTPUT, staleOutput } from '../agent/shared/tool-results.ts';
import { addReading } from '../agent/tools/read-file.ts';
import { type HoldCause, heldOutput } from '../agent/turn-texts.ts';
import { isReading, mainPath } from '../edits/change.ts';
import {
  type CallOutput,
  type CallRef,
  callRefOf,
  type HeldCall,
  isSameCall,
  sharesCall,
  type ToolCallState,
  toIssuedCall,
} from '../state/conversation.ts';
import { LIMITS } from '../state/limits.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';
import { readToolName, TOOLS } from '../state/tools.ts';
import type { Facts } from '../step/facts.ts';
import type { Reason } from '../step/reasons.ts';
import type { CallResult, SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { countChange, createProposals, findEarlierAnswer } from './create-proposals.ts';

/**
 * Stores the outputs of calls. Changes become proposals, which are posted together, unless the model first has to read
 * or correct something.
 */
export function onToolsFinished(pull: PullState, signal: SignalOf<'tools-finished'>, facts: Facts): Step {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId || run.batch?.turn !== signal.turn) return noop(pull, 'outdated-result');
  const results = signal.results.filter((result) => isAwaited(run, result));
  if (results.length === 0) return noop(pull, 'outdated-result');
  const headSha = signal.headSha ?? run.assessed.headSha;
  const atHead = { ...signal, headSha };
  const started = setHeadIfIdle(startStep(pull), headSha);
  const cause = pull.proposals.some((one) => isInCurrentBatch(pull, one)) ? null : findHoldCause(pull, run, results);
  if (cause !== null) {
    const held = holdCalls(started, results, cause);
    const readings = results.filter((result) => result.kind === 'change' && isReading(result.change));
    const proposed = createProposals(results.reduce(recordOutput, held), readings, atHead);
    const asked = createQuestions(proposed, results);
    return endStep(advanceBatch(asked, facts.now), 'tool-calls-answered');
  }
  const released = releaseHeldCalls(started, run);
  const proposed = createProposals(results.reduce(recordOutput, released), results, atHead);
  const asked = createQuestions(proposed, results);
  return endStep(advanceBatch(asked, facts.now), reasonOf(pull, proposed.pull, asked.pull));
}

/** The held calls of the batch are proposed now. Calls that were held beside an open question stay held. */
function releaseHeldCalls(builder: StepBuilder, { batch, heldCalls }: Run): StepBuilder {
  const shown = batch?.calls.filter(({ heldPath }) => heldPath !== null).map(callRefOf) ?? [];
  const kept = heldCalls.filter((call) => !shown.some((other) => isSameCall(other, callRefOf(call))));
  return withRun(builder, { heldCalls: kept });
}

function reasonOf(before: PullState, proposed: PullState, asked: PullState): Reason {
  if (proposed.proposalCount > before.proposalCount) return 'proposals-created';
  return asked.proposalCount > before.proposalCount ? 'question-asked' : 'tool-calls-answered';
}

/** The calls of a result that still have none. A change answers all of its calls or none. */
function isAwaited(run: Run, result: CallResult): boolean {
  const running = run.batch?.calls.filter(({ status }) => status.kind === 'running').map(callRefOf) ?? [];
  return callsOf(result).every((call) => running.some((one) => isSameCall(one, call)));
}

function callsOf(result: CallResult): readonly CallRef[] {
  return result.kind === 'change' ? result.calls : [{ turn: result.turn, callId: result.callId }];
}

/** The model sends a call again at once or not at all. */
const MAX_SYNTAX_REFUSALS = 200;

function recordOutput(builder: StepBuilder, result: CallResult): StepBuilder {
  const call = { turn: result.turn, callId: result.callId };
  switch (result.kind) {
    case 'plan':
      return showRun(withRun(answerToolCall(builder, call, PLAN_OUTPUT), { plan: result.steps }), { progress: true });
    case 'postponed':
      return answerToolCall(builder, call, result.output);
    case 'output': {
      const afterPush = outputAfterPush(builder.pull, call);
      const { output, reading, syntaxRefusals } = result;
      const told = afterPush ?? { output };
      const answered = setCallStatus(builder, call, { kind: 'answered', ...told });
      const { run } = answered.pull;
      // A refusal counts only if the model hears of it.
      const refused = afterPush === null ? (syntaxRefusals ?? []) : [];
      const allRefused = new Set([...(run?.syntaxRefusals ?? []), ...refused]);
      return withRun(answered, {
        syntaxRefusals: [...allRefused].slice(-MAX_SYNTAX_REFUSALS),
        ...(reading === undefined ? {} : { readings: addReading(run?.readings ?? [], reading) }),
      });
    }
    case 'change':
    case 'question':
    case 'unaskable':
      return builder;
  }
}

/**
 * For a failed retry after the file changed, the model gets the reason of the retry and not the error of the call (T7).
 */
function outputAfterPush(pull: PullState, call: CallRef): CallOutput | null {
  const run = pull.run;
  const status = run?.batch?.calls.find((one) => isSameCall(callRefOf(one), call))?.status;
  if (status?.kind === 'running' && status.ifRefused !== undefined) return status.ifRefused;
  const stale = pull.proposals.findLast(
    (one) =>
      isInCurrentBatch(pull, one) &&
      !isReading(one.change) &&
      one.origin.kind === 'call' &&
      sharesCall(one.origin.calls, [call]),
  );
  return stale === undefined || run === null
    ? null
    : { output: staleOutput(mainPath(stale.change), stale.headSha, run.assessed.headSha) };
}

/**
 * Why the changes of a response are not shown to people yet: it also reads, or has calls that the model can correct.
 * Null if nothing is to be held, or if calls have been held too often in a row.
 */
function findHoldCause(pull: PullState, run: Run, results: readonly CallResult[]): HoldCause | null {
  const [first] = run.heldCalls;
  if (first !== undefined && run.turns - first.turn >= LIMITS.heldResponses) return null;
  const own = (run.batch?.calls ?? []).filter(({ heldPath }) => heldPath === null);
  const natures = own.map((call) => natureOf(pull, call, findResult(results, call)));
  if (!natures.includes('valid') && run.heldCalls.length === 0) return null;
  const cause = { hasReadings: natures.includes('reading'), hasFaults: natures.includes('fault') };
  return cause.hasReadings || cause.hasFaults ? cause : null;
}

/** `neutral` calls neither hold others back nor can be held. */
type CallNature = 'valid' | 'reading' | 'fault' | 'neutral';

function natureOf(pull: PullState, { toolCall: { name } }: ToolCallState, result: CallResult | null): CallNature {
  switch (result?.kind) {
    case 'output': {
      const tool = readToolName(name);
      return tool !== null && TOOLS[tool].kind === 'immediate' ? 'reading' : 'fault';
    }
    case 'change':
      // A reading that waits for people is asked at once, and keeps no change from being held.
      if (isReading(result.change)) return 'neutral';
      return findEarlierAnswer(pull, result.change) === null ? 'valid' : 'fault';
    default:
      return 'neutral';
  }
}

function findResult(results: readonly CallResult[], call: ToolCallState): CallResult | null {
  return results.find((result) => callsOf(result).some((one) => isSameCall(one, callRefOf(call)))) ?? null;
}

/** Answers the valid calls of the response with T20. Calls that were held before leave the batch and stay held. */
function holdCalls(builder: StepBuilder, results: readonly CallResult[], cause: HoldCause): StepBuilder {
  const { run } = builder.pull;
  if (run?.batch == null) return builder;
  const own = run.batch.calls.filter(({ heldPath }) => heldPath === null);
  const withoutHeld = withRun(builder, { batch: { ...run.batch, calls: own } });
  const answered = own.reduce((next, call) => holdCall(next, call, findResult(results, call), cause), withoutHeld);
  const isNew = (answered.pull.run?.heldCalls.length ?? 0) > run.heldCalls.length;
  return isNew ? countChange(answered, 'new') : answered;
}

function holdCall(builder: StepBuilder, call: ToolCallState, result: CallResult | null, cause: HoldCause): StepBuilder {
  if (result?.kind !== 'change' || isReading(result.change)) return builder;
  const earlier = findEarlierAnswer(builder.pull, result.change);
  if (earlier !== null) return answerToolCall(countChange(builder, 'repeated'), callRefOf(call), earlier);
  const held: HeldCall = { ...toIssuedCall(call), path: mainPath(result.change) };
  const added = withRun(builder, { heldCalls: [...(builder.pull.run?.heldCalls ?? []), held] });
  return answerToolCall(added, callRefOf(call), heldOutput(cause));
}
