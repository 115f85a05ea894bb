import { staleOutput, tooManyOutput } from '../prompt/outputs.ts';
import { answerCall, settleBatch, withCall } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withEffects, withProposal, withPull, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import type { Proposal } from './proposal.ts';
import { proposalId } from './proposal-id.ts';
import { activeRun, type Pull, pullKey, type Run } from './run.ts';
import type { Signal, ToolResult } from './signal.ts';
import type { Step } from './step.ts';

type Used = Extract<Signal, { type: 'tools-used' }>;
type Proposed = Extract<ToolResult, { kind: 'change' }>;

/** Changes that may wait for people at once. */
const PROPOSALS_PER_TURN = 20;

/** The tools are through: reads answer their calls, changes become proposals and are posted together. */
export function onToolsUsed(pull: Pull, signal: Used, facts: Facts): Step {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId || run.batch?.turn !== signal.turn)
    return ignore(pull, 'outdated-outcome');
  const results = signal.results.filter((result) => isAwaited(run, result.callId));
  if (results.length === 0) return ignore(pull, 'outdated-outcome');
  const headed = withRun(draftOf(pull), { head: signal.head });
  const answered = results.reduce(takeOutput, headed);
  const proposed = propose(answered, results.filter(isChange), signal);
  const made = proposed.pull.proposalCount > pull.proposalCount;
  return finish(settleBatch(proposed, facts.now), made ? 'proposals-made' : 'tools-answered');
}

function isAwaited(run: Run, callId: string): boolean {
  return run.batch?.calls.some((call) => call.call.id === callId && call.status.kind === 'using') ?? false;
}

function isChange(result: ToolResult): result is Proposed {
  return result.kind === 'change';
}

function takeOutput(draft: Draft, result: ToolResult): Draft {
  if (result.kind !== 'output') return draft;
  const answered = answerCall(draft, result.callId, staleAnswer(draft.pull, result.callId) ?? result.output);
  if (result.read === null) return answered;
  return withRun(answered, { read: { ...answered.pull.run?.read, [result.read.path]: result.read.blob } });
}

/** A change whose file moved on, and whose call fits no more: the model hears that, not how the new try failed (T7). */
function staleAnswer(pull: Pull, callId: string): string | null {
  const run = pull.run;
  const stale = pull.proposals.findLast((one) => one.callId === callId && one.turn === run?.batch?.turn);
  return stale === undefined || run === null ? null : staleOutput(stale.change.path, stale.head, run.head);
}

function propose(draft: Draft, changes: readonly Proposed[], signal: Used): Draft {
  const open = draft.pull.proposals.filter((one) => one.state === 'proposed' || one.state === 'approved').length;
  const room = Math.max(0, PROPOSALS_PER_TURN - open);
  const shown = changes.slice(0, room);
  const refused = changes.slice(room);
  const output = tooManyOutput(PROPOSALS_PER_TURN);
  const told = refused.reduce((next, result) => answerCall(next, result.callId, output), draft);
  const added = shown.reduce(
    (next, result, index) => add(next, result, { index: index + 1, total: shown.length }, signal),
    told,
  );
  if (shown.length === 0) return added;
  const proposalIds = added.pull.proposals.slice(-shown.length).map((proposal) => proposal.id);
  return withEffects(added, { type: 'post-review', runId: signal.runId, turn: signal.turn, proposalIds });
}

function add(draft: Draft, result: Proposed, place: { index: number; total: number }, signal: Used): Draft {
  const { pull } = draft;
  const proposal: Proposal = {
    ...place,
    id: proposalId(pullKey(pull.ref), pull.proposalCount),
    runId: signal.runId,
    turn: signal.turn,
    callId: result.callId,
    tool: result.tool,
    modelReason: result.reason,
    change: result.change,
    head: signal.head,
    state: 'proposed',
    votes: [],
    placement: null,
    comment: null,
    commit: null,
    note: null,
    replacedBy: null,
    proposedAt: null,
    decidedAt: null,
    executedAt: null,
  };
  const kept = withPull(draft, { proposals: [...pull.proposals, proposal], proposalCount: pull.proposalCount + 1 });
  return linkOlder(withCall(kept, result.callId, { kind: 'proposed', proposalId: proposal.id }), proposal);
}

/** A superseded proposal of the same call, or one answered by an instruction on the same file, points to its successor. */
function linkOlder(draft: Draft, proposal: Proposal): Draft {
  const older = draft.pull.proposals.filter((one) => one.replacedBy === null && precedes(one, proposal));
  return older.reduce((next, one) => {
    const linked = withProposal(next, { ...one, replacedBy: proposal.id });
    return one.comment === null ? linked : withEffects(linked, { type: 'show-proposal', proposalId: one.id });
  }, draft);
}

function precedes(older: Proposal, newer: Proposal): boolean {
  if (older.id === newer.id) return false;
  if (older.state === 'superseded') return older.callId === newer.callId && older.turn === newer.turn;
  const instructed = older.state === 'rejected' && older.votes.at(-1)?.action === 'edit';
  return instructed && older.turn === newer.turn - 1 && older.change.path === newer.change.path;
}
