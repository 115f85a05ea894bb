import type { ToolBatch, TranscriptMessage } from '../state/conversation.ts';
import { callRefOf, toIssuedCall } from '../state/conversation.ts';
import type { Resumption } from '../state/run.ts';
import { NO_IDLE_RESPONSES } from '../state/settings.ts';
import { priceOf, renewSpending } from '../state/spending.ts';
import type { Facts } from '../step/facts.ts';
import { runStartOf } from './fact-needs.ts';
import { applyBase } from './head-moved.ts';
import { renewCheckRounds, startNextTurn } from './next-turn.ts';
import { appendMessages, type StepBuilder, withEffects, withRun } from './step-builder.ts';
import { advanceBatch, deliverNotes, setCallStatus } from './tool-batch.ts';

/**
 * Goes on with an ended run from its transcript, which gets the notes and then `messages`. Where its changes expired,
 * they are proposed again first.
 */
export function continueRun(
  builder: StepBuilder,
  lastResumption: Resumption,
  messages: readonly TranscriptMessage[],
  facts: Facts,
): StepBuilder {
  const { now, pullRequest, modelPrices } = facts;
  const { run } = builder.pull;
  if (run === null) return builder;
  const resumed = withRun(applyBase(builder, pullRequest?.baseRef ?? run.assessed.baseRef, now), {
    lastResumption,
    summary: null,
    idleResponses: NO_IDLE_RESPONSES,
    spending: renewSpending(run.spending, priceOf(modelPrices, run.settings.model)),
  });
  const counted = { ...renewCheckRounds(resumed), runStart: runStartOf(facts, lastResumption.by) };
  return run.batch === null
    ? startNextTurn(appendMessages(deliverNotes(counted), ...messages), now)
    : advanceBatch(retryExpiredCalls(counted, run.id, run.batch), now);
}

/** Repeats the model's own calls that expired undecided, on the current head; the model does not notice. */
function retryExpiredCalls(builder: StepBuilder, runId: string, { turn, calls }: ToolBatch): StepBuilder {
  const expired = calls.filter(({ status }) => status.kind === 'expired');
  const running = withRun(builder, { phase: { kind: 'running-tools', turn } });
  if (expired.length === 0) return running;
  const restarted = expired.reduce((next, call) => setCallStatus(next, callRefOf(call), { kind: 'running' }), running);
  return withEffects(restarted, { type: 'run-tools', runId, turn, calls: expired.map(toIssuedCall) });
}
