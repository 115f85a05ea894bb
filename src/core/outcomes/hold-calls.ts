import { type StepBuilder, withRun } from '../actions/step-builder.ts';
import { answerToolCall } from '../actions/tool-batch.ts';
import { type HoldCause, heldOutput } from '../agent/turn-texts.ts';
import { mainPath } from '../edits/change.ts';
import type { ToolCallState } from '../state/conversation.ts';
import { type CallRef, callRefOf, type HeldCall, isSameCall, toIssuedCall } from '../state/conversation.ts';
import { LIMITS } from '../state/limits.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';
import { readToolName, TOOLS } from '../state/tools.ts';
import type { CallResult } from '../step/signals.ts';
import { countRepeat, findEarlierAnswer } from './earlier-answers.ts';

/**
 * Why the changes of a response are not shown to people yet: it also reads, or has calls that the model can correct.
 * Null if nothing is to be held, or if calls have been held too often in a row.
 */
export function findHoldCause(pull: PullState, run: Run, results: readonly CallResult[]): HoldCause | null {
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
      if (result.change.op === 'read') return 'neutral';
      return findEarlierAnswer(pull, result.change) === null ? 'valid' : 'fault';
    default:
      return 'neutral';
  }
}

function findResult(results: readonly CallResult[], call: ToolCallState): CallResult | null {
  return results.find((result) => answersCall(result, callRefOf(call))) ?? null;
}

function answersCall(result: CallResult, ref: CallRef): boolean {
  return result.kind === 'change' ? result.calls.some((call) => isSameCall(call, ref)) : isSameCall(result, ref);
}

/** Answers the valid calls of the response with T20. Calls that were held before leave the batch and stay held. */
export function holdCalls(builder: StepBuilder, results: readonly CallResult[], cause: HoldCause): StepBuilder {
  const { run } = builder.pull;
  if (run?.batch == null) return builder;
  const own = run.batch.calls.filter(({ heldPath }) => heldPath === null);
  const withoutHeld = withRun(builder, { batch: { ...run.batch, calls: own } });
  const answered = own.reduce((next, call) => holdCall(next, call, findResult(results, call), cause), withoutHeld);
  const isNew = (answered.pull.run?.heldCalls.length ?? 0) > run.heldCalls.length;
  return isNew ? withRun(answered, { repeatedProposals: 0 }) : answered;
}

function holdCall(builder: StepBuilder, call: ToolCallState, result: CallResult | null, cause: HoldCause): StepBuilder {
  if (result?.kind !== 'change' || result.change.op === 'read') return builder;
  const earlier = findEarlierAnswer(builder.pull, result.change);
  if (earlier !== null) return answerToolCall(countRepeat(builder), callRefOf(call), earlier);
  const held: HeldCall = { ...toIssuedCall(call), path: mainPath(result.change) };
  const added = withRun(builder, { heldCalls: [...(builder.pull.run?.heldCalls ?? []), held] });
  return answerToolCall(added, callRefOf(call), heldOutput(cause));
}
