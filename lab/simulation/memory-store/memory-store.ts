import {
  ANY_NUMBER,
  type AttemptFailure,
  type Claim,
  countFailure,
  type InterpretedDelivery,
  type SaveResult,
  type Store,
  type StoredRun,
  type StoredSignal,
} from '../../../src/adapters/store/store.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import { DAY_MS, type ReachedRunLimit, type RunStart } from '../../../src/core/state/limits.ts';
import { isOpen } from '../../../src/core/state/proposal.ts';
import { createPullState, pullRequestKey } from '../../../src/core/state/pull-state.ts';
import { LANES } from '../../../src/core/step/effects.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { endClaim, findEarliestDue, findOldestClaimable, grantClaim, pickNextWork } from './claims.ts';
import { applyInstallationEvent, memoryRecoveryMethods, noticeChecks } from './maintenance.ts';
import {
  checkStep,
  findPendingSignal,
  memoryEffectMethods,
  moveToDeadLetters,
  toStorableText,
  writeStep,
} from './save.ts';
import {
  addSignal,
  completeSignalRow,
  type MemoryInboxRow,
  type MemoryPullRow,
  type MemoryTables,
  notifyListeners,
  requireWholeTime,
} from './tables.ts';

/** Creates a store in memory. Each method runs synchronously, like a transaction. */
export function createMemoryStore(tables: MemoryTables): Store {
  const heldPull = (claim: Claim): MemoryPullRow | null => findHeldPull(tables, claim);
  return {
    receive: async (delivery, now) => receiveDelivery(tables, delivery, now),
    broadcastToPulls: async (deliveryId, event, now) => {
      const receipt = applyInstallationEvent(tables, deliveryId, event, now);
      if (receipt === 'stored') notifyListeners(tables, 'pull', ANY_NUMBER);
      return receipt;
    },
    noticeChecks: async (event, now) => {
      if (noticeChecks(tables, event, now)) notifyListeners(tables, 'pull', ANY_NUMBER);
    },
    ...memoryRecoveryMethods(tables),
    claimPull: async (now, leaseMs) => {
      const row = findOldestClaimable(tables, now);
      return row && grantClaim(row, now, leaseMs);
    },
    renewClaim: async (claim, now, leaseMs) => {
      const row = heldPull(claim);
      if (row !== null) row.leaseUntil = now + leaseMs;
      return row !== null;
    },
    releaseClaim: async (claim) => {
      const row = heldPull(claim);
      if (row !== null) endClaim(row);
    },
    load: async (key, include) => loadPull(tables, key, include),
    loadRun: async (key, runId) => loadKnownRun(tables, key, runId),
    findReachedRunLimit: async (ref, start, now) => findReachedRunLimit(tables, ref, start, now),
    listEarlierRuns: async (key, runId, limit) => listEarlierRuns(tables, key, runId, limit),
    loadRef: async (key) => requirePull(tables, key).state.ref,
    loadTranscript: async (runId) => tables.messages.get(runId) ?? [],
    nextWork: async (claim, now) => pickNextWork(heldPull(claim), now),
    ...pendingCommentMethods(tables),
    save: async (claim, signal, step, now) => saveStep(tables, claim, signal, step, now),
    saveIfInboxEmpty: async (claim, _signal, step, now) => saveStepIfInboxEmpty(tables, claim, step, now),
    postponeSignal: async (claim, signal, at, failure) =>
      retrySignalLater(tables, claim, signal, requireWholeTime(at), failure),
    deadLetterSignal: async (claim, signal, report, followUp, now) =>
      moveToDeadLetters(tables, heldPull(claim), signal, report, followUp, now),
    ...memoryEffectMethods(tables),
    nextDue: async (kind = null) => findEarliestDue(tables, kind),
    onWorkAvailable: (listener) => {
      tables.listeners.add(listener);
      return () => void tables.listeners.delete(listener);
    },
    // No case lasts until its rows expire.
    deleteExpired: async () => false,
    ping: async () => {},
    rehearseReceive: async () => {},
    describe: () => Promise.reject(new Error('The memory has no database.')),
    close: async () => {},
  };
}

/** The claimed pull request; null if the claim was lost. */
function findHeldPull(tables: MemoryTables, claim: Claim): MemoryPullRow | null {
  const row = tables.pulls.get(claim.pullRequestKey);
  return row !== undefined && (row.fencingToken === claim.fencingToken || !tables.invariants.fencing) ? row : null;
}

function receiveDelivery(
  tables: MemoryTables,
  { id, intent, contentKey }: InterpretedDelivery,
  now: number,
): 'stored' | 'duplicate' {
  if (`${id}${contentKey ?? ''}`.includes('\0')) throw new Error('A key contains U+0000');
  const row = tables.pulls.get(pullRequestKey(intent.pull)) ?? addPull(tables, intent.pull);
  const isKnown = tables.deliveryIds.has(id) || (contentKey !== null && tables.contentKeys.has(contentKey));
  if (isKnown && tables.invariants.dedupe) return 'duplicate';
  tables.deliveryIds.add(id);
  if (contentKey !== null) tables.contentKeys.add(contentKey);
  addSignal(
    tables,
    row,
    { type: 'intent', deliveryId: id, intent },
    { kind: 'webhook', deliveryId: id, contentKey, now },
  );
  notifyListeners(tables, 'pull', 1);
  return 'stored';
}

function addPull(tables: MemoryTables, ref: InterpretedDelivery['intent']['pull']): MemoryPullRow {
  const key = pullRequestKey(ref);
  const { run: _run, proposals: _proposals, ...state } = createPullState(ref);
  const row: MemoryPullRow = {
    key,
    state,
    runId: null,
    isActive: true,
    webhooksRetryAt: 0,
    fencingToken: 0,
    leaseUntil: null,
    pendingSignals: [],
    pendingEffects: [],
    inbox: [],
    effects: [],
    proposals: new Map(),
    outcomes: new Map(),
    votes: [],
    answers: [],
    committedChanges: [],
    onceKeys: new Set(),
  };
  tables.pulls.set(key, row);
  return row;
}

function requirePull(tables: MemoryTables, key: string): MemoryPullRow {
  const row = tables.pulls.get(key);
  if (row === undefined) throw new Error(`No pull request ${key} is stored`);
  return row;
}

function loadPull(
  tables: MemoryTables,
  key: string,
  include: Parameters<Store['load']>[1],
): Awaited<ReturnType<Store['load']>> {
  const row = requirePull(tables, key);
  const run = row.runId === null ? null : (tables.runs.get(row.runId)?.run ?? null);
  const rows = [...row.proposals.values()].filter(
    ({ proposal, proposal: { id, runId } }) =>
      isOpen(proposal) ||
      (row.runId !== null && runId === row.runId) ||
      include.ids.includes(id) ||
      (include.commentId !== null && proposal.comment?.id === include.commentId),
  );
  const proposals = rows.sort((left, right) => left.position - right.position).map(({ proposal }) => proposal);
  return { ...row.state, run, proposals };
}

function loadKnownRun(tables: MemoryTables, key: string, runId: string): StoredRun | null {
  const stored = tables.runs.get(runId);
  if (stored?.pullKey !== key) return null;
  const rows = [...requirePull(tables, key).proposals.values()].filter(({ proposal }) => proposal.runId === runId);
  const proposals = rows.sort((left, right) => left.position - right.position).map(({ proposal }) => proposal);
  return { run: stored.run, proposals };
}

function listEarlierRuns(
  tables: MemoryTables,
  key: string,
  runId: string,
  limit: number,
): Awaited<ReturnType<Store['listEarlierRuns']>> {
  const ids = [...tables.runs].filter(([id, { pullKey }]) => pullKey === key && id !== runId).map(([id]) => id);
  return ids.slice(-limit).flatMap((id) => {
    const stored = loadKnownRun(tables, key, id);
    if (stored === null) return [];
    const decided = stored.proposals.filter(({ state }) => state === 'completed' || state === 'rejected');
    return [{ run: stored.run, proposals: decided }];
  });
}

/** The limit of runs within 24 hours that is full, the one that is free last. */
function findReachedRunLimit(
  tables: MemoryTables,
  { installationId, repositoryId }: PullRequestRef,
  { requesterId, runsPerDay, runsPerPersonPerDay }: RunStart,
  now: number,
): ReachedRunLimit | null {
  const started = tables.runStarts
    .filter(({ pullKey }) => pullKey.startsWith(`${installationId}/${repositoryId}/`))
    .filter(({ startedAt }) => startedAt > now - DAY_MS)
    .toSorted((left, right) => right.startedAt - left.startedAt);
  const limits = [
    { key: 'limits.runs_per_day', max: runsPerDay, counted: started },
    {
      key: 'limits.runs_per_person_per_day',
      max: runsPerPersonPerDay ?? Number.POSITIVE_INFINITY,
      counted: started.filter((one) => one.requesterId === requesterId),
    },
  ] as const;
  const full = limits.flatMap(({ key, max, counted }) => {
    const first = counted[max - 1];
    return first === undefined ? [] : [{ key, max, freeAt: new Date(first.startedAt + DAY_MS).toISOString() }];
  });
  return full.toSorted((left, right) => Date.parse(right.freeAt) - Date.parse(left.freeAt))[0] ?? null;
}

function notifyOfEffects(tables: MemoryTables, { effects }: Step): void {
  const concurrent = effects.filter(({ type }) => LANES[type] === 'concurrent').length;
  if (concurrent > 0) notifyListeners(tables, 'effect', concurrent);
}

function saveStep(tables: MemoryTables, claim: Claim, stored: StoredSignal, step: Step, now: number): SaveResult {
  const row = findHeldPull(tables, claim);
  const signal = findPendingSignal(row, stored);
  if (row === null || signal === undefined) return 'lost';
  const { runStart } = step;
  if (runStart !== null && findReachedRunLimit(tables, step.pull.ref, runStart, now) !== null)
    return 'run-limit-reached';
  checkStep(tables, row, step);
  if (runStart !== null) tables.runStarts.push({ pullKey: row.key, requesterId: runStart.requesterId, startedAt: now });
  completeSignalRow(row, signal, now);
  signal.reason = step.reason;
  if (step.reason === 'not-for-us') signal.signal = null;
  writeStep(tables, row, step, now);
  notifyOfEffects(tables, step);
  return 'saved';
}

function saveStepIfInboxEmpty(tables: MemoryTables, claim: Claim, step: Step, now: number): SaveResult {
  const row = findHeldPull(tables, claim);
  if (row === null) return 'lost';
  const hasPending = row.pendingSignals.some((signal) => couldBeDenial(signal) || signal.dueAt <= now);
  if (hasPending && tables.invariants.inboxGuard) return 'inbox-not-empty';
  checkStep(tables, row, step);
  writeStep(tables, row, step, now);
  notifyOfEffects(tables, step);
  return 'saved';
}

function retrySignalLater(
  tables: MemoryTables,
  claim: Claim,
  stored: StoredSignal,
  notBefore: number,
  failure: AttemptFailure | null,
): void {
  const row = findHeldPull(tables, claim);
  const signal = findPendingSignal(row, stored);
  if (row === null) return;
  if (signal !== undefined) {
    signal.dueAt = notBefore;
    if (failure !== null) Object.assign(signal, failedAttempt(stored, failure));
  }
  if (failure !== null && stored.signal.type === 'intent') row.webhooksRetryAt = notBefore;
}

function failedAttempt(stored: StoredSignal, { now, error, failure }: AttemptFailure) {
  return { ...countFailure(stored, failure, now), error: toStorableText(error), attempts: stored.attempts + 1 };
}

function pendingCommentMethods(tables: MemoryTables): Pick<Store, 'nextCommentAt' | 'listPendingCommits'> {
  return {
    nextCommentAt: async ({ pullRequestKey }, now) => commentsDueAt(tables.pulls.get(pullRequestKey), now),
    listPendingCommits: async (pullKey) =>
      tables.pulls.get(pullKey)?.pendingEffects.flatMap(({ effect }) => (effect.type === 'commit' ? [effect] : [])) ??
      [],
  };
}

function commentsDueAt(row: MemoryPullRow | undefined, now: number): number | null {
  const [first] = row?.pendingSignals.filter(couldBeDenial).toSorted((left, right) => left.dueAt - right.dueAt) ?? [];
  if (row === undefined || first === undefined) return null;
  return Math.max(now, first.dueAt, first.kind === 'webhook' ? row.webhooksRetryAt : 0);
}

/** A commit waits for these signals, even while they are postponed. */
function couldBeDenial({ kind, signal }: MemoryInboxRow): boolean {
  return kind === 'webhook' || signal?.type === 'dead-lettered';
}
