import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../adapters/telemetry/log.ts';
import { type AppAccount, type GitHubApp, GitHubError } from '../core/state/ports.ts';

const PERMANENT_IDENTITY_STATUSES: readonly (number | null)[] = [401, 403, 404];

/**
 * Asks GitHub once for the App's identity. Null after a transient error; throws a `StartupError` after a permanent one.
 */
export async function fetchIdentity(githubApp: Pick<GitHubApp, 'identity'>, log: Logger): Promise<AppAccount | null> {
  try {
    return await githubApp.identity();
  } catch (error) {
    // A rate limit is a 403 too, but it has a retry time.
    const isPermanent =
      error instanceof GitHubError && error.retryAt === null && PERMANENT_IDENTITY_STATUSES.includes(error.status);
    if (isPermanent) throw unknownAppError(error);
    log.warn({ err: error }, 'could not load app identity, retrying');
    return null;
  }
}

function unknownAppError(error: GitHubError): StartupError {
  const check = 'check that APP_ID and the private key belong to the same GitHub App, and GHE_HOST if it is set';
  return new StartupError(`GitHub does not know this App (status ${error.status}): ${check}.`, { cause: error });
}

const MAX_WAIT_MS = 30_000;

/** Retries with growing pauses until GitHub answers; null once `stopping` aborts. */
export async function pollIdentity(
  githubApp: Pick<GitHubApp, 'identity'>,
  log: Logger,
  stopping: AbortSignal,
): Promise<AppAccount | null> {
  for (let wait = 1_000; !stopping.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    await sleep(wait, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return null;
    const identity = await fetchIdentity(githubApp, log);
    if (identity !== null) return identity;
  }
  return null;
}

/** The server's setup is wrong. The message names the problem and the operator's next step. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}
