import { conflictingChange } from '../policy/batch-conflict.ts';
import { dependsOutput, overlapsOutput, staleOutput, tooManyOutput } from '../prompt/outputs.ts';
import { askedBefore } from './asked-before.ts';
import { answerCall, settleBatch, withCall } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withEffects, withProposal, withPull, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import { openProposals, withHead } from './open-proposals.ts';
import { type Proposal, turnOf, UNSEEN } from './proposal.ts';
import { proposalId } from './proposal-id.ts';
import { activeRun, type Pull, pullKey, type Run } from './run.ts';
import type { Signal, ToolResult } from './signal.ts';
import type { Step } from './step.ts';

type Used = Extract<Signal, { type: 'tools-used' }>;
/** With the head that was read, or the one before it where nothing could be. */
type UsedAt = Used & { readonly head: string };
type Proposed = Extract<ToolResult, { kind: 'change' }>;

/** Changes that may wait for people at once. */
const PROPOSALS_PER_TURN = 20;

/** Characters of a reason, as the tools' schemas have it. */
const LONGEST_REASON = 200;

/** The tools are through: reads answer their calls, changes become proposals and are posted together. */
export function onToolsUsed(pull: Pull, signal: Used, facts: Facts): Step {
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId || run.batch?.turn !== signal.turn)
    return ignore(pull, 'outdated-outcome');
  const results = signal.results.filter((result) => isAwaited(run, result.callId));
  if (results.length === 0) return ignore(pull, 'outdated-outcome');
  const head = signal.head ?? run.head;
  const answered = results.reduce(takeOutput, withHead(draftOf(pull), head));
  const proposed = propose(answered, results, { ...signal, head });
  const made = proposed.pull.proposalCount > pull.proposalCount;
  return finish(settleBatch(proposed, facts.now), made ? 'proposals-made' : 'tools-answered');
}

function isAwaited(run: Run, callId: string): boolean {
  return run.batch?.calls.some((call) => call.call.id === callId && call.status.kind === 'using') ?? false;
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
  const stale = pull.proposals.findLast(
    ({ runId, origin }) =>
      runId === run?.id && origin.kind === 'call' && origin.callId === callId && origin.turn === run.batch?.turn,
  );
  return stale === undefined || run === null ? null : staleOutput(stale.change.path, stale.head, run.head);
}

/** Each change in the order of the calls: shown, or refused because of one that is shown already. */
function propose(draft: Draft, results: readonly ToolResult[], signal: UsedAt): Draft {
  const sorted = results.reduce(sortOut, { draft, shown: [] });
  const total = sorted.shown.length;
  if (total === 0) return sorted.draft;
  const fresh = withRun(sorted.draft, { repeats: 0 });
  const added = sorted.shown.reduce((next, one, at) => add(next, one, { index: at + 1, total }, signal), fresh);
  const proposalIds = added.pull.proposals.slice(-total).map((proposal) => proposal.id);
  return withEffects(added, { type: 'post-review', runId: signal.runId, turn: signal.turn, proposalIds });
}

type Sorted = { readonly draft: Draft; readonly shown: readonly Proposed[] };

function sortOut(sorted: Sorted, result: ToolResult): Sorted {
  const { draft, shown } = sorted;
  const waiting = [
    ...openProposals(draft.pull.proposals).map(({ id, change, origin }) => ({
      id,
      change,
      callId: origin.kind === 'call' ? origin.callId : null,
    })),
    ...shown.map((one, at) => ({ ...one, id: idAt(draft.pull, at) })),
  ];
  if (result.kind === 'depends') {
    const on = waiting.find((one) => one.callId === result.onCallId)?.id;
    return { draft: answerCall(draft, result.callId, dependsOutput(result.path, on ?? 'of the same response')), shown };
  }
  if (result.kind === 'output') return sorted;
  const before = askedBefore(draft.pull, result.change);
  if (before !== null) return refuse(before.kind === 'denied' ? counted(sorted) : sorted, result, before.output);
  if (waiting.length >= PROPOSALS_PER_TURN) return refuse(sorted, result, tooManyOutput(PROPOSALS_PER_TURN));
  const conflict = conflictingChange(result.change, waiting);
  if (conflict !== null)
    return refuse(
      sorted,
      result,
      overlapsOutput(result.change.path, conflict.id, isOfResponse(draft.pull, conflict.id)),
    );
  return { draft, shown: [...shown, result] };
}

/** Whether a change that waits comes from the response that is being worked off: one that is not stored yet does. */
function isOfResponse({ proposals, run }: Pull, id: string): boolean {
  const stored = proposals.find((one) => one.id === id);
  return stored === undefined || (stored.runId === run?.id && turnOf(stored) === run.batch?.turn);
}

/** One more time that the model proposed what was denied; whatever is new to people begins the count anew. */
function counted({ draft, shown }: Sorted): Sorted {
  return { draft: withRun(draft, { repeats: (draft.pull.run?.repeats ?? 0) + 1 }), shown };
}

function refuse({ draft, shown }: Sorted, result: Proposed, output: string): Sorted {
  return { draft: answerCall(draft, result.callId, output), shown };
}

function idAt(pull: Pull, offset: number): string {
  return proposalId(pullKey(pull.ref), pull.proposalCount + offset);
}

function add(draft: Draft, result: Proposed, place: { index: number; total: number }, signal: UsedAt): Draft {
  const { pull } = draft;
  const proposal: Proposal = {
    ...UNSEEN,
    ...place,
    id: idAt(pull, 0),
    runId: signal.runId,
    origin: { kind: 'call', turn: signal.turn, callId: result.callId, tool: result.tool },
    modelReason: reasonOf(pull, result),
    change: result.change,
    modified: null,
    head: signal.head,
    requiredApprovals: pull.run?.settings.requiredApprovals ?? 1,
  };
  const kept = withPull(draft, { proposals: [...pull.proposals, proposal], proposalCount: pull.proposalCount + 1 });
  return linkOlder(withCall(kept, result.callId, { kind: 'proposed', proposalId: proposal.id }), proposal);
}

/** The model's reason; without one, a response's only call has the first line of what was written beside it. */
function reasonOf({ run }: Pull, { reason }: Proposed): string | null {
  if (reason !== null || run?.batch?.calls.length !== 1) return reason;
  const [line = ''] = run.batch.text?.trim().split('\n') ?? [];
  return line === '' ? null : [...line.trim()].slice(0, LONGEST_REASON).join('');
}

/** A superseded proposal of the same call, or one answered by an instruction on the same file, points to its successor. */
function linkOlder(draft: Draft, proposal: Proposal): Draft {
  const older = draft.pull.proposals.filter((one) => one.replacedBy === null && precedes(one, proposal));
  return older.reduce((next, one) => withProposal(next, { ...one, replacedBy: proposal.id }), draft);
}

function precedes(older: Proposal, newer: Proposal): boolean {
  if (older.id === newer.id || older.runId !== newer.runId) return false;
  const [before, after] = [older.origin, newer.origin];
  if (before.kind !== 'call' || after.kind !== 'call') return false;
  if (older.state === 'superseded' || older.state === 'expired')
    return before.callId === after.callId && before.turn === after.turn;
  const instructed = older.state === 'rejected' && older.votes.at(-1)?.action === 'edit';
  return instructed && before.turn === after.turn - 1 && older.change.path === newer.change.path;
}
