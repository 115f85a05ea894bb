import { withNeeded } from '../actions/approvals.ts';
import { proposalsBeforeCommit } from '../actions/head-assessment.ts';
import { type StepBuilder, withEffects, withProposal, withPullState, withRun } from '../actions/step-builder.ts';
import { answerToolCall, setProposalCallStatus } from '../actions/tool-batch.ts';
import {
  alreadyRejectedOutput,
  overlapsPendingOutput,
  REVERTS_USER_EDIT_OUTPUT,
  tooManyPendingOutput,
} from '../agent/shared/tool-results.ts';
import { createProposalId } from '../comments/ids.ts';
import { type Change, mainPath, pathsOf } from '../edits/change.ts';
import {
  areChangesTouching,
  countMembers,
  findConflictingChange,
  isRevertOfUserEdit,
  repeatsResult,
} from '../policy/earlier-changes.ts';
import { cutReason, sharesCall } from '../state/conversation.ts';
import { LIMITS } from '../state/limits.ts';
import { isInstructed, NEW_PROPOSAL, type Proposal, withReplacedVersions } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import { NO_DENIALS, type Run } from '../state/run.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { CallResult, SignalOf } from '../step/signals.ts';

/** `headSha` is the last assessed head if the tools could not read the current one. */
type ToolsFinishedAtHead = SignalOf<'tools-finished'> & {
  readonly headSha: string;
};

type ProposedChange = Extract<CallResult, { kind: 'change' }>;

/**
 * Creates proposals in the order of the calls, which are posted together. A change that touches an undecided one is
 * refused.
 */
export function createProposals(
  builder: StepBuilder,
  results: readonly CallResult[],
  signal: ToolsFinishedAtHead,
): StepBuilder {
  const sorted = results.reduce(sortResult, { builder, accepted: [] });
  const total = sorted.accepted.length;
  if (total === 0) return sorted.builder;
  const added = sorted.accepted.reduce(
    (next, one, index) => addProposal(next, one, { index: index + 1, total }, signal),
    countChange(sorted.builder, 'new'),
  );
  const proposalIds = added.pull.proposals.slice(-total).map((proposal) => proposal.id);
  return withEffects(added, { type: 'post-proposals', runId: signal.runId, turn: signal.turn, proposalIds });
}

type SortedResults = {
  readonly builder: StepBuilder;
  readonly accepted: readonly ProposedChange[];
};

/** The uncommitted changes, stored and about to be. */
function listUncommitted({ builder: { pull }, accepted }: SortedResults): readonly Pick<Proposal, 'id' | 'change'>[] {
  const added = accepted.map(({ change }, index) => ({ id: createProposalId(pull, index), change }));
  return [...proposalsBeforeCommit(pull.proposals), ...added];
}

function sortResult(sorted: SortedResults, result: CallResult): SortedResults {
  return result.kind === 'change' ? sortChange(sorted, result) : sorted;
}

function sortChange(sorted: SortedResults, result: ProposedChange): SortedResults {
  const { builder, accepted } = sorted;
  const earlier = findEarlierAnswer(builder.pull, result.change);
  if (earlier !== null) return refuseChange({ ...sorted, builder: countChange(builder, 'repeated') }, result, earlier);
  const uncommitted = listUncommitted(sorted);
  const { proposalsPerTurn } = (builder.pull.run?.settings ?? DEFAULT_SETTINGS).limits;
  if (uncommitted.length >= proposalsPerTurn)
    return refuseChange(sorted, result, tooManyPendingOutput(proposalsPerTurn));
  if (countMembers([...uncommitted, result]) > LIMITS.openMembers)
    return refuseChange(sorted, result, tooManyPendingOutput(uncommitted.length));
  const conflict = findConflictingChange(result.change, uncommitted);
  return conflict === null
    ? { ...sorted, accepted: [...accepted, result] }
    : refuseChange(sorted, result, overlapsPendingOutput(mainPath(result.change)));
}

function refuseChange(sorted: SortedResults, { calls }: ProposedChange, output: string): SortedResults {
  return { ...sorted, builder: calls.reduce((next, call) => answerToolCall(next, call, output), sorted.builder) };
}

function addProposal(
  builder: StepBuilder,
  result: ProposedChange,
  position: { readonly index: number; readonly total: number },
  signal: ToolsFinishedAtHead,
): StepBuilder {
  const { pull } = builder;
  const proposal = withNeeded(
    {
      ...NEW_PROPOSAL,
      ...position,
      id: createProposalId(pull),
      runId: signal.runId,
      origin: { kind: 'call', turn: signal.turn, calls: result.calls, tool: result.tool },
      modelReason: reasonOf(pull, result),
      answers: result.answers ?? null,
      change: result.change,
      syntaxProblems: result.syntaxProblems ?? [],
      userEdit: null,
      headSha: signal.headSha,
      requiredApprovals: 1,
    },
    pull.run?.settings ?? DEFAULT_SETTINGS,
  );
  const added = withPullState(builder, {
    proposals: [...pull.proposals, proposal],
    proposalCount: pull.proposalCount + 1,
  });
  return linkReplaced(setProposalCallStatus(added, proposal, { kind: 'proposed', proposalId: proposal.id }), proposal);
}

/** The model's reason. The only call of a response can also have it in the first line of the response's text. */
function reasonOf({ run }: PullState, { reason }: ProposedChange): string | null {
  if (reason !== null || run?.batch?.calls.length !== 1) return reason;
  const [line = ''] = run.batch.assistantText?.trim().split('\n') ?? [];
  return cutReason(line);
}

/** Links the proposals that a new one replaces, and the new one to them. */
function linkReplaced(builder: StepBuilder, proposal: Proposal): StepBuilder {
  const replaced = findReplaced(builder.pull.proposals, proposal);
  if (replaced.length === 0) return builder;
  // A person who asked for another version still wants their thread answered.
  const answers = proposal.answers ?? replaced.findLast((one) => one.answers !== null)?.answers ?? null;
  const linked = withProposal(builder, withReplacedVersions({ ...proposal, answers }, replaced));
  return replaced.reduce((next, one) => withProposal(next, { ...one, replacedBy: proposal.id }), linked);
}

/** The proposals that a new one replaces: retried calls, and what was withdrawn or denied with words in its place. */
function findReplaced(proposals: readonly Proposal[], newer: Proposal): readonly Proposal[] {
  return proposals.filter(
    (one) => one.id !== newer.id && one.runId === newer.runId && one.replacedBy === null && isNextVersion(one, newer),
  );
}

function isNextVersion(older: Proposal, newer: Proposal): boolean {
  const [before, after] = [older.origin, newer.origin];
  if (before.kind !== 'call' || after.kind !== 'call') return false;
  const isUndecided = older.state === 'superseded' || older.state === 'expired';
  if (before.turn >= after.turn) return isUndecided && sharesCall(before.calls, after.calls);
  const isRequested =
    isInstructed(older) &&
    before.turn === after.turn - 1 &&
    pathsOf(older.change).some((path) => pathsOf(newer.change).includes(path));
  return isRequested || ((isUndecided || hasReason(older)) && areChangesTouching(older.change, newer.change));
}

function hasReason({ state, votes }: Proposal): boolean {
  return state === 'rejected' && votes.some(({ action, text }) => action === 'deny' && text !== null && text !== '');
}

/**
 * The output for the model instead of asking people again: in this run a change that leaves the same bytes was denied,
 * or the change reverts a person's own text. Null for a new change.
 */
export function findEarlierAnswer(pull: PullState, change: Change): string | null {
  const ofRun = pull.proposals.filter((one) => one.runId === pull.run?.id);
  if (ofRun.some((one) => revertsUserEditOf(one, change))) return REVERTS_USER_EDIT_OUTPUT;
  const denied = ofRun.findLast((one) => isDenialInForce(one, pull.run) && repeatsResult(change, one.change));
  const by = denied?.votes.findLast(({ action }) => action === 'deny')?.by;
  return by === undefined ? null : alreadyRejectedOutput(by.login);
}

/** Counts a change that was answered before. A new change resets the count. */
export function countChange(builder: StepBuilder, change: 'repeated' | 'new'): StepBuilder {
  const { liftedAt, repeats } = builder.pull.run?.denials ?? NO_DENIALS;
  return withRun(builder, { denials: { liftedAt, repeats: change === 'new' ? 0 : repeats + 1 } });
}

function revertsUserEditOf({ state, userEdit }: Proposal, fresh: Change): boolean {
  return state === 'completed' && userEdit !== null && isRevertOfUserEdit(fresh, userEdit);
}

/** A denial is in force until a person writes to the agent. */
function isDenialInForce({ state, votes }: Proposal, run: Run | null): boolean {
  const denial = votes.findLast(({ action }) => action === 'deny' || action === 'edit');
  if (state !== 'rejected' || denial?.action !== 'deny') return false;
  const { liftedAt } = run?.denials ?? NO_DENIALS;
  return liftedAt === null || Date.parse(denial.at) > Date.parse(liftedAt);
}
