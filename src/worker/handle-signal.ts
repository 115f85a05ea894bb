import { UnsupportedSchemaError } from '../adapters/store/engine/errors.ts';
import type { Claim, DeadLetterFollowUp, StoredSignal } from '../adapters/store/store.ts';
import type { LogFields } from '../adapters/telemetry/log.ts';
import { idAfterWord } from '../core/comments/command-line.ts';
import { decide } from '../core/decide.ts';
import { deadLetterReply, mightBeDenial } from '../core/outcomes/failures.ts';
import type { Intent, ParsedComment } from '../core/state/intent.ts';
import type { PullState } from '../core/state/pull-state.ts';
import { NO_PROPOSALS, type ProposalSelector } from '../core/step/facts.ts';
import type { Signal } from '../core/step/signals.ts';
import type { Step } from '../core/step/step.ts';
import { msSince } from '../lib/delay.ts';
import { gatherFacts, localFacts } from './jobs/gather-facts.ts';
import { msRefused, type WorkerContext } from './jobs/job.ts';
import { changedProposals, knownPullFields, logRetry, rememberPull, signalFields } from './jobs/job-log.ts';
import {
  createErrorId,
  errorText,
  failureKind,
  hasNamedTime,
  isInternalError,
  isPermanent,
  isRefusedFor,
  nextRetryAt,
  SIGNAL_RETRIES,
} from './jobs/retries.ts';

/**
 * Decides a signal and saves the step; false if the claim is lost. A failure postpones the signal or makes it a dead
 * letter, and only a store error rejects.
 */
export async function handleSignal(context: WorkerContext, claim: Claim, stored: StoredSignal): Promise<boolean> {
  const { store, clock } = context;
  const begunAt = performance.now();
  let pull: PullState | null = null;
  let stage: AttemptStage = 'storing';
  try {
    pull = await store.load(claim.pullRequestKey, selectorForSignal(stored.signal));
    rememberPull(context, claim.pullRequestKey, pull);
    stage = 'deciding';
    const step = decide(pull, stored.signal, await gatherFacts(context, pull, stored.signal));
    stage = 'storing';
    if (step.deferred) {
      await store.postponeSignal(claim, stored, clock.now() + deferralMs(stored, clock.now()), null);
      return true;
    }
    const result = await store.save(claim, stored, step, clock.now());
    if (result === 'run-limit-reached') {
      // Runs of other pull requests took the last places meanwhile; the next decision sees them and says so.
      await store.postponeSignal(claim, stored, clock.now(), null);
      return true;
    }
    if (result !== 'saved') return false;
    recordDecision(context, claim, stored.signal, { before: pull, step, begunAt });
  } catch (error) {
    await handleSignalFailure(context, claim, stored, { error, stage, pull, begunAt });
  }
  return true;
}

/** Shortest and longest pause before a deferred signal is handled again (ms). */
const DEFERRAL_RANGE_MS = [1_000, 5 * 60_000] as const;

/** A quarter of the signal's age, so that a signal that is deferred for days is not handled every second. */
export function deferralMs({ receivedAt }: Pick<StoredSignal, 'receivedAt'>, now: number): number {
  const [min, max] = DEFERRAL_RANGE_MS;
  return Math.min(Math.max(Math.round((now - receivedAt) / 4), min), max);
}

/** Decides a signal in the middle of an effect; null if comments are pending or the claim is lost. */
export async function decideNow(context: WorkerContext, claim: Claim, signal: Signal): Promise<PullState | null> {
  const begunAt = performance.now();
  const pull = await context.store.load(claim.pullRequestKey, selectorForSignal(signal));
  const step = decide(pull, signal, localFacts(context, pull));
  const result = await context.store.saveIfInboxEmpty(claim, signal, step, context.clock.now());
  if (result !== 'saved') return null;
  recordDecision(context, claim, signal, { before: pull, step, begunAt });
  return step.pull;
}

/** A saved step. `begunAt` is the start of the work on it, by the monotonic clock. */
type Decision = { readonly before: PullState; readonly step: Step; readonly begunAt: number };

function recordDecision(context: WorkerContext, claim: Claim, signal: Signal, decision: Decision): void {
  const { before, step, begunAt } = decision;
  const { reason, pull } = step;
  const fields = { ...rememberPull(context, claim.pullRequestKey, pull), ...changedProposals(before, pull) };
  context.recordMetric({ kind: 'signal', reason });
  context.log.info({ ...fields, ...signalFields(signal), reason, ms: msSince(begunAt) }, 'decided');
}

/** The part of a signal's handling that failed: `storing` includes loading. */
type AttemptStage = 'deciding' | 'storing';

/** A failed attempt to handle a signal; `pull` is null if it could not be loaded. */
type FailedAttempt = {
  readonly error: unknown;
  readonly stage: AttemptStage;
  readonly pull: PullState | null;
  readonly begunAt: number;
};

function failureFields(context: WorkerContext, claim: Claim, { id, signal }: StoredSignal, begunAt: number): LogFields {
  const pull = knownPullFields(context, claim.pullRequestKey);
  return { ...pull, ...signalFields(signal), signalId: id, ms: msSince(begunAt) };
}

/** Postpones a signal after a failed attempt, or moves it to the dead letters after too many. */
async function handleSignalFailure(context: WorkerContext, claim: Claim, stored: StoredSignal, failed: FailedAttempt) {
  const { store, clock, log } = context;
  const { error, begunAt } = failed;
  if (shouldDeadLetter(context, stored, failed)) return deadLetter(context, claim, stored, failed);
  const attempts = stored.attempts + 1;
  const fields = { ...failureFields(context, claim, stored, begunAt), attempts };
  logRetry(context, { log, level: 'warn', message: 'signal failed, will retry' }, error, fields);
  const failure = { now: clock.now(), error: errorText(error), failure: failureKind(error) };
  const retryAt = Math.min(nextRetryAt(clock.now(), attempts, error), clock.now() + maxDelayMs(stored.signal, error));
  await store.postponeSignal(claim, stored, retryAt, failure);
}

/**
 * Longest pause (ms) between attempts. A possible denial holds back commits until another version reads it, and a
 * person waits for an answer.
 */
function maxDelayMs(signal: Signal, error: unknown): number {
  if (isReplacement(signal)) return 30_000;
  return hasNamedTime(error) ? Number.POSITIVE_INFINITY : 60_000;
}

/**
 * Whether the signal replaces a dead letter. Such a signal is the last trace of a possible denial, so it stays. [V4]
 */
function isReplacement(signal: Signal): boolean {
  return signal.type === 'dead-lettered';
}

/** Outages of GitHub and the database end, so they never lose a comment or leave a run without a result. */
function shouldDeadLetter(context: WorkerContext, stored: StoredSignal, { error, stage }: FailedAttempt): boolean {
  const { signal, receivedAt, attempts, internalErrors } = stored;
  if (isReplacement(signal)) return false;
  if (error instanceof UnsupportedSchemaError) return attempts + 1 >= SIGNAL_RETRIES.unknownSchema;
  if (isInternalError(error)) return internalErrors + 1 >= SIGNAL_RETRIES[stage];
  const msSinceRequested = context.clock.now() - receivedAt;
  const refused = { msSinceRequested, msRefused: msRefused({ context, stored }) };
  return isPermanent(error) && isRefusedFor(SIGNAL_RETRIES.refusedMs, refused);
}

async function deadLetter(context: WorkerContext, claim: Claim, stored: StoredSignal, failed: FailedAttempt) {
  const { error, pull, begunAt } = failed;
  const { store, clock, log, recordMetric } = context;
  const { id, signal } = stored;
  const errorId = createErrorId(claim.pullRequestKey, 'signal', id);
  recordMetric({ kind: 'signal', reason: 'dead-lettered' });
  const fields = { ...failureFields(context, claim, stored, begunAt), errorId, err: error };
  log.error(fields, 'signal moved to dead letters');
  const followUp =
    signal.type !== 'intent' && isPermanent(error) ? UNREACHABLE : followUpFor(signal, pull, errorId, error);
  await store.deadLetterSignal(claim, stored, { id: errorId, errorText: errorText(error) }, followUp, clock.now());
}

/** Without the lost result its run would hang, and no comment can be posted. */
const UNREACHABLE: DeadLetterFollowUp = { reply: null, signal: { type: 'access-lost', cause: 'unreachable' } };

function followUpFor(signal: Signal, pull: PullState | null, errorId: string, error: unknown): DeadLetterFollowUp {
  // Results wait for this signal. Nobody needs to know of it: the run goes on.
  if (signal.type === 'push-read' && signal.content !== null)
    return { reply: null, signal: { ...signal, content: null } };
  const about = error instanceof UnsupportedSchemaError ? 'stored-schema' : undefined;
  return {
    reply: deadLetterReply(signal, pull, errorId, about),
    signal: mightBeDenial(signal, pull) ? { type: 'dead-lettered', errorId } : null,
  };
}

/** The proposals that a signal refers to. */
function selectorForSignal(signal: Signal): ProposalSelector {
  if (signal.type === 'intent') return selectorForIntent(signal.intent);
  if ('proposalIds' in signal) return { ids: signal.proposalIds, commentId: null };
  if ('checks' in signal) return { ids: signal.checks.map((check) => check.proposalId), commentId: null };
  if ('proposals' in signal) return { ids: signal.proposals.map((posted) => posted.proposalId), commentId: null };
  return 'proposalId' in signal ? { ids: [signal.proposalId], commentId: null } : NO_PROPOSALS;
}

function selectorForIntent(intent: Intent): ProposalSelector {
  if (intent.kind !== 'comment') return NO_PROPOSALS;
  const { parsed, quotedIds, location } = intent;
  return {
    ids: [...proposalIdsIn(parsed), ...quotedIds],
    commentId: location.at === 'thread' ? location.rootId : null,
  };
}

function proposalIdsIn(parsed: ParsedComment): readonly string[] {
  const source = parsed.kind === 'command' ? parsed.command : parsed;
  if ('targets' in source && source.targets.by === 'ids') return source.targets.ids;
  const id = 'text' in source ? idAfterWord(source.text) : null;
  return id === null ? [] : [id];
}
