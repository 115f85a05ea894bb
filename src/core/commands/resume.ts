import { missingPermissionNeeds, pullRequestNeeds } from '../actions/fact-needs.ts';
import { appendMessages, endStep, type StepBuilder, startStep, withEffects, withRun } from '../actions/step-builder.ts';
import { advanceBatch, answerToolCall, deliverNotes, setCallStatus, startNextTurn } from '../actions/tool-batch.ts';
import { buildResumedMessage } from '../agent/messages.ts';
import { WITHDRAWN_OUTPUT } from '../agent/tool-results.ts';
import type { Need } from '../state/facts.ts';
import type { ResumeRefusal } from '../state/replies.ts';
import { activeRun, isResumable, type PullState, type Run, type ToolBatch, type ToolCallState } from '../state/run.ts';
import type { Step } from '../state/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommentContext,
  endWithReply,
  refuseIfClosed,
  refuseWithoutPermissions,
} from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';

export const resume = {
  name: 'resume',
  words: ['resume'],
  syntax: '/resume',
  summary: 'continue a run that ended because the agent failed, reached its limits or waited too long for a decision',
  allowedTo: 'writer',
  argument: 'nothing',
  read: () => ({ name: 'resume' }),
  needs: {
    condition: 'a run can be resumed',
    kinds: ['missing-permissions', 'pull-request'],
    next: needsToResume,
  },
  run: runResume,
} as const satisfies CommandDefinition<'resume'>;

function needsToResume({ pull, intent, facts }: CommentContext): readonly Need[] {
  if (typeof findResumableRun(pull, intent.createdAt) === 'string') return [];
  if (facts.missingPermissions === undefined) return missingPermissionNeeds(facts);
  return facts.missingPermissions.length > 0 ? [] : pullRequestNeeds(facts);
}

/** The run that a `/resume` written at that time continues, or why there is none. */
export function findResumableRun(pull: PullState, createdAt: string): Run | ResumeRefusal {
  const { run } = pull;
  if (activeRun(pull) !== null || pull.queue.length > 0) return 'run-active';
  if (run === null || run.phase.kind !== 'ended' || !isResumable(run.phase.reason)) return 'no-resumable-run';
  const writtenAt = Date.parse(createdAt);
  const isAfterTask = writtenAt > Date.parse(run.task.requestedAt);
  const isAfterEnd = writtenAt > truncateToSeconds(run.phase.at);
  const isAfterLast = run.lastResumption === null || writtenAt > Date.parse(run.lastResumption.requestedAt);
  return isAfterTask && isAfterEnd && isAfterLast ? run : 'written-before-end';
}

/** GitHub's times are whole seconds, so that a comment of the same second does not count as later. */
function truncateToSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000) * 1000;
}

function runResume(context: CommandContext): Step {
  const { pull, facts, intent, person } = context;
  const run = findResumableRun(pull, intent.createdAt);
  if (typeof run === 'string') return endWithReply(context, { kind: 'resume-refused', refusal: run }, 'resume-refused');
  const refusal = refuseWithoutPermissions(context) ?? refuseIfClosed(context);
  if (refusal !== null) return refusal;
  const lastResumption = { by: person, requestedAt: intent.createdAt, turnsBefore: run.turns };
  const baseRef = facts.pullRequest?.baseRef ?? run.baseRef;
  const resumed = withRun(acknowledge(startStep(pull), context), { lastResumption, baseRef, summary: null });
  if (run.batch !== null)
    return endStep(advanceBatch(retryExpiredCalls(resumed, run.id, run.batch), facts.now), 'resumed');
  const withMessages = appendMessages(deliverNotes(resumed), buildResumedMessage(person));
  return endStep(startNextTurn(withMessages, facts.now), 'resumed');
}

/**
 * Repeats the model's own calls whose proposals expired, on the current head; the model does not notice.
 * A proposal with a person's own text is no call of the model, so it is not repeated.
 */
function retryExpiredCalls(builder: StepBuilder, runId: string, { turn, calls }: ToolBatch): StepBuilder {
  const expired = calls.filter(({ status }) => status.kind === 'expired');
  const userEdits = expired.filter((call) => isUserEdit(builder.pull, call));
  const repeated = expired.filter((call) => !userEdits.includes(call)).map(({ toolCall }) => toolCall);
  const running = withRun(builder, { phase: { kind: 'running-tools', turn } });
  const withdrawn = userEdits.reduce(
    (next, { toolCall }) => answerToolCall(next, toolCall.id, WITHDRAWN_OUTPUT),
    running,
  );
  if (repeated.length === 0) return withdrawn;
  const restarted = repeated.reduce((next, { id }) => setCallStatus(next, id, { kind: 'running' }), withdrawn);
  return withEffects(restarted, { type: 'run-tools', runId, turn, calls: repeated });
}

function isUserEdit({ proposals }: PullState, { status }: ToolCallState): boolean {
  return (
    status.kind === 'expired' && proposals.some(({ id, userEdit }) => id === status.proposalId && userEdit !== null)
  );
}
