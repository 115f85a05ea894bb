import { isOutage } from '../store/outage.ts';
import { BudgetSpent, GitHubFault, ModelFault } from './ports.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/**
 * When to try again after the n-th failure (1-based): when our own budget allows it, GitHub's own word where it gave one,
 * else doubling waits, which begin anew with what was wanted anew: none is much longer than `waited` already (ms).
 */
export function retryTime(now: number, attempts: number, error: unknown, waited = Number.POSITIVE_INFINITY): number {
  if (error instanceof BudgetSpent) return error.retryAt;
  const asked = error instanceof GitHubFault || error instanceof ModelFault ? error.retryAt : null;
  const wait = Math.min(FIRST_MS * 2 ** Math.max(0, attempts - 1), FIRST_MS + Math.max(0, waited), LONGEST_MS);
  return Math.max(asked ?? 0, now + wait);
}

/**
 * Tries of what must not be lost where GitHub refuses for good what it needs: some three days of the longest wait. A
 * suspended installation or an address that is not allowed is mended in that time.
 */
export const REFUSED_TRIES = 870;

/** Answers of GitHub that no repetition changes: the thing is gone, locked, or refused as it was asked. */
const LASTING = new Set([400, 403, 404, 410, 422, 451]);

export function isLasting(error: unknown): boolean {
  if (error instanceof ModelFault) return error.kind === 'lasting';
  return error instanceof GitHubFault && error.retryAt === null && error.status !== null && LASTING.has(error.status);
}

/** Whether neither GitHub nor the model is at fault, nor a database that is away. */
export function isOurs(error: unknown): boolean {
  return !(error instanceof GitHubFault || error instanceof ModelFault || isOutage(error));
}

/** Whether GitHub, or our own budget, named a time from which on it goes on. */
export function isLimit(error: unknown): boolean {
  return error instanceof GitHubFault && error.retryAt !== null;
}

/** An error's words for the log and the error columns; never shown to people. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
