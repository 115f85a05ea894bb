import {
  countFailure,
  type DeadLetterFollowUp,
  type EffectRetry,
  type ErrorReport,
  MAX_REPORTED_ERRORS,
  type Store,
  type StoredEffect,
  type StoredSignal,
} from '../../../src/adapters/store/store.ts';
import { type CommittedChange, isFinal, type Proposal } from '../../../src/core/state/proposal.ts';
import { hasActiveWork } from '../../../src/core/state/pull-state.ts';
import {
  dedupeKey,
  delayOf,
  type Effect,
  LANES,
  ONCE_IN_REPOSITORY,
  onlyNewestAttemptFinishes,
} from '../../../src/core/step/effects.ts';
import type { Reason } from '../../../src/core/step/reasons.ts';
import { reportsCommit, type Signal } from '../../../src/core/step/signals.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { claimConcurrentEffect } from './claims.ts';
import {
  addSignal,
  clearAttempt,
  completeEffectRow,
  completeSignalRow,
  type MemoryEffectRow,
  type MemoryInboxRow,
  type MemoryPullRow,
  type MemoryTables,
  nextId,
  notifyListeners,
  requireWholeTime,
} from './tables.ts';

/** Throws if the step breaks a rule of the store. Called before `writeStep`, so that steps are written atomically. */
export function checkStep(tables: MemoryTables, row: MemoryPullRow, step: Step): void {
  const changed = changedProposals(row, step);
  checkIds(tables, row, step, changed);
  checkOutcomes(row, changed);
  checkMessageCount(tables, step);
}

export function writeStep(tables: MemoryTables, row: MemoryPullRow, step: Step, now: number): void {
  const changed = changedProposals(row, step);
  addMessages(tables, step);
  saveRun(tables, row, step, now);
  for (const proposal of changed) saveProposal(tables, row, proposal, now);
  row.votes.push(...step.votes);
  const runId = step.pull.run?.id ?? '';
  row.answers.push(...step.answers.map(({ answer }) => ({ runId, answer })));
  addCommittedChanges(row, step);
  if (step.cancelsPendingWork) dropPendingWork(row, step, now);
  for (const effect of step.effects) enqueueEffect(tables, row, effect, now);
  const { run: _run, proposals: _proposals, ...state } = step.pull;
  row.state = state;
  row.runId = step.pull.run?.id ?? null;
  row.isActive = hasActiveWork(step.pull);
}

function changedProposals(row: MemoryPullRow, { pull }: Step): readonly Proposal[] {
  return pull.proposals.filter((proposal) => row.proposals.get(proposal.id)?.proposal !== proposal);
}

/** A run belongs to one pull request. An id is never given to a second proposal. */
function checkIds(tables: MemoryTables, row: MemoryPullRow, { pull }: Step, changed: readonly Proposal[]): void {
  const owner = pull.run === null ? undefined : tables.runs.get(pull.run.id)?.pullKey;
  if (owner !== undefined && owner !== row.key)
    throw new Error(`Run ${pull.run?.id ?? ''} belongs to another pull request`);
  const duplicate = changed.find(({ id, runId }) => (row.proposals.get(id)?.proposal.runId ?? runId) !== runId);
  if (duplicate !== undefined) throw new Error(`A proposal id of ${row.key} was given twice`);
}

function checkOutcomes(row: MemoryPullRow, changed: readonly Proposal[]): void {
  for (const { id, state } of changed) {
    const first = row.outcomes.get(id)?.state;
    if (first !== undefined && isFinal(state) && first !== state)
      throw new Error(`Proposal ${id} is ${first} for good and cannot become ${state}`);
  }
}

/** `run.messageCount` includes the new messages, which are the last. */
function checkMessageCount(tables: MemoryTables, { pull: { run }, messages }: Step): void {
  if (messages.length === 0) return;
  if (run === null || run.messageCount < messages.length) throw new Error('The run does not count these messages');
  const before = tables.messages.get(run.id) ?? [];
  if (before.length > run.messageCount - messages.length)
    throw new Error(`Run ${run.id} already has messages at these positions`);
}

function addMessages(tables: MemoryTables, { pull: { run }, messages }: Step): void {
  if (run === null || messages.length === 0) return;
  tables.messages.set(run.id, [...(tables.messages.get(run.id) ?? []), ...messages]);
}

function saveRun(tables: MemoryTables, row: MemoryPullRow, { pull: { run } }: Step, now: number): void {
  if (run === null) return;
  tables.runs.set(run.id, { pullKey: row.key, updatedAt: now, run });
}

function saveProposal(tables: MemoryTables, row: MemoryPullRow, proposal: Proposal, now: number): void {
  const position = row.proposals.get(proposal.id)?.position ?? nextId(tables);
  row.proposals.set(proposal.id, { position, proposal, updatedAt: now });
  if (!isFinal(proposal.state) || row.outcomes.has(proposal.id)) return;
  row.outcomes.set(proposal.id, proposal);
}

/** A commit can be reported twice. Its rows are added once. */
function addCommittedChanges({ committedChanges }: MemoryPullRow, step: Step): void {
  const isKnown = (change: CommittedChange): boolean =>
    committedChanges.some(
      ({ proposalId, commitSha }) => proposalId === change.proposalId && commitSha === change.commitSha,
    );
  committedChanges.push(...step.ledgerCommits.filter((change) => !isKnown(change)));
}

function dropPendingWork(row: MemoryPullRow, { reason }: Step, now: number): void {
  for (const signal of row.pendingSignals) {
    if (signal.signal !== null && reportsCommit(signal.signal)) continue;
    completeSignalRow(row, signal, now);
    signal.reason = reason;
  }
  for (const effect of row.pendingEffects) {
    completeEffectRow(row, effect, now);
    effect.error = reason;
  }
}

/** Makes a pending effect due now. After a failed attempt it keeps its retry time, but its error count restarts. */
function rescheduleEffect(effect: MemoryEffectRow, now: number): void {
  effect.createdAt = now;
  effect.internalErrors = 0;
  effect.refusedSince = null;
  if (effect.attempts === 0) effect.dueAt = now;
}

function isOnceKeyTaken(tables: MemoryTables, row: MemoryPullRow, key: string): boolean {
  const rows = key.startsWith(ONCE_IN_REPOSITORY) ? [...tables.pulls.values()] : [row];
  return rows.some(({ onceKeys }) => onceKeys.has(key));
}

/** Adds an effect, unless an equal one is pending that has not started: a started one might have read old data. */
export function enqueueEffect(tables: MemoryTables, row: MemoryPullRow, effect: Effect, now: number): void {
  const key = dedupeKey(effect);
  const pending = row.pendingEffects.find(
    (candidate) => key !== null && candidate.dedupeKey === key && !candidate.started,
  );
  if (pending !== undefined) {
    if (delayOf(effect) === 0 && pending.dueAt > now) rescheduleEffect(pending, now);
    return;
  }
  if (effect.type === 'reply' && effect.onceKey !== null) {
    if (isOnceKeyTaken(tables, row, effect.onceKey)) return;
    row.onceKeys.add(effect.onceKey);
  }
  const added: MemoryEffectRow = {
    id: nextId(tables),
    lane: LANES[effect.type],
    effect,
    dedupeKey: key,
    createdAt: now,
    dueAt: now + delayOf(effect),
    attempts: 0,
    internalErrors: 0,
    refusedSince: null,
    started: false,
    leaseUntil: null,
    doneAt: null,
    error: null,
  };
  row.effects.push(added);
  row.pendingEffects = [...row.pendingEffects, added];
}

type EffectMethods = Pick<Store, 'claimEffect' | 'renewEffect' | 'finishEffect' | 'postponeEffect'>;

export function memoryEffectMethods(tables: MemoryTables): EffectMethods {
  return {
    claimEffect: async (now, leaseMs) => claimConcurrentEffect(tables, now, leaseMs),
    renewEffect: async (stored, now, leaseMs) => {
      const [, effect] = findPendingEffect(tables, stored);
      const isHeld = effect !== undefined && effect.doneAt === null && effect.attempts === stored.attempts;
      if (isHeld) effect.leaseUntil = now + leaseMs;
      return isHeld;
    },
    finishEffect: async (stored, outcome, now) => completeEffect(tables, stored, outcome, now),
    postponeEffect: async (stored, delay) => retryEffectLater(tables, stored, delay),
  };
}

function findPendingEffect(
  tables: MemoryTables,
  stored: StoredEffect,
): [MemoryPullRow | undefined, MemoryEffectRow | undefined] {
  const row = tables.pulls.get(stored.pullRequestKey);
  return [row, row?.pendingEffects.find(({ id }) => id === stored.id)];
}

/** The reason of the only step that cancels started effects. */
const DROP_REASON: Reason = 'access-lost';

/** Delivers the result of a commit that finished after it was dropped, once. */
function deliverLateResult(tables: MemoryTables, stored: StoredEffect, signal: Signal | null, now: number): void {
  const row = tables.pulls.get(stored.pullRequestKey);
  const dropped = row?.effects.find(({ id, error }) => id === stored.id && error === DROP_REASON);
  if (row === undefined || dropped === undefined || signal === null || !reportsCommit(signal)) return;
  dropped.error = null;
  addSignal(tables, row, signal, { kind: 'effect-result', deliveryId: null, now });
}

function completeEffect(tables: MemoryTables, stored: StoredEffect, outcome: Signal | null, now: number): void {
  const [row, effect] = findPendingEffect(tables, stored);
  if (effect === undefined) deliverLateResult(tables, stored, outcome, now);
  if (row === undefined || effect === undefined) return;
  if (onlyNewestAttemptFinishes(stored.effect) && effect.attempts !== stored.attempts) return;
  if (!completeEffectRow(row, effect, now) || outcome === null) return;
  addSignal(tables, row, outcome, { kind: 'effect-result', deliveryId: null, now });
  if (effect.lane === 'concurrent') notifyListeners(tables, 'pull', 1);
}

function retryEffectLater(
  tables: MemoryTables,
  stored: StoredEffect,
  { now, notBefore, error, failure, signal }: EffectRetry,
): void {
  const dueAt = requireWholeTime(notBefore);
  const [row, effect] = findPendingEffect(tables, stored);
  if (effect === undefined) deliverLateResult(tables, stored, signal, now);
  if (row === undefined || effect === undefined || effect.attempts !== stored.attempts) return;
  clearAttempt(effect);
  effect.dueAt = dueAt;
  effect.error = toStorableText(error);
  Object.assign(effect, countFailure(effect, failure, now));
  if (signal !== null) addSignal(tables, row, signal, { kind: 'effect-result', deliveryId: null, now });
}

/** Moves a pending signal to the dead letters and enqueues its follow-up. */
export function moveToDeadLetters(
  tables: MemoryTables,
  row: MemoryPullRow | null,
  stored: StoredSignal,
  report: ErrorReport,
  { reply, signal: outcome }: DeadLetterFollowUp,
  now: number,
): void {
  const signal = findPendingSignal(row, stored);
  if (row === null || signal === undefined) return;
  completeSignalRow(row, signal, now);
  signal.deadLettered = true;
  signal.error = toStorableText(report.errorText);
  signal.errorId = report.id;
  if (outcome !== null) addSignal(tables, row, outcome, { kind: 'effect-result', deliveryId: null, now });
  if (reply !== null && row.inbox.filter(({ deadLettered }) => deadLettered).length <= MAX_REPORTED_ERRORS)
    enqueueEffect(tables, row, reply, now);
}

/** Replaces U+0000 and lone surrogates, which PostgreSQL cannot store. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

export function findPendingSignal(row: MemoryPullRow | null, { id }: StoredSignal): MemoryInboxRow | undefined {
  return row?.pendingSignals.find((signal) => signal.id === id);
}
