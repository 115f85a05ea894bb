import type { Store, StoredEffect } from '../../adapters/store/store.ts';
import { createFault, type Fault, type LogFields, type Logger } from '../../adapters/telemetry/log.ts';
import type { PullRequestRef } from '../../core/state/intent.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import { GitHubError } from '../../core/step/ports.ts';
import type { Signal } from '../../core/step/signals.ts';
import { isOutage } from '../../lib/outage.ts';
import type { WorkerContext } from './job.ts';

/** Where a line of the worker belongs. */
type PullFields = { readonly repo?: string; readonly pr: number; readonly run?: string };

/** The memory of a store's worker, for its log only. */
type LogMemory = { readonly pulls: Map<string, PullFields>; readonly faults: Map<string, Fault> };

const memories = new WeakMap<Store, LogMemory>();

function memoryOf(store: Store): LogMemory {
  const memory = memories.get(store) ?? { pulls: new Map(), faults: new Map() };
  memories.set(store, memory);
  return memory;
}

const MAX_REMEMBERED_PULLS = 5_000;

/** Remembers a pull request instead of the one that was seen the longest time ago. */
function remember({ pulls }: LogMemory, key: string, fields: PullFields): void {
  pulls.delete(key);
  pulls.set(key, fields);
  const [oldest] = pulls.keys();
  if (pulls.size > MAX_REMEMBERED_PULLS && oldest !== undefined) pulls.delete(oldest);
}

/** The repository and the pull request as fields of a log line. */
function refFields({ owner, repo, number }: PullRequestRef): PullFields {
  return { repo: `${owner}/${repo}`, pr: number };
}

/** Remembers names that only the loaded state has, and returns them as fields. */
export function rememberPull({ store }: Pick<WorkerContext, 'store'>, key: string, pull: PullState): PullFields {
  const fields = { ...refFields(pull.ref), ...(pull.run === null ? {} : { run: pull.run.id }) };
  remember(memoryOf(store), key, fields);
  return fields;
}

/** The fields that are known without a query. A pull request's key ends with its number. */
export function knownPullFields({ store }: Pick<WorkerContext, 'store'>, key: string): PullFields {
  return memoryOf(store).pulls.get(key) ?? { pr: Number(key.slice(key.lastIndexOf('/') + 1)) };
}

/** The log of one effect. It asks the store once for names that this process has not seen, as after a restart. */
export async function effectLog(
  context: Pick<WorkerContext, 'store' | 'log'>,
  { pullRequestKey, effect, id }: StoredEffect,
): Promise<Logger> {
  const memory = memoryOf(context.store);
  if (!memory.pulls.has(pullRequestKey)) {
    const ref = await context.store.loadRef(pullRequestKey).catch(() => null);
    if (ref !== null) remember(memory, pullRequestKey, refFields(ref));
  }
  const run = 'runId' in effect ? { run: effect.runId } : 'questionId' in effect ? { question: effect.questionId } : {};
  const proposals = 'proposalIds' in effect ? effect.proposalIds : 'proposalId' in effect ? [effect.proposalId] : [];
  const fields = { ...knownPullFields(context, pullRequestKey), ...run, ...proposalFields(proposals) };
  return context.log.child({ ...fields, effect: effect.type, effectId: id });
}

const MAX_LISTED_PROPOSALS = 10;

function proposalFields(ids: readonly string[]): LogFields {
  return ids.length === 0 ? {} : { proposal: ids.slice(0, MAX_LISTED_PROPOSALS).join(' ') };
}

/** The fields of a signal: its delivery and sender, if it is a webhook. */
export function signalFields(signal: Signal): LogFields {
  if (signal.type !== 'intent') return { signal: signal.type };
  const { deliveryId: delivery, intent } = signal;
  return { signal: signal.type, intent: intent.kind, delivery, user: intent.actor.login };
}

/** The proposals that a step changed. */
export function changedProposals(before: PullState, after: PullState): LogFields {
  const unchanged = new Set(before.proposals);
  return proposalFields(after.proposals.filter((proposal) => !unchanged.has(proposal)).map(({ id }) => id));
}

/** A line about a failed attempt; `about` names what is attempted. */
type RetryLine = {
  readonly log: Logger;
  readonly level: 'warn' | 'error';
  readonly message: string;
  readonly about?: string;
};

/**
 * Logs a failed attempt. An outage of GitHub or the database fails everything at once, so it gets one line a minute for
 * each message and topic; every other failure gets its line.
 */
export function logRetry(
  { store }: Pick<WorkerContext, 'store'>,
  { log, level, message, about = '' }: RetryLine,
  error: unknown,
  fields: LogFields,
): void {
  if (!isOutage(error) && !(error instanceof GitHubError && error.isOutage)) {
    log[level]({ ...fields, err: error }, message);
    return;
  }
  const { faults } = memoryOf(store);
  const key = `${message} ${about}`;
  const fault = faults.get(key) ?? createFault({ level, message });
  faults.set(key, fault);
  fault.failed(log, error, fields);
}
