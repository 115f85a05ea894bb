import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from './start-refused.ts';
import type { Log } from './telemetry/log.ts';
import { GitHubFault, type GitHubs } from './worker/ports.ts';

export type Identity = Awaited<ReturnType<GitHubs['self']>>;

const LASTING: readonly (number | null)[] = [401, 403, 404];
const LONGEST_WAIT_MS = 30_000;

function refusal(fault: GitHubFault): StartRefused {
  const check = 'check that APP_ID and the private key belong to the same GitHub App, and GHE_HOST if it is set';
  return new StartRefused(`GitHub does not know this App (status ${fault.status}): ${check}.`, { cause: fault });
}

/** Asks GitHub once who we are: the identity, or null where that may pass. Throws `StartRefused` where it will not. */
export async function askIdentity(githubs: Pick<GitHubs, 'self'>, log: Log): Promise<Identity | null> {
  try {
    return await githubs.self();
  } catch (error) {
    // A rate limit is a 403 too; it says when it is over.
    const lasts = error instanceof GitHubFault && error.retryAt === null && LASTING.includes(error.status);
    if (lasts) throw refusal(error);
    log.warn({ err: error }, 'GitHub does not say who we are; asking again');
    return null;
  }
}

/** Asks until GitHub tells, waiting longer each time; null once `stopping` aborts. */
export async function awaitIdentity(
  githubs: Pick<GitHubs, 'self'>,
  log: Log,
  stopping: AbortSignal,
): Promise<Identity | null> {
  for (let wait = 1_000; !stopping.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    await sleep(wait, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return null;
    const identity = await askIdentity(githubs, log);
    if (identity !== null) return identity;
  }
  return null;
}
