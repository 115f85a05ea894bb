import {
  type AppSetup,
  findSetupProblems,
  type Installation,
  type SetupProblem,
  servedInstallations,
} from '../core/step/app-rights.ts';
import type { Finding, Probe } from './probes.ts';

type AppSetupOptions = {
  readonly fetchSetup: () => Promise<AppSetup>;
  readonly isServedOwner: (owner: string) => boolean;
};

/** Compares the App on GitHub with what it needs. */
export function createAppSetupProbe({ fetchSetup, isServedOwner }: AppSetupOptions): Probe {
  return {
    name: 'the App on GitHub',
    async run() {
      const setup = await fetchSetup();
      const problems = findSetupProblems(setup, isServedOwner);
      if (problems.length > 0) return problems.map((problem) => describeProblem(problem, setup));
      const installations = servedInstallations(setup, isServedOwner).length;
      return [{ message: 'the App has all it needs on GitHub', fix: null, installations }];
    },
  };
}

/** Its fields are all that must be clicked. */
function describeProblem(problem: SetupProblem, { settingsUrl, installUrl }: AppSetup): Finding {
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
