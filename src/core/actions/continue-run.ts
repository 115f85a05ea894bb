import { withdrawnOutput } from '../agent/shared/tool-results.ts';
import type { ToolBatch, ToolCallState, TranscriptMessage } from '../state/conversation.ts';
import { callRefOf, toIssuedCall } from '../state/conversation.ts';
import { NO_IDLE_RESPONSES } from '../state/limits.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Resumption } from '../state/run.ts';
import { priceOf, renewSpending } from '../state/spending.ts';
import type { Facts } from '../step/facts.ts';
import { runStartOf } from './fact-needs.ts';
import { startNextTurn } from './next-turn.ts';
import { appendMessages, type StepBuilder, withEffects, withRun } from './step-builder.ts';
import { advanceBatch, answerToolCall, deliverNotes, setCallStatus } from './tool-batch.ts';

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
  const baseRef = pullRequest?.baseRef ?? run.baseRef;
  const resumed = withRun(builder, {
    ...{ lastResumption, baseRef, summary: null, nudge: null },
    ...{
      idleResponses: NO_IDLE_RESPONSES,
      spending: renewSpending(run.spending, priceOf(modelPrices, run.settings.model)),
    },
  });
  const counted = { ...resumed, runStart: runStartOf(facts, lastResumption.by) };
  return run.batch === null
    ? startNextTurn(appendMessages(deliverNotes(counted), ...messages), now)
    : advanceBatch(retryExpiredCalls(counted, run.id, run.batch), now);
}

/**
 * Repeats the model's own calls whose proposals expired, on the current head; the model does not notice.
 * A proposal with a person's own text is no call of the model, so it is not repeated.
 */
function retryExpiredCalls(builder: StepBuilder, runId: string, { turn, calls }: ToolBatch): StepBuilder {
  const expired = calls.filter(({ status }) => status.kind === 'expired');
  const userEdits = expired.filter((call) => isUserEdit(builder.pull, call));
  const repeated = expired.filter((call) => !userEdits.includes(call));
  const running = withRun(builder, { phase: { kind: 'running-tools', turn } });
  const withdrawn = userEdits.reduce((next, call) => answerToolCall(next, callRefOf(call), EXPIRED_USER_EDIT), running);
  if (repeated.length === 0) return withdrawn;
  const restarted = repeated.reduce(
    (next, call) => setCallStatus(next, callRefOf(call), { kind: 'running' }),
    withdrawn,
  );
  return withEffects(restarted, { type: 'run-tools', runId, turn, calls: repeated.map(toIssuedCall) });
}

const EXPIRED_USER_EDIT = withdrawnOutput('A person wrote other lines in its place, which expired before a decision.');

function isUserEdit({ proposals }: PullState, { status }: ToolCallState): boolean {
  return (
    status.kind === 'expired' && proposals.some(({ id, userEdit }) => id === status.proposalId && userEdit !== null)
  );
}
