import { appCommitsTo, proposalsBeforeCommit } from '../actions/head-assessment.ts';
import { setHeadIfIdle } from '../actions/head-moved.ts';
import {
  endStep,
  noop,
  type StepBuilder,
  startStep,
  withEffects,
  withProposal,
  withPullState,
  withRun,
} from '../actions/step-builder.ts';
import { advanceBatch, answerToolCall, setCallStatus } from '../actions/tool-batch.ts';
import {
  alreadyRejectedOutput,
  dependsOnPendingOutput,
  overlapsPendingOutput,
  REVERTS_USER_EDIT_OUTPUT,
  staleOutput,
  tooManyPendingOutput,
} from '../agent/tool-results.ts';
import { createProposalId } from '../comments/ids.ts';
import type { FileChange } from '../edits/change.ts';
import { findConflictingChange, isRepeatOfDenied, isRevertOfUserEdit } from '../policy/earlier-changes.ts';
import type { Facts } from '../state/facts.ts';
import { NEW_PROPOSAL, type Person, type Proposal, turnOf } from '../state/proposal.ts';
import { type AppCommit, activeRun, type PullState, pullRequestKey, type Run } from '../state/run.ts';
import type { Signal, ToolResult } from '../state/signals.ts';
import type { Step } from '../state/step.ts';

type ToolsFinishedSignal = Extract<Signal, { type: 'tools-finished' }>;

/** `headSha` is the last assessed head if the tools could not read the current one. */
type ToolsFinishedAtHead = ToolsFinishedSignal & { readonly headSha: string };

type ProposedChange = Extract<ToolResult, { kind: 'change' }>;

/** Uncommitted proposals at the same time. */
const MAX_OPEN_PROPOSALS = 20;

/** The limit in the schemas of the tools. */
const MAX_REASON_CHARACTERS = 200;

/** Stores the outputs of calls. Changes become proposals, which are posted together. */
export function onToolsFinished(pull: PullState, signal: ToolsFinishedSignal, facts: Facts): Step {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId || run.batch?.turn !== signal.turn) return noop(pull, 'outdated-result');
  const results = signal.results.filter((result) => isAwaited(run, result.callId));
  if (results.length === 0) return noop(pull, 'outdated-result');
  const headSha = signal.headSha ?? run.assessedHeadSha;
  const answered = results.reduce(recordOutput, setHeadIfIdle(startStep(pull), headSha));
  const proposed = createProposals(answered, results, { ...signal, headSha });
  const hasProposals = proposed.pull.proposalCount > pull.proposalCount;
  return endStep(advanceBatch(proposed, facts.now), hasProposals ? 'proposals-created' : 'tool-calls-answered');
}

function isAwaited(run: Run, callId: string): boolean {
  return run.batch?.calls.some((call) => call.toolCall.id === callId && call.status.kind === 'running') ?? false;
}

function recordOutput(builder: StepBuilder, result: ToolResult): StepBuilder {
  if (result.kind !== 'output') return builder;
  const answered = answerToolCall(
    builder,
    result.callId,
    staleRetryOutput(builder.pull, result.callId) ?? result.output,
  );
  if (result.readBlob === null) return answered;
  return withRun(answered, {
    readBlobs: { ...answered.pull.run?.readBlobs, [result.readBlob.path]: result.readBlob.blob },
  });
}

/**
 * For a failed retry after the file changed, the model gets the reason of the retry and not the error of the call (T7).
 */
function staleRetryOutput(pull: PullState, callId: string): string | null {
  const run = pull.run;
  const stale = pull.proposals.findLast(
    ({ runId, origin }) =>
      runId === run?.id && origin.kind === 'call' && origin.callId === callId && origin.turn === run.batch?.turn,
  );
  return stale === undefined || run === null
    ? null
    : staleOutput(stale.change.path, stale.headSha, run.assessedHeadSha);
}

/** Creates proposals in the order of the calls. A change that conflicts with an earlier one is refused. */
function createProposals(
  builder: StepBuilder,
  results: readonly ToolResult[],
  signal: ToolsFinishedAtHead,
): StepBuilder {
  const sorted = results.reduce(sortResult, { builder, accepted: [] });
  const total = sorted.accepted.length;
  if (total === 0) return sorted.builder;
  const counterReset = withRun(sorted.builder, { repeatedProposals: 0 });
  const added = sorted.accepted.reduce(
    (next, one, index) => addProposal(next, one, { index: index + 1, total }, signal),
    counterReset,
  );
  const proposalIds = added.pull.proposals.slice(-total).map((proposal) => proposal.id);
  return withEffects(added, { type: 'post-proposals', runId: signal.runId, turn: signal.turn, proposalIds });
}

type SortedResults = { readonly builder: StepBuilder; readonly accepted: readonly ProposedChange[] };

function sortResult(sorted: SortedResults, result: ToolResult): SortedResults {
  const { builder, accepted } = sorted;
  const uncommitted = [
    ...proposalsBeforeCommit(builder.pull.proposals).map(({ id, change, origin }) => ({
      id,
      change,
      callId: origin.kind === 'call' ? origin.callId : null,
    })),
    ...accepted.map((one, index) => ({ ...one, id: proposalIdAt(builder.pull, index) })),
  ];
  if (result.kind === 'depends-on-call') {
    const dependency = uncommitted.find((one) => one.callId === result.dependsOnCallId)?.id;
    return {
      builder: answerToolCall(
        builder,
        result.callId,
        dependsOnPendingOutput(result.path, dependency ?? 'of the same response'),
      ),
      accepted,
    };
  }
  if (result.kind === 'output') return sorted;
  const earlier = findEarlierAnswer(builder.pull, result.change);
  if (earlier !== null)
    return refuseChange(earlier.kind === 'denied' ? countRepeat(sorted) : sorted, result, earlier.output);
  if (uncommitted.length >= MAX_OPEN_PROPOSALS)
    return refuseChange(sorted, result, tooManyPendingOutput(MAX_OPEN_PROPOSALS));
  const conflict = findConflictingChange(result.change, uncommitted);
  if (conflict !== null)
    return refuseChange(
      sorted,
      result,
      overlapsPendingOutput(result.change.path, conflict.id, isFromCurrentTurn(builder.pull, conflict.id)),
    );
  return { builder, accepted: [...accepted, result] };
}

/** A change that is not stored yet is from the current turn. */
function isFromCurrentTurn({ proposals, run }: PullState, id: string): boolean {
  const stored = proposals.find((one) => one.id === id);
  return stored === undefined || (stored.runId === run?.id && turnOf(stored) === run.batch?.turn);
}

/** A new change resets this count. */
function countRepeat({ builder, accepted }: SortedResults): SortedResults {
  return { builder: withRun(builder, { repeatedProposals: (builder.pull.run?.repeatedProposals ?? 0) + 1 }), accepted };
}

function refuseChange({ builder, accepted }: SortedResults, result: ProposedChange, output: string): SortedResults {
  return { builder: answerToolCall(builder, result.callId, output), accepted };
}

function proposalIdAt(pull: PullState, offset: number): string {
  return createProposalId(pullRequestKey(pull.ref), pull.proposalCount + offset);
}

function addProposal(
  builder: StepBuilder,
  result: ProposedChange,
  position: { readonly index: number; readonly total: number },
  signal: ToolsFinishedAtHead,
): StepBuilder {
  const { pull } = builder;
  const proposal: Proposal = {
    ...NEW_PROPOSAL,
    ...position,
    id: proposalIdAt(pull, 0),
    runId: signal.runId,
    origin: { kind: 'call', turn: signal.turn, callId: result.callId, tool: result.tool },
    modelReason: reasonOf(pull, result),
    change: result.change,
    userEdit: null,
    shapers: { requesters: requestersIn(pull.run), writers: [] },
    headSha: signal.headSha,
    requiredApprovals: pull.run?.settings.requiredApprovals ?? 1,
  };
  const added = withPullState(builder, {
    proposals: [...pull.proposals, proposal],
    proposalCount: pull.proposalCount + 1,
  });
  return linkReplaced(setCallStatus(added, result.callId, { kind: 'proposed', proposalId: proposal.id }), proposal);
}

/** Everyone whose words the model has. Any of them can have caused a change, also turns later. */
function requestersIn(run: Run | null): readonly Person[] {
  return run === null ? [] : [run.task.by, ...run.instructors];
}

/** The model's reason. The only call of a response can also have it in the first line of the response's text. */
function reasonOf({ run }: PullState, { reason }: ProposedChange): string | null {
  if (reason !== null || run?.batch?.calls.length !== 1) return reason;
  const [line = ''] = run.batch.assistantText?.trim().split('\n') ?? [];
  return line === '' ? null : [...line.trim()].slice(0, MAX_REASON_CHARACTERS).join('');
}

/**
 * Links the proposals that a new one replaces: retried calls, and proposals of the same file that people asked to
 * change.
 */
function linkReplaced(builder: StepBuilder, proposal: Proposal): StepBuilder {
  const replaced = builder.pull.proposals.filter((one) => one.replacedBy === null && isReplacedBy(one, proposal));
  return replaced.reduce((next, one) => withProposal(next, { ...one, replacedBy: proposal.id }), builder);
}

function isReplacedBy(older: Proposal, newer: Proposal): boolean {
  if (older.id === newer.id || older.runId !== newer.runId) return false;
  const [before, after] = [older.origin, newer.origin];
  if (before.kind !== 'call' || after.kind !== 'call') return false;
  if (older.state === 'superseded' || older.state === 'expired')
    return before.callId === after.callId && before.turn === after.turn;
  const hasInstruction = older.state === 'rejected' && older.votes.at(-1)?.action === 'edit';
  return hasInstruction && before.turn === after.turn - 1 && older.change.path === newer.change.path;
}

/** The output for the model instead of asking people again. */
type EarlierAnswer = { readonly kind: 'denied' | 'reverts-user-edit'; readonly output: string };

/**
 * Finds the denial of the same change in this run, or a person's own text that the change reverts; null for a new
 * change.
 */
function findEarlierAnswer(pull: PullState, change: FileChange): EarlierAnswer | null {
  const appCommits = appCommitsTo(pull.run, change.path);
  const ofRun = pull.proposals.filter((one) => one.runId === pull.run?.id);
  if (ofRun.some((one) => revertsUserEditOf(one, change, appCommits)))
    return { kind: 'reverts-user-edit', output: REVERTS_USER_EDIT_OUTPUT };
  const denied = ofRun.filter((one) => isDenialInForce(one, pull.run?.lastFeedbackAt ?? null));
  const repeated = denied.findLast((one) => isRepeatOfDenied(change, one.change, appCommits));
  const by = repeated?.votes.findLast(({ action }) => action === 'deny')?.by;
  return by === undefined ? null : { kind: 'denied', output: alreadyRejectedOutput(by.login) };
}

function revertsUserEditOf(
  { state, change, userEdit }: Proposal,
  fresh: FileChange,
  appCommits: readonly AppCommit[],
): boolean {
  return state === 'completed' && userEdit !== null && isRevertOfUserEdit(fresh, { change, ...userEdit }, appCommits);
}

/** A denial is in force until a person writes to the agent about the whole task: words on another change lift none. */
function isDenialInForce({ state, votes }: Proposal, lastFeedbackAt: string | null): boolean {
  const denial = votes.findLast(({ action }) => action === 'deny' || action === 'edit');
  if (state !== 'rejected' || denial?.action !== 'deny') return false;
  return lastFeedbackAt === null || Date.parse(denial.at) > Date.parse(lastFeedbackAt);
}
