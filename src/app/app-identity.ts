import { setTimeout as sleep } from 'node:timers/promises';
import { createFault, type Fault, type Logger } from '../adapters/telemetry/log.ts';
import { type AppAccount, type GitHubApp, GitHubError, means } from '../core/step/ports.ts';
import { KnownFaultError } from '../lib/outage.ts';
import { CLOCK_FIX } from './environment-probes.ts';
import type { Probe } from './probes.ts';

/** The state in which GitHub does not tell who this App is. */
export function createIdentityFault(): Fault {
  return createFault({
    level: 'warn',
    message: 'could not load app identity, retrying',
    endMessage: 'app identity loaded',
  });
}

/**
 * Asks GitHub once for the App's identity. Null after a transient error; throws a `StartupError` after a permanent one.
 */
export async function fetchIdentity(
  githubApp: Pick<GitHubApp, 'identity'>,
  log: Logger,
  fault: Fault,
): Promise<AppAccount | null> {
  try {
    const identity = await githubApp.identity();
    fault.ended(log);
    return identity;
  } catch (error) {
    if (isRejection(error)) throw unknownAppError(error);
    fault.failed(log, error, { fix: identityFix(error) });
    return null;
  }
}

/** Whether GitHub does not know the App or its key. */
function isRejection(error: unknown): error is GitHubError {
  return means(error, 'not-allowed', 'gone');
}

/** Asks GitHub who this App is, which shows that the key is the App's. `host` is that of GitHub's pages. */
export function createIdentityProbe({ identity }: Pick<GitHubApp, 'identity'>, host: string): Probe {
  return {
    name: 'the key and the App',
    async run() {
      try {
        const { slug: app, owner } = await identity();
        return [{ level: 'ok', message: 'GitHub knows the App', fix: null, app, owner, host }];
      } catch (error) {
        if (!(error instanceof GitHubError)) throw error;
        const found = isRejection(error)
          ? rejectionFinding(error)
          : { message: 'GitHub cannot be asked', fix: identityFix(error) };
        return [{ level: 'wrong', host, error: error.message, ...found }];
      }
    },
  };
}

/** The operator's next step by GitHub's status, or by the words of the network's error. */
const IDENTITY_FIXES: readonly { readonly pattern: RegExp; readonly fix: string }[] = [
  {
    pattern: /ENOTFOUND|EAI_AGAIN/,
    fix: 'Correct the name in GHE_HOST if it is set; else check the name service of this server.',
  },
  {
    pattern: /certificate|altname/i,
    fix: 'Set NODE_EXTRA_CA_CERTS to the file of the CA that signed the certificate of GHE_HOST, or correct GHE_HOST.',
  },
  {
    pattern: /wrong version number|packet length|EPROTO|SSL/,
    fix: 'The port of GHE_HOST does not speak https: correct the port, or set GHE_PROTOCOL to http.',
  },
  {
    pattern: /failed with status (?:3|400)|Parse Error|socket hang up|other side closed/,
    fix: 'The port of GHE_HOST does not speak plain http: set GHE_PROTOCOL to https, or correct the port.',
  },
  {
    pattern: /is not JSON/,
    fix: 'Something other than GitHub answers there, or cuts its answers: check GHE_HOST, and proxies before this server.',
  },
  {
    pattern: /unknown form/,
    fix: 'GHE_HOST does not answer as GitHub does: set it to your GitHub Enterprise Server.',
  },
  { pattern: /requires a sign-in/, fix: 'Install the App on a repository. The server notices it by itself.' },
  { pattern: /bad port/, fix: 'Correct the port in GHE_HOST: HTTP clients refuse this one.' },
  { pattern: /ECONNREFUSED/, fix: 'Nothing listens there: correct the name and the port in GHE_HOST.' },
];

function identityFix(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const known = IDENTITY_FIXES.find(({ pattern }) => pattern.test(message));
  return known?.fix ?? 'Nothing, unless it repeats: then check GHE_HOST and the network of this server.';
}

function unknownAppError(error: GitHubError): StartupError {
  const { message, fix } = rejectionFinding(error);
  return new StartupError(`${message} (status ${error.status}). ${fix}`, { cause: error });
}

function rejectionFinding({ message }: GitHubError): { readonly message: string; readonly fix: string } {
  return WRONG_CLOCK.test(message)
    ? { message: 'GitHub refuses the time of this machine', fix: CLOCK_FIX }
    : { message: 'GitHub does not know the App', fix: WHAT_TO_CHECK };
}

/** A key signs the time of its use, and GitHub names the claim that is out of range. */
const WRONG_CLOCK = /claim \('(?:iat|exp)'\)/;

const WHAT_TO_CHECK =
  'Check that APP_ID and the private key belong to the same GitHub App, and that GHE_HOST is the server of this App; unset it is github.com.';

const MAX_WAIT_MS = 30_000;

const REJECTED_FIX = 'Correct what err names, then restart the server. Nothing, if it does not repeat.';

/** Retries with growing pauses until GitHub names the App; null once `stopping` aborts. It never rejects. */
export async function pollIdentity(
  githubApp: Pick<GitHubApp, 'identity'>,
  log: Logger,
  fault: Fault,
  stopping: AbortSignal,
): Promise<AppAccount | null> {
  for (let wait = 1_000; !stopping.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    await sleep(wait, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return null;
    const identity = await fetchIdentity(githubApp, log, fault).catch((error: unknown) => {
      log.error({ err: error, fix: REJECTED_FIX }, 'GitHub rejected this App, no deliveries are accepted');
      return null;
    });
    if (identity !== null) return identity;
  }
  return null;
}

/** The server's setup is wrong. The message names the problem and the operator's next step. */
export class StartupError extends KnownFaultError {
  override readonly name = 'StartupError';
}
