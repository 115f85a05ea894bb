import { coalescingKey, delayOf, type Effect, LANES } from '../../run/effect.ts';
import type { Proposal, Write } from '../../run/proposal.ts';
import { goesOn, goesOnSince } from '../../run/run.ts';
import { tellsOfCommit } from '../../run/signal.ts';
import type { Step } from '../../run/step.ts';
import { isFinal } from '../../run/transition.ts';
import { type EffectRow, finish, nextId, type PullRow, settle, type Tables } from './tables.ts';

/** Throws where a step may not be saved; what passes is written whole. */
export function checkStep(tables: Tables, row: PullRow, step: Step): void {
  const changed = changedIn(row, step);
  refuseStolen(tables, row, step, changed);
  refuseSecondOutcome(row, changed);
  refuseTakenPlace(tables, step);
}

/** Writes a step that `checkStep` let pass. */
export function writeStep(tables: Tables, row: PullRow, step: Step, now: number): void {
  const changed = changedIn(row, step);
  addMessages(tables, step);
  saveRun(tables, row, step, now);
  for (const proposal of changed) saveProposal(tables, row, proposal, now);
  row.votes.push(...step.votes);
  addWrites(row, step);
  if (step.dropsRest) dropRest(row, step, now);
  for (const effect of step.effects) wantEffect(tables, row, effect, now);
  const { run: _run, proposals: _proposals, ...state } = step.pull;
  row.state = state;
  row.runId = step.pull.run?.id ?? null;
  row.active = goesOn(step.pull);
  row.goesOnSince = goesOnSince(step.pull);
}

function changedIn(row: PullRow, { pull }: Step): readonly Proposal[] {
  return pull.proposals.filter((one) => row.proposals.get(one.id)?.proposal !== one);
}

/** A run belongs to one pull request, and an id names one proposal for ever. */
function refuseStolen(tables: Tables, row: PullRow, { pull }: Step, changed: readonly Proposal[]): void {
  const owner = pull.run === null ? undefined : tables.runs.get(pull.run.id)?.pullKey;
  if (owner !== undefined && owner !== row.key)
    throw new Error(`Run ${pull.run?.id ?? ''} belongs to another pull request`);
  const twice = changed.find(({ id, runId }) => (row.proposals.get(id)?.proposal.runId ?? runId) !== runId);
  if (twice !== undefined) throw new Error(`An id of ${row.key} was given twice`);
}

function refuseSecondOutcome(row: PullRow, changed: readonly Proposal[]): void {
  for (const { id, state } of changed) {
    const first = row.outcomes.get(id)?.state;
    if (first !== undefined && isFinal(state) && first !== state)
      throw new Error(`Proposal ${id} is ${first} for good and cannot become ${state}`);
  }
}

/** The run counts its messages, so the new ones are its last. */
function refuseTakenPlace(tables: Tables, { pull: { run }, messages }: Step): void {
  if (messages.length === 0) return;
  if (run === null || run.messages < messages.length) throw new Error('Messages without a run that counts them');
  const before = tables.messages.get(run.id) ?? [];
  if (before.length > run.messages - messages.length) throw new Error(`A place of ${run.id}'s transcript is taken`);
}

function addMessages(tables: Tables, { pull: { run }, messages }: Step): void {
  if (run === null || messages.length === 0) return;
  tables.messages.set(run.id, [...(tables.messages.get(run.id) ?? []), ...messages]);
}

function saveRun(tables: Tables, row: PullRow, { pull: { run } }: Step, now: number): void {
  if (run !== null) tables.runs.set(run.id, { pullKey: row.key, updatedAt: now, run });
}

function saveProposal(tables: Tables, row: PullRow, proposal: Proposal, now: number): void {
  const place = row.proposals.get(proposal.id)?.place ?? nextId(tables);
  row.proposals.set(proposal.id, { place, proposal, updatedAt: now });
  if (isFinal(proposal.state) && !row.outcomes.has(proposal.id)) row.outcomes.set(proposal.id, proposal);
}

/** A commit that is heard of twice has its rows already. */
function addWrites({ writes }: PullRow, step: Step): void {
  const isKnown = (one: Write): boolean =>
    writes.some(({ proposalId, commit }) => proposalId === one.proposalId && commit === one.commit);
  writes.push(...step.writes.filter((one) => !isKnown(one)));
}

function dropRest(row: PullRow, { reason }: Step, now: number): void {
  for (const signal of row.waiting) {
    if (signal.signal !== null && tellsOfCommit(signal.signal)) continue;
    settle(row, signal, now);
    signal.reason = reason;
  }
  for (const effect of row.wanted) {
    finish(row, effect, now);
    effect.error = reason;
  }
}

/** One that waits is wanted again, at once: one that was tried before keeps its time, but its tries count anew. */
function wantAgain(effect: EffectRow, now: number): void {
  Object.assign(effect, { createdAt: now, faults: 0 });
  if (effect.attempts === 0) effect.notBefore = now;
}

/** One that is being performed may have looked already, so it makes no later equal one unnecessary. */
export function wantEffect(tables: Tables, row: PullRow, effect: Effect, now: number): void {
  const key = coalescingKey(effect);
  const before = row.wanted.find((one) => key !== null && one.coalescingKey === key && !one.begun);
  if (before !== undefined) {
    if (delayOf(effect) === 0 && before.notBefore > now) wantAgain(before, now);
    return;
  }
  if (effect.type === 'answer' && effect.once !== null) {
    if (row.onceKeys.has(effect.once)) return;
    row.onceKeys.add(effect.once);
  }
  const wanted: EffectRow = {
    id: nextId(tables),
    lane: LANES[effect.type],
    effect,
    coalescingKey: key,
    createdAt: now,
    notBefore: now + delayOf(effect),
    attempts: 0,
    limited: 0,
    faults: 0,
    begun: false,
    lease: null,
    doneAt: null,
    error: null,
  };
  row.effects.push(wanted);
  row.wanted = [...row.wanted, wanted];
}
