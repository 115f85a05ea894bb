import { remainingResponsesMessage } from '../agent/turn-texts.ts';
import { spentText } from '../messages/run-ended.ts';
import type { CheckHistory } from '../state/checks.ts';
import { type ToolBatch, toIssuedCall } from '../state/conversation.ts';
import { LIMITS, NO_IDLE_RESPONSES, remainingResponses } from '../state/limits.ts';
import { type Proposal, turnOf } from '../state/proposal.ts';
import type { Run } from '../state/run.ts';
import { findReachedLimit } from '../state/spending.ts';
import { usesStandingApproval } from '../state/vote.ts';
import { endRun } from './end-run.ts';
import { appendMessages, type StepBuilder, withEffects, withRun } from './step-builder.ts';

/** Sends the next request to the model. At a limit, held calls are shown to people first; then the run ends. */
export function startNextTurn(builder: StepBuilder, now: string, unfinished: string | null = null): StepBuilder {
  const run = builder.pull.run;
  if (run === null) return builder;
  const remaining = remainingResponses(run.idleResponses, run.settings.limits);
  const reason = remaining === 0 ? 'turn-limit' : findReachedLimit(run.spending, run.settings.limits, now);
  if (reason !== null)
    return showHeldCalls(builder) ?? endRun(builder, { reason, by: null, note: spentText(run, now) }, now);
  const announced =
    remaining === LIMITS.announcedResponses ? appendMessages(builder, remainingResponsesMessage(remaining)) : builder;
  const turn = run.turns + 1;
  return withEffects(
    withRun(announced, { phase: { kind: 'awaiting-model', turn, since: now, delay: null, unfinished } }),
    { type: 'ask-model', runId: run.id, turn },
    { type: 'update-run-comment', runId: run.id, progress: true },
  );
}

/** Proposes the held calls before the run ends; null if there are none. */
export function showHeldCalls(builder: StepBuilder): StepBuilder | null {
  const { run } = builder.pull;
  return run === null || run.heldCalls.length === 0
    ? null
    : runBatch(builder, { turn: run.turns, assistantText: null, calls: heldCallStates(run) });
}

/** Makes these calls the current batch and runs them. */
export function runBatch(builder: StepBuilder, batch: Omit<ToolBatch, 'continued'>): StepBuilder {
  const { run } = builder.pull;
  if (run === null) return builder;
  const { turn, calls } = batch;
  const running = withRun(builder, { phase: { kind: 'running-tools', turn }, batch: { ...batch, continued: false } });
  return withEffects(running, { type: 'run-tools', runId: run.id, turn, calls: calls.map(toIssuedCall) });
}

/** The held calls as calls of the next batch. They stay held until their changes are proposed. */
export function heldCallStates({ heldCalls }: Run): ToolBatch['calls'] {
  return heldCalls.map(({ path, ...call }) => ({ ...call, heldPath: path, status: { kind: 'running' } }));
}

function isDecidedInAdvance({ votes }: Proposal): boolean {
  return votes.length > 0 && votes.every(usesStandingApproval);
}

/** Counts a response without a proposal. */
export function countIdleResponse(builder: StepBuilder): StepBuilder {
  const idle = builder.pull.run?.idleResponses ?? NO_IDLE_RESPONSES;
  return withRun(builder, {
    idleResponses: { sinceWords: idle.sinceWords + 1, sincePeople: idle.sincePeople + 1 },
  });
}

/**
 * Counts the response of a decided batch against the limits. People's words renew them, a decision the shorter one.
 * Where standing approvals alone decided, nobody has looked, so the response counts as one without people.
 */
export function countBatchResponse(builder: StepBuilder, hasWords: boolean): StepBuilder {
  const { run, proposals } = builder.pull;
  if (run === null) return builder;
  if (hasWords) return withRun(builder, { idleResponses: NO_IDLE_RESPONSES });
  const proposed = proposals.filter((one) => one.runId === run.id && turnOf(one) === run.batch?.turn);
  if (proposed.length === 0) return countIdleResponse(builder);
  const { sincePeople } = run.idleResponses;
  const isSeen = !proposed.every(isDecidedInAdvance);
  return withRun(builder, { idleResponses: { ...run.idleResponses, sincePeople: isSeen ? 0 : sincePeople + 1 } });
}

/** After a person's words, failed checks can go to the model again. */
export function renewCheckRounds(builder: StepBuilder): StepBuilder {
  return withCheckHistory(builder, { rounds: 0 });
}

/** Changes what the run knows of the checks, if it knows any. */
export function withCheckHistory(builder: StepBuilder, patch: Partial<CheckHistory>): StepBuilder {
  const { branch } = builder.pull.run ?? {};
  return branch === undefined || branch.checks === null
    ? builder
    : withRun(builder, { branch: { ...branch, checks: { ...branch.checks, ...patch } } });
}
