import { buildNoteMessage, buildToolMessages } from '../agent/messages.ts';
import { appliedOutput, userModifiedOutput, WITHDRAWN_OUTPUT } from '../agent/tool-results.ts';
import { approvalVotes, distinctPeople, type Person, type Proposal, transition, turnOf } from '../state/proposal.ts';
import { MAX_TURNS, type Phase, type PullState, type Run, type ToolBatch, type ToolCallState } from '../state/run.ts';
import { endRun } from './end-run.ts';
import {
  appendMessages,
  queueCommentUpdate,
  type StepBuilder,
  withEffects,
  withProposal,
  withRun,
} from './step-builder.ts';

/** For the model: the change was applied, as proposed or with a person's own text, with the approvers' notes. */
export function appliedCallOutput(proposal: Proposal): string {
  const { change, userEdit } = proposal;
  const notes = approvalVotes(proposal).flatMap(({ text }) => text ?? []);
  const note = notes.length === 0 ? null : notes.join('\n\n');
  return userEdit === null ? appliedOutput(change, null, note) : userModifiedOutput(change, userEdit.diff, note);
}

/** Stores the output of a call. A call that has one keeps it. */
export function answerToolCall(builder: StepBuilder, callId: string, output: string): StepBuilder {
  return setCallStatus(builder, callId, { kind: 'answered', output });
}

/** Stores the output of a proposal's call if that is in the current batch; call ids can repeat in later turns. */
export function answerProposalCall(builder: StepBuilder, proposal: Proposal, output: string): StepBuilder {
  const { origin } = proposal;
  return origin.kind === 'call' && isInCurrentBatch(builder.pull, proposal)
    ? answerToolCall(builder, origin.callId, output)
    : builder;
}

function isInCurrentBatch(pull: PullState, proposal: Proposal): boolean {
  const turn = turnOf(proposal);
  return turn !== null && pull.run?.id === proposal.runId && pull.run.batch?.turn === turn;
}

/** Sets the status of a call that has no output yet. */
export function setCallStatus(builder: StepBuilder, callId: string, status: ToolCallState['status']): StepBuilder {
  const batch = builder.pull.run?.batch;
  if (!batch) return builder;
  const calls = batch.calls.map((call) =>
    call.toolCall.id === callId && call.status.kind !== 'answered' ? { ...call, status } : call,
  );
  return withRun(builder, { batch: { ...batch, calls } });
}

/** Sets the status of a proposal's call; an undo has none. */
export function setProposalCallStatus(
  builder: StepBuilder,
  { origin }: Proposal,
  status: ToolCallState['status'],
): StepBuilder {
  return origin.kind === 'call' ? setCallStatus(builder, origin.callId, status) : builder;
}

/** Tells the model that expired proposals were withdrawn. */
export function withdrawExpiredCalls(builder: StepBuilder): StepBuilder {
  const expired = builder.pull.run?.batch?.calls.filter(({ status }) => status.kind === 'expired') ?? [];
  return expired.reduce((next, { toolCall }) => answerToolCall(next, toolCall.id, WITHDRAWN_OUTPUT), builder);
}

/** Posts one proposal. */
export function queuePosting(builder: StepBuilder, proposal: Proposal): StepBuilder {
  const { id, runId } = proposal;
  return withEffects(builder, { type: 'post-proposals', runId, turn: turnOf(proposal), proposalIds: [id] });
}

/** Withdraws an undecided proposal. This is no denial. */
export function withdrawProposal(builder: StepBuilder, proposal: Proposal, note: string, now: string): StepBuilder {
  const superseded = withProposal(builder, { ...transition(proposal, 'superseded', now), note });
  return queueCommentUpdate(answerProposalCall(superseded, proposal, WITHDRAWN_OUTPUT), proposal);
}

/** Call this after calls got outputs: starts the next turn if all have one, else updates the run's phase. */
export function advanceBatch(builder: StepBuilder, now: string): StepBuilder {
  const run = builder.pull.run;
  if (run === null || run.phase.kind === 'ended' || run.batch === null) return builder;
  if (run.batch.calls.every((call) => call.status.kind === 'answered'))
    return completeBatch(builder, run, run.batch, now);
  if (run.batch.calls.every(isAnsweredOrExpired))
    return endRun(builder, { reason: 'expired', by: null, note: null }, now);
  return withEffects(withRun(builder, { phase: phaseOf(builder.pull, run.batch) }), {
    type: 'update-run-comment',
    runId: run.id,
  });
}

/** A batch of only such calls ends the run. The expired ones get an output only if the run is continued. */
function isAnsweredOrExpired({ status }: ToolCallState): boolean {
  return status.kind === 'answered' || status.kind === 'expired';
}

function phaseOf(pull: PullState, batch: ToolBatch): Phase {
  if (batch.calls.some((call) => call.status.kind === 'running')) return { kind: 'running-tools', turn: batch.turn };
  const unposted = pull.proposals.some(
    (proposal) => isInCurrentBatch(pull, proposal) && proposal.state === 'proposed' && proposal.comment === null,
  );
  return { kind: unposted ? 'posting' : 'awaiting-decisions', turn: batch.turn };
}

function completeBatch(builder: StepBuilder, run: Run, batch: ToolBatch, now: string): StepBuilder {
  const instructed = withInstructors(builder, peopleWithWords(builder.pull));
  const answered = withRun(appendMessages(instructed, ...(buildToolMessages(batch) ?? [])), { batch: null });
  const withResults = deliverNotes(answered);
  if (isWholeBatchDenied(builder.pull) && !batch.continued && run.agentNotes.length === 0) {
    return endRun(withResults, { reason: 'all-denied', by: null, note: null }, now);
  }
  if (run.repeatedProposals >= MAX_REPEATED_PROPOSALS)
    return endRun(withResults, { reason: 'repeated-denied-change', by: null, note: null }, now);
  return startNextTurn(withResults, now);
}

/** Gives the notes for the agent to the model. */
export function deliverNotes(builder: StepBuilder): StepBuilder {
  const notes = builder.pull.run?.agentNotes ?? [];
  const delivered = withRun(appendMessages(builder, ...notes.map(buildNoteMessage)), { agentNotes: [] });
  return withInstructors(
    delivered,
    notes.map(({ by }) => by),
  );
}

/** From now on, these people count as requesters of what the model proposes in this run. */
function withInstructors(builder: StepBuilder, people: readonly Person[]): StepBuilder {
  const { run } = builder.pull;
  if (run === null || people.length === 0) return builder;
  const others = people.filter(({ id }) => id !== run.task.by.id);
  return withRun(builder, { instructors: distinctPeople([...run.instructors, ...others]) });
}

/** The people whose words or lines are in the results of the current batch. */
function peopleWithWords(pull: PullState): readonly Person[] {
  return pull.proposals
    .filter((proposal) => isInCurrentBatch(pull, proposal))
    .flatMap((proposal) => [
      ...proposal.votes.filter(({ text }) => text !== null).map(({ by }) => by),
      ...proposal.shapers.writers,
    ]);
}

/** Times in a row that the model may repeat a denied change before the run ends. */
const MAX_REPEATED_PROPOSALS = 3;

/** Sends the next request to the model, unless the run reached its limit. */
export function startNextTurn(builder: StepBuilder, now: string): StepBuilder {
  const run = builder.pull.run;
  if (run === null) return builder;
  if (run.turns - (run.lastResumption?.turnsBefore ?? 0) >= MAX_TURNS)
    return endRun(builder, { reason: 'turn-limit', by: null, note: null }, now);
  const turn = run.turns + 1;
  const awaitingModel = withRun(builder, { phase: { kind: 'awaiting-model', turn } });
  return withEffects(
    awaitingModel,
    { type: 'ask-model', runId: run.id, turn },
    { type: 'update-run-comment', runId: run.id, progress: true },
  );
}

/** Whether every decided proposal of the batch was denied, and none with a reason. */
function isWholeBatchDenied(pull: PullState): boolean {
  const decided = pull.proposals.filter(
    (proposal) => isInCurrentBatch(pull, proposal) && !UNDECIDED_STATES.has(proposal.state),
  );
  return decided.length > 0 && decided.every(isDeniedWithoutReason);
}

const UNDECIDED_STATES: ReadonlySet<Proposal['state']> = new Set<Proposal['state']>(['superseded', 'expired']);

function isDeniedWithoutReason(proposal: Proposal): boolean {
  if (proposal.state !== 'rejected') return false;
  return proposal.votes.every((vote) => vote.action !== 'edit' && !(vote.action === 'deny' && vote.text !== null));
}
