import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Effect, LANES } from '../../core/step/effects.ts';
import type { Step } from '../../core/step/step.ts';
import type { WaitingWork } from '../telemetry/metrics.ts';
import { claimPull, endLeases, findNextDue, releasePullClaim, renewPullClaim, takeNextWork } from './claims.ts';
import { deleteExpired } from './cleanup.ts';
import { claimEffect, finishEffect, listPendingCommits, postponeEffect, renewEffect } from './effects.ts';
import { DatabaseError, explainDataDir, explainPostgres } from './engine/errors.ts';
import { describeDatabase } from './engine/inspect.ts';
import { type Migrated, migrate, requireCurrentSchema, requireSchema } from './engine/migrate.ts';
import { openPglite, tidy } from './engine/pglite.ts';
import { type DatabaseUse, openPostgres, requireServer } from './engine/postgres.ts';
import type { Backend } from './engine/schema.ts';
import { deadLetterSignal, nextCommentAt, postponeSignal } from './inbox.ts';
import { countWaiting } from './list-pending.ts';
import { listEarlierRuns, loadPullState, loadRef, loadRun, loadTranscript } from './load.ts';
import { answerOperator, isOperatorQuestion } from './operator.ts';
import {
  beginRecovery,
  broadcastToPulls,
  endRecovery,
  findKnownDeliveries,
  noticeChecks,
  receive,
  rehearseReceive,
  voidVotes,
} from './receive.ts';
import { findReachedRunLimit, type SaveTarget, save, saveIfInboxEmpty } from './save.ts';
import { ANY_NUMBER, type SaveResult, type Store, type WorkListener } from './store.ts';

/** PostgreSQL if `databaseUrl` is set; otherwise PGlite in `dataDir`, or in memory if that is null too. */
export type DatabaseLocation = { readonly databaseUrl: string | null; readonly dataDir: string | null };

/**
 * Opens the store and migrates its database to this version's schema, of which `onMigrated` is told.
 * Throws `DatabaseError` if the directory is in use, or if the database is unreachable, has a newer schema or cannot
 * serve: it is too old or lacks characters.
 */
export function openStore(
  location: DatabaseLocation,
  onMigrated: (migrated: Migrated) => void = () => {},
): Promise<Store & OperatorAccess> {
  return openDatabase(location, 'work', async (backend) => {
    const migrated = await migrate(backend.db);
    if (migrated !== null) onMigrated(migrated);
    if (backend.embedded) await endLeases(backend.db);
    return createStore(backend);
  });
}

/**
 * Opens a database for a command. It never migrates, because a server of another version might be running.
 * Throws `DatabaseError` if the database is missing, cannot be opened, or has another schema version while `requires`
 * the current one.
 */
export async function openLedger(location: DatabaseLocation, requires: RequiredSchema = 'current'): Promise<Backend> {
  const { databaseUrl, dataDir } = location;
  if (databaseUrl === null && dataDir !== null && !existsSync(join(dataDir, 'database', 'PG_VERSION')))
    throw new DatabaseError(
      `There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to the values that the server runs with.`,
    );
  return openDatabase(location, 'reading', async (backend) => {
    if (requires === 'current') await requireCurrentSchema(backend.db);
    return backend;
  });
}

/** The schema version that a database must have for a command. */
export type RequiredSchema = 'current' | 'any';

/** Closes the database again if `prepare` fails. */
async function openDatabase<T>(
  { databaseUrl, dataDir }: DatabaseLocation,
  use: DatabaseUse,
  prepare: (backend: Backend) => Promise<T>,
): Promise<T> {
  const backend = await (databaseUrl === null ? openPglite(dataDir) : openPostgres(databaseUrl, use));
  try {
    if (!backend.embedded) await requireServer(backend);
    return await prepare(backend);
  } catch (error) {
    await backend.close();
    if (databaseUrl !== null) throw explainPostgres(error);
    throw dataDir === null || error instanceof DatabaseError ? error : (explainDataDir(dataDir, error) ?? error);
  }
}

/** What an operator can ask. */
export type OperatorAccess = {
  /** Null for an unknown question. */
  readonly answerOperator: (question: string, input: unknown) => Promise<unknown> | null;
  /** Counts the waiting work at this time (ms since the epoch). */
  readonly countWaiting: (now: number) => Promise<WaitingWork>;
};

/** Creates the store on a database that has this version's schema. */
export function createStore(backend: Backend): Store & OperatorAccess {
  const { db } = backend;
  const { onWorkAvailable, notify } = createWorkNotifier();
  const target: SaveTarget = { db, savedObjects: new WeakSet() };

  function afterSave(step: Step, result: SaveResult): SaveResult {
    if (result !== 'saved') return result;
    const { run, proposals } = step.pull;
    for (const saved of [...proposals, ...(run === null ? [] : [run])]) target.savedObjects.add(saved);
    const concurrent = step.effects.filter(isConcurrent).length;
    if (concurrent > 0) notify('effect', concurrent);
    return result;
  }

  return {
    async receive(delivery, now) {
      const receipt = await receive(db, delivery, now);
      if (receipt === 'stored') notify('pull', 1);
      return receipt;
    },
    async broadcastToPulls(deliveryId, event, now) {
      const receipt = await broadcastToPulls(db, deliveryId, event, now);
      if (receipt === 'stored') notify('pull', ANY_NUMBER);
      return receipt;
    },
    async noticeChecks(event, now) {
      if (await noticeChecks(db, event, now)) notify('pull', ANY_NUMBER);
    },
    findKnownDeliveries: (ids) => findKnownDeliveries(db, ids),
    async voidVotes(now) {
      await voidVotes(db, now);
      notify('pull', ANY_NUMBER);
    },
    beginRecovery: (now, intervalMs, early) => beginRecovery(db, now, intervalMs, early),
    endRecovery: (until) => endRecovery(db, until),
    claimPull: (now, leaseMs) => claimPull(db, now, leaseMs),
    renewClaim: (claim, now, leaseMs) => renewPullClaim(db, claim, now, leaseMs),
    releaseClaim: (claim) => releasePullClaim(db, claim),
    load: (pullRequestKey, named) => loadPullState(db, target.savedObjects, pullRequestKey, named),
    loadRun: (pullRequestKey, runId) => loadRun(db, pullRequestKey, runId),
    listEarlierRuns: (pullRequestKey, runId, limit) => listEarlierRuns(db, pullRequestKey, runId, limit),
    findReachedRunLimit: (ref, start, now) => findReachedRunLimit(db, ref, start, now),
    loadRef: (pullRequestKey) => loadRef(db, pullRequestKey),
    loadTranscript: (runId) => loadTranscript(db, runId),
    nextWork: (claim, now) => takeNextWork(db, claim, now),
    nextCommentAt: (claim, now) => nextCommentAt(db, claim, now),
    listPendingCommits: (pullRequestKey) => listPendingCommits(db, pullRequestKey),
    save: async (claim, signal, step, now) => afterSave(step, await save(target, claim, signal, step, now)),
    saveIfInboxEmpty: async (claim, _signal, step, now) =>
      afterSave(step, await saveIfInboxEmpty(target, claim, step, now)),
    postponeSignal: (claim, signal, notBefore, failure) => postponeSignal(db, claim, signal, notBefore, failure),
    deadLetterSignal: (claim, signal, report, followUp, now) =>
      deadLetterSignal(db, claim, signal, report, followUp, now),
    claimEffect: (now, leaseMs) => claimEffect(db, now, leaseMs),
    renewEffect: (effect, now, leaseMs) => renewEffect(db, effect, now, leaseMs),
    async finishEffect(effect, result, now) {
      const finished = await finishEffect(db, effect, result, now);
      if (finished && result !== null && isConcurrent(effect.effect)) notify('pull', 1);
    },
    postponeEffect: (effect, retry) => postponeEffect(db, effect, retry),
    nextDue: (kind = null) => findNextDue(db, kind),
    onWorkAvailable,
    async deleteExpired(now) {
      const hasMore = await deleteExpired(db, now);
      if (!hasMore) await tidy(backend);
      return hasMore;
    },
    ping: () => requireSchema(db),
    rehearseReceive: (now) => rehearseReceive(db, now),
    describe: () => describeDatabase(backend),
    close: backend.close,
    countWaiting: (now) => countWaiting(db, now),
    answerOperator: (question, input) => (isOperatorQuestion(question) ? answerOperator(db, question, input) : null),
  };
}

/** Whether any worker can perform the effect; the claim's holder performs the others. */
function isConcurrent(effect: Effect): boolean {
  return LANES[effect.type] === 'concurrent';
}

/** Tells the listeners in this process that there might be work. Other processes look for it by themselves. */
function createWorkNotifier(): Pick<Store, 'onWorkAvailable'> & { readonly notify: WorkListener } {
  const listeners = new Set<WorkListener>();
  return {
    onWorkAvailable(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(kind, atMost) {
      for (const listener of listeners) listener(kind, atMost);
    },
  };
}
