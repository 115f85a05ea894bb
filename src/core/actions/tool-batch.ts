import { buildNoteMessage } from '../agent/context/notes.ts';
import { approverNotes, buildToolMessages, instructedOutput } from '../agent/messages.ts';
import { jsonBytes, largestShare, MAX_RESULTS_BYTES } from '../agent/shared/response-size.ts';
import {
  appliedOutput,
  deniedOutput,
  EXPIRED_CAUSE,
  readDeniedOutput,
  userModifiedOutput,
  withdrawnOutput,
} from '../agent/shared/tool-results.ts';
import { changeDiff, isReading, mainPath } from '../edits/change.ts';
import type { ToolBatch, ToolCallState } from '../state/conversation.ts';
import { type CallRef, callRefOf, type IssuedCall, isSameCall, toIssuedCall } from '../state/conversation.ts';
import { decidingVotes, type Proposal, transition, turnOf } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { EndReason, Phase, Run } from '../state/run.ts';
import type { Vote } from '../state/vote.ts';
import { hasWords, tellOfCommit } from './agent-notes.ts';
import { postNextQuestion } from './close-question.ts';
import { endRun } from './end-run.ts';
import { countBatchResponse, renewCheckRounds, showHeldCalls, startNextTurn } from './next-turn.ts';
import {
  appendMessages,
  queueCommentUpdate,
  type StepBuilder,
  withEffects,
  withProposal,
  withRun,
  withTransition,
} from './step-builder.ts';

/** For the model: the change was applied, as proposed or with a person's own text, by whom and in which commit. */
function appliedCallOutput(pull: PullState, proposal: Proposal): string {
  const { change, userEdit, commitSha } = proposal;
  const userNote = approverNotes(proposal, pull.run?.task.by ?? null);
  const application = { commitSha, votes: decidingVotes(proposal), userNote };
  return userEdit === null
    ? appliedOutput(change, application)
    : userModifiedOutput(change.members[0], userEdit.diff, application, diffShare(pull, proposal));
}

/** Bytes that the diffs of a person's own text may have, so that those of the whole batch keep the limit (S168). */
function diffShare({ proposals }: PullState, { runId, origin }: Proposal): number {
  if (origin.kind !== 'call') return MAX_RESULTS_BYTES;
  const ofBatch = proposals.filter((one) => one.runId === runId && turnOf(one) === origin.turn);
  const lengths = ofBatch.map(({ change }) => jsonBytes(changeDiff(change) ?? ''));
  return largestShare(lengths, MAX_RESULTS_BYTES);
}

/** Stores the output of a call. A call that has one keeps it. */
export function answerToolCall(builder: StepBuilder, call: CallRef, output: string): StepBuilder {
  return setCallStatus(builder, call, { kind: 'answered', output });
}

/** Stores the output of a proposal's calls if they are in the current batch. */
export function answerProposalCalls(builder: StepBuilder, proposal: Proposal, output: string): StepBuilder {
  return setProposalCallStatus(builder, proposal, { kind: 'answered', output });
}

/** Whether a proposal is one of the current batch. */
export function isInCurrentBatch(pull: PullState, proposal: Proposal): boolean {
  const turn = turnOf(proposal);
  return turn !== null && pull.run?.id === proposal.runId && pull.run.batch?.turn === turn;
}

/** Sets the status of a call that has no output yet. */
export function setCallStatus(builder: StepBuilder, ref: CallRef, status: ToolCallState['status']): StepBuilder {
  const batch = builder.pull.run?.batch;
  if (!batch) return builder;
  const calls = batch.calls.map((call) =>
    isSameCall(callRefOf(call), ref) && call.status.kind !== 'answered' ? { ...call, status } : call,
  );
  return withRun(builder, { batch: { ...batch, calls } });
}

/** A proposal's calls that are in the current batch, to run them again; an undo has none. */
export function issuedCallsOf({ run }: PullState, { origin }: Proposal): readonly IssuedCall[] {
  if (origin.kind !== 'call') return [];
  const calls = run?.batch?.calls.filter((one) => origin.calls.some((call) => isSameCall(call, callRefOf(one))));
  return calls?.map(toIssuedCall) ?? [];
}

/** Completes a reading whose approvals were checked. Its calls run again, and now find the file allowed. */
export function allowReading(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const completed = withProposal(builder, transition(proposal, 'completed', now));
  const running = setProposalCallStatus(completed, proposal, { kind: 'running' });
  const calls = issuedCallsOf(running.pull, proposal);
  const turn = turnOf(proposal) ?? 0;
  const again =
    calls.length === 0 ? running : withEffects(running, { type: 'run-tools', runId: proposal.runId, turn, calls });
  return queueCommentUpdate(advanceBatch(again, now), proposal);
}

/** Sets the status of a proposal's calls if they are in the current batch; an undo has none. */
export function setProposalCallStatus(
  builder: StepBuilder,
  proposal: Proposal,
  status: ToolCallState['status'],
): StepBuilder {
  const { origin } = proposal;
  if (origin.kind !== 'call' || !isInCurrentBatch(builder.pull, proposal)) return builder;
  return origin.calls.reduce((next, call) => setCallStatus(next, call, status), builder);
}

/** Tells the model that expired proposals were withdrawn. */
export function withdrawExpiredCalls(builder: StepBuilder): StepBuilder {
  const expired = builder.pull.run?.batch?.calls.filter(({ status }) => status.kind === 'expired') ?? [];
  return expired.reduce((next, call) => answerToolCall(next, callRefOf(call), withdrawnOutput(EXPIRED_CAUSE)), builder);
}

/** Posts one proposal. */
export function queuePosting(builder: StepBuilder, proposal: Proposal): StepBuilder {
  const { id, runId } = proposal;
  return withEffects(builder, { type: 'post-proposals', runId, turn: turnOf(proposal), proposalIds: [id] });
}

/** Withdraws an undecided proposal. This is no denial. `note` tells people why, `output` the model. */
export function withdrawProposal(
  builder: StepBuilder,
  proposal: Proposal,
  { note, output }: { readonly note: string; readonly output: string },
  now: string,
): StepBuilder {
  return answerProposalCalls(withTransition(builder, proposal, 'superseded', now, note), proposal, output);
}

/** Rejects a proposal by a vote on it, and answers its call. An instruction becomes the result. */
export function rejectProposal(builder: StepBuilder, proposal: Proposal, vote: Vote, now: string): StepBuilder {
  const { change } = proposal;
  const taskBy = builder.pull.run?.task.by ?? null;
  const denied = isReading(change) ? readDeniedOutput(mainPath(change), vote) : deniedOutput(vote);
  const output = vote.action === 'edit' ? instructedOutput(proposal, vote, taskBy) : denied;
  return answerProposalCalls(withTransition(builder, proposal, 'rejected', now), proposal, output);
}

/** Completes a proposal whose change is on the branch, and tells the agent, and those whose thread it answers. */
export function completeProposal(
  builder: StepBuilder,
  proposal: Proposal,
  commit: Pick<Proposal, 'commitSha' | 'committed' | 'note'>,
  now: string,
  together: readonly Proposal[] = [proposal],
): StepBuilder {
  const completed = { ...transition(proposal, 'completed', now), ...commit };
  const done = withProposal(builder, completed);
  const noted = commit.commitSha === null ? done : tellOfCommit(done, completed, commit.commitSha, together);
  return queueCommentUpdate(answerProposalCalls(noted, proposal, appliedCallOutput(noted.pull, completed)), proposal);
}

/** Call this after calls got outputs: starts the next turn if all have one, else updates the run's phase. */
export function advanceBatch(builder: StepBuilder, now: string): StepBuilder {
  const run = builder.pull.run;
  if (run === null || run.phase.kind === 'ended' || run.batch === null) return builder;
  if (isBatchComplete(run.batch))
    return run.unreadPushes.length > 0
      ? withRun(builder, { phase: { kind: 'running-tools', turn: run.batch.turn } })
      : completeBatch(builder, run, now);
  if (run.batch.calls.every(isSettledOrExpired))
    return endRun(builder, { reason: expiryReason(run.batch), by: null, note: null }, now);
  const waiting = withRun(builder, { phase: phaseOf(builder.pull, run.batch) });
  const asked = postNextQuestion(waiting);
  return asked === waiting ? withEffects(asked, { type: 'update-run-comment', runId: run.id }) : asked;
}

/** A batch of only such calls ends the run. The expired ones get an output only if the run is continued. */
function isSettledOrExpired({ status }: ToolCallState): boolean {
  return status.kind !== 'running' && status.kind !== 'proposed' && status.kind !== 'asked';
}

function expiryReason({ calls }: ToolBatch): EndReason {
  const isChange = calls.some(({ status }) => status.kind === 'expired' && status.proposalId !== null);
  return isChange ? 'expired' : 'unanswered';
}

/** Whether every call of the batch has an output. */
export function isBatchComplete({ calls }: ToolBatch): boolean {
  return calls.every(({ status }) => status.kind === 'answered');
}

function phaseOf(pull: PullState, batch: ToolBatch): Phase {
  if (batch.calls.some((call) => call.status.kind === 'running')) return { kind: 'running-tools', turn: batch.turn };
  const unposted = pull.proposals.some(
    (proposal) => isInCurrentBatch(pull, proposal) && proposal.state === 'proposed' && proposal.comment === null,
  );
  return { kind: unposted ? 'posting' : 'awaiting-decisions', turn: batch.turn };
}

function completeBatch(builder: StepBuilder, { agentNotes, denials }: Run, now: string): StepBuilder {
  const batch = builder.pull.run?.batch;
  if (!batch) return builder;
  const isToldMore = hasWords({ agentNotes });
  // An approval or a denial begins no new round of failed checks.
  const isInstructed =
    isToldMore || batch.continued || hasWordsInResults(builder.pull, ({ action }) => action === 'edit');
  const counted = countBatchResponse(
    isInstructed ? renewCheckRounds(builder) : builder,
    isToldMore || hasWordsInResults(builder.pull, ({ text }) => text !== null),
  );
  const answered = withRun(appendMessages(counted, ...(buildToolMessages(batch) ?? [])), { batch: null });
  const withResults = deliverNotes(answered);
  const isAnswered = answeredQuestions(builder.pull).length > 0;
  if (isWholeBatchDenied(builder.pull) && !isAnswered && !batch.continued && !isToldMore) {
    return endRun(withResults, { reason: 'all-denied', by: null, note: null }, now);
  }
  if (denials.repeats >= MAX_REPEATS)
    return (
      showHeldCalls(withResults) ?? endRun(withResults, { reason: 'repeated-denied-change', by: null, note: null }, now)
    );
  return startNextTurn(withResults, now);
}

/** Gives the notes for the agent to the model. */
export function deliverNotes(builder: StepBuilder): StepBuilder {
  const notes = builder.pull.run?.agentNotes ?? [];
  return withRun(appendMessages(builder, ...notes.map(buildNoteMessage)), { agentNotes: [] });
}

/** Whether lines, answers or such votes of people are in the results of the current batch. */
function hasWordsInResults(pull: PullState, isWords: (vote: Vote) => boolean): boolean {
  const proposals = pull.proposals.filter((proposal) => isInCurrentBatch(pull, proposal));
  const isChanged = proposals.some(({ votes, writers }) => writers.length > 0 || votes.some(isWords));
  return isChanged || answeredQuestions(pull).some(({ by }) => by !== null);
}

function answeredQuestions({ run }: PullState): readonly AgentQuestion[] {
  return run?.questions.filter(({ call, state }) => call.turn === run.batch?.turn && state === 'answered') ?? [];
}

/** Times in a row that the model may repeat a denied change before the run ends. */
const MAX_REPEATS = 3;

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
