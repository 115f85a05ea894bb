import type { Logger } from '../adapters/telemetry/log.ts';
import {
  type AppSetup,
  findSetupProblems,
  type Installation,
  type SetupProblem,
  servedInstallations,
} from '../core/step/app-setup.ts';
import { type Clock, GitHubError } from '../core/step/ports.ts';
import { delay } from '../lib/delay.ts';

type SetupCheckOptions = {
  readonly fetchSetup: () => Promise<AppSetup>;
  readonly isServedOwner: (owner: string) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** Compares the App on GitHub with what it needs, at the start and every hour. */
export type SetupCheck = {
  /** True during a check. */
  isBusy(): boolean;
  /** Starts no more checks and waits up to `graceMs` for the one in progress. */
  stop(graceMs: number): Promise<void>;
};

const TICK_MS = 60_000;

const CHECK_INTERVAL_MS = 3_600_000;

/** Pause after a check that GitHub did not answer. */
const RETRY_AFTER_MS = 5 * 60_000;

/** Starts the first check at once. A check never fails the server: without GitHub there is another one later. */
export function startSetupCheck({ fetchSetup, isServedOwner, clock, log }: SetupCheckOptions): SetupCheck {
  let dueAt = clock.now();
  let stopped = false;
  let running: Promise<void> | null = null;

  async function check(): Promise<void> {
    try {
      const setup = await fetchSetup();
      dueAt = clock.now() + CHECK_INTERVAL_MS;
      if (!stopped) logSetup(log, setup, isServedOwner);
    } catch (error) {
      dueAt = Math.max(clock.now() + RETRY_AFTER_MS, error instanceof GitHubError ? (error.retryAt ?? 0) : 0);
      const cause = error instanceof GitHubError ? { error: error.message } : { err: error };
      if (!stopped) log.warn(cause, 'could not check the App on GitHub, will retry');
    }
  }

  const tick = (): void => {
    if (stopped || running !== null || clock.now() < dueAt) return;
    running = check().finally(() => {
      running = null;
    });
  };
  const stopTicking = clock.every(TICK_MS, tick);
  tick();
  return {
    isBusy: () => running !== null,
    async stop(graceMs) {
      stopped = true;
      stopTicking();
      await Promise.race([running, delay(graceMs)]);
    },
  };
}

function logSetup(
  log: SetupCheckOptions['log'],
  setup: AppSetup,
  isServedOwner: SetupCheckOptions['isServedOwner'],
): void {
  const problems = findSetupProblems(setup, isServedOwner);
  for (const problem of problems) {
    const { message, ...fields } = describeProblem(problem, setup);
    log.warn(fields, message);
  }
  if (problems.length > 0) return;
  log.info({ installations: servedInstallations(setup, isServedOwner).length }, 'the App has all it needs on GitHub');
}

type ProblemLine = { readonly message: string; readonly fix: string; readonly [field: string]: unknown };

/** The log line of a problem: a constant message, and as fields all that must be clicked. */
function describeProblem(problem: SetupProblem, { settingsUrl, installUrl }: AppSetup): ProblemLine {
  switch (problem.kind) {
    case 'not-installed':
      return {
        message: 'the App is not installed',
        url: installUrl,
        fix: 'Open the url and install it on a repository.',
      };
    case 'nobody-served':
      return {
        message: 'the App serves no account that installed it',
        suspended: listInstallations(problem.suspended),
        leftOut: listInstallations(problem.leftOut),
        fix: [
          ...(problem.suspended.length > 0 ? [UNSUSPEND_FIX] : []),
          ...(problem.leftOut.length > 0 ? [LEFT_OUT_FIX] : []),
        ].join(' '),
      };
    case 'app-lacks-permission':
      return {
        ...{ message: 'the App does not ask for a permission', permission: problem.permission, url: settingsUrl },
        fix: `Open the url, set ${clickedPermission(problem.permission)}, and save. Then the owner of each account accepts it.`,
      };
    case 'app-lacks-event':
      return {
        ...{ message: 'the App is not subscribed to an event', event: problem.event, url: settingsUrl },
        fix: `Open the url, tick “${titleOf(problem.event)}” below “Subscribe to events”, and save.`,
      };
    case 'installations-lack-permission':
      return {
        ...{ message: 'installations lack a permission', permission: problem.permission },
        ...listInstallations(problem.installations),
        fix: 'An owner of each account opens its url and accepts “Review request”.',
      };
    case 'installations-lack-event':
      return {
        ...{ message: 'installations lack an event', event: problem.event },
        ...listInstallations(problem.installations),
        fix: 'An owner of each account opens its url and accepts “Review request”.',
      };
  }
}

const UNSUSPEND_FIX = 'An owner of each account in suspended opens its url and unsuspends the App.';

const LEFT_OUT_FIX = 'Add each account in leftOut that the App should serve to ALLOWED_OWNERS, and restart the server.';

const MAX_LISTED = 20;

function listInstallations(installations: readonly Installation[]) {
  const accounts = installations.slice(0, MAX_LISTED).map(({ account, url }) => ({ account, url }));
  return { accounts, more: installations.length - accounts.length };
}

/** A permission as GitHub's form shows it: `“Contents” to “Read and write”`. */
function clickedPermission(permission: string): string {
  const [name = '', level] = permission.split(': ');
  return `“${titleOf(name)}” to “${level === 'write' ? 'Read and write' : 'Read-only'}”`;
}

/** `Pull requests` for `pull_requests`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
