import { noteMessage } from '../prompt/notes.ts';
import { WITHDRAWN } from '../prompt/outputs.ts';
import { toolMessages } from '../prompt/transcript.ts';
import { type Draft, withEffects, withMessages, withProposal, withRun } from './draft.ts';
import { endRun } from './end-run.ts';
import { type Proposal, turnOf } from './proposal.ts';
import { type Batch, type Call, type Phase, type Pull, type Run, TURN_LIMIT } from './run.ts';
import { moved } from './transition.ts';

/** The call's one answer to the model. A call that has one keeps it. */
export function answerCall(draft: Draft, callId: string, output: string): Draft {
  return withCall(draft, callId, { kind: 'answered', output });
}

/** The same for the call behind a proposal; one of a run that is over answers nothing, whatever its call was named. */
export function answerProposal(draft: Draft, proposal: Proposal, output: string): Draft {
  const { origin } = proposal;
  return origin.kind === 'call' && isOfBatch(draft.pull, proposal) ? answerCall(draft, origin.callId, output) : draft;
}

/** Whether it is a call of the response that is being worked off. */
function isOfBatch(pull: Pull, proposal: Proposal): boolean {
  const turn = turnOf(proposal);
  return turn !== null && pull.run?.id === proposal.runId && pull.run.batch?.turn === turn;
}

/** Gives a call another standing, unless it has its answer already. */
export function withCall(draft: Draft, callId: string, status: Call['status']): Draft {
  const batch = draft.pull.run?.batch;
  if (!batch) return draft;
  const calls = batch.calls.map((call) =>
    call.call.id === callId && call.status.kind !== 'answered' ? { ...call, status } : call,
  );
  return withRun(draft, { batch: { ...batch, calls } });
}

/** The same for the call behind a proposal; an undo has none. */
export function withCallOf(draft: Draft, { origin }: Proposal, status: Call['status']): Draft {
  return origin.kind === 'call' ? withCall(draft, origin.callId, status) : draft;
}

/** Calls that nobody decided in time are answered for the model as withdrawn. */
export function withExpiredAnswered(draft: Draft): Draft {
  const expired = draft.pull.run?.batch?.calls.filter(({ status }) => status.kind === 'expired') ?? [];
  return expired.reduce((next, { call }) => answerCall(next, call.id, WITHDRAWN), draft);
}

/** Puts one proposal on the page. */
export function withPosting(draft: Draft, proposal: Proposal): Draft {
  const { id, runId } = proposal;
  return withEffects(draft, { type: 'post-review', runId, turn: turnOf(proposal), proposalIds: [id] });
}

/** Takes an undecided proposal back: no denial, its call is answered as withdrawn. */
export function withdraw(draft: Draft, proposal: Proposal, note: string, now: string): Draft {
  const gone = withProposal(draft, { ...moved(proposal, 'superseded', now), note });
  return showing(answerProposal(gone, proposal, WITHDRAWN), proposal);
}

/** Keeps the proposal's comment true; one that was never posted has none. */
export function showing(draft: Draft, proposal: Proposal): Draft {
  return proposal.comment === null ? draft : withEffects(draft, { type: 'show-proposal', proposalId: proposal.id });
}

/** After calls were answered: the next model request once all of them are, else what the run now waits for. */
export function settleBatch(draft: Draft, now: string): Draft {
  const run = draft.pull.run;
  if (run === null || run.phase.kind === 'ended' || run.batch === null) return draft;
  if (run.batch.calls.every((call) => call.status.kind === 'answered')) return closeBatch(draft, run, run.batch, now);
  if (run.batch.calls.every(isSettled)) return endRun(draft, { how: 'expired', by: null, note: null }, now);
  return withEffects(withRun(draft, { phase: phaseOf(draft.pull, run.batch) }), { type: 'show-run', runId: run.id });
}

/** Nobody is waited for any more; of an expired one the model hears nothing before somebody lets the run go on. */
function isSettled({ status }: Call): boolean {
  return status.kind === 'answered' || status.kind === 'expired';
}

function phaseOf(pull: Pull, batch: Batch): Phase {
  if (batch.calls.some((call) => call.status.kind === 'using')) return { kind: 'using-tools', turn: batch.turn };
  const unposted = pull.proposals.some(
    (proposal) => isOfBatch(pull, proposal) && proposal.state === 'proposed' && proposal.comment === null,
  );
  return { kind: unposted ? 'posting' : 'waiting', turn: batch.turn };
}

function closeBatch(draft: Draft, run: Run, batch: Batch, now: string): Draft {
  const messages = [...(toolMessages(batch) ?? []), ...run.notes.map(noteMessage)];
  const told = withRun(withMessages(draft, ...messages), { batch: null, notes: [] });
  if (deniedWhole(draft.pull) && !batch.continued && run.notes.length === 0) {
    return endRun(told, { how: 'denied', by: null, note: null }, now);
  }
  if (run.repeats >= MOST_REPEATS) return endRun(told, { how: 'repeated', by: null, note: null }, now);
  return nextTurn(told, now);
}

/** Times in a row that the model may propose what was denied; then it needs a person. */
const MOST_REPEATS = 3;

/** Asks the model once more, unless the run has used up its responses. */
export function nextTurn(draft: Draft, now: string): Draft {
  const run = draft.pull.run;
  if (run === null) return draft;
  if (run.turns - (run.resumed?.turns ?? 0) >= TURN_LIMIT)
    return endRun(draft, { how: 'turn-limit', by: null, note: null }, now);
  const turn = run.turns + 1;
  const thinking = withRun(draft, { phase: { kind: 'thinking', turn } });
  return withEffects(
    thinking,
    { type: 'ask-model', runId: run.id, turn },
    { type: 'show-run', runId: run.id, progress: true },
  );
}

/** Everything that was shown, and neither withdrawn nor expired, was denied, and nobody said why. */
function deniedWhole(pull: Pull): boolean {
  const shown = pull.proposals.filter((proposal) => isOfBatch(pull, proposal) && !UNDECIDED.has(proposal.state));
  return shown.length > 0 && shown.every(deniedWithoutReason);
}

const UNDECIDED: ReadonlySet<Proposal['state']> = new Set<Proposal['state']>(['superseded', 'expired']);

function deniedWithoutReason(proposal: Proposal): boolean {
  if (proposal.state !== 'rejected') return false;
  return proposal.votes.every((vote) => vote.action !== 'edit' && !(vote.action === 'deny' && vote.text !== null));
}
