import {
  ALL_REQUIRED,
  type AppSetup,
  type Installation,
  missingEvents,
  missingOptions,
  missingPermissions,
  SUBSCRIBED_EVENTS,
} from '../core/step/app-rights.ts';
import type { Finding, Probe } from './probes.ts';

type AppSetupOptions = {
  readonly fetchSetup: () => Promise<AppSetup>;
  /** Returns whether the App serves an account, once GitHub has told whose App it is. */
  readonly ownerCheck: () => Promise<(owner: string) => boolean>;
};

/** Compares the App on GitHub, and its installations that can work, with what it needs. */
export function createAppSetupProbe({ fetchSetup, ownerCheck }: AppSetupOptions): Probe {
  return {
    name: 'the App on GitHub',
    async run() {
      const isServedOwner = await ownerCheck();
      const setup = await fetchSetup();
      const served = setup.installations.filter(({ account, isSuspended }) => isServedOwner(account) && !isSuspended);
      const lacks = [
        ...(served.length === 0 ? [servesNobody(setup, isServedOwner)] : []),
        ...appLacks(setup),
        ...installationsLack(setup, served),
      ];
      const options = optionsLacking(setup, served);
      if (lacks.length > 0) return [...lacks, ...options];
      const allClear = { message: 'the App has all it needs on GitHub', installations: served.length };
      return [{ level: 'ok', fix: null, ...allClear }, ...options];
    },
  };
}

function servesNobody({ installations, installUrl }: AppSetup, isServedOwner: (owner: string) => boolean): Finding {
  if (installations.length === 0)
    return {
      level: 'wrong',
      message: 'the App is not installed',
      url: installUrl,
      fix: 'Open the url and install it on a repository.',
    };
  const suspended = installations.filter(({ isSuspended }) => isSuspended);
  const leftOut = installations.filter(({ account }) => !isServedOwner(account));
  return {
    level: 'wrong',
    message: 'the App serves no account that installed it',
    suspended: listInstallations(suspended),
    leftOut: listInstallations(leftOut),
    fix: [...(suspended.length > 0 ? [UNSUSPEND_FIX] : []), ...(leftOut.length > 0 ? [LEFT_OUT_FIX] : [])].join(' '),
  };
}

function appLacks({ permissions, events, settingsUrl: url }: AppSetup): readonly Finding[] {
  return [
    ...missingPermissions(permissions).map((permission) => ({
      ...{ level: 'wrong' as const, message: 'the App does not ask for a permission', permission, url },
      fix: `Open the url, set ${clickedPermission(permission)}, and save. Then the owner of each account accepts it.`,
    })),
    ...missingEvents(events).map((event) => ({
      ...{ level: 'wrong' as const, message: 'the App is not subscribed to an event', event, url },
      fix: `Open the url, tick “${titleOf(event)}” below “Subscribe to events”, and save.`,
    })),
  ];
}

/** Without what the App itself lacks: it must ask first. */
function installationsLack(setup: AppSetup, served: readonly Installation[]): readonly Finding[] {
  const lackedByApp: readonly string[] = [...missingPermissions(setup.permissions), ...missingEvents(setup.events)];
  const finding = (
    message: string,
    kind: string,
    name: string,
    lacking: readonly Installation[],
  ): readonly Finding[] =>
    lacking.length === 0 || lackedByApp.includes(name)
      ? []
      : [{ level: 'wrong', message, [kind]: name, ...listInstallations(lacking), fix: ACCEPT_FIX }];
  return [
    ...ALL_REQUIRED.flatMap((permission) => {
      const lacking = served.filter((one) => missingPermissions(one.permissions).includes(permission));
      return finding('installations lack a permission', 'permission', permission, lacking);
    }),
    ...SUBSCRIBED_EVENTS.flatMap((event) => {
      const lacking = served.filter((one) => missingEvents(one.events).includes(event));
      return finding('installations lack an event', 'event', event, lacking);
    }),
  ];
}

/** Everything but the checks of a pull request works without them, so one line tells of all. */
function optionsLacking(setup: AppSetup, served: readonly Installation[]): readonly Finding[] {
  const lackedByApp = missingOptions(setup);
  const notGranted = (one: Installation) => missingOptions(one).filter((name) => !lackedByApp.includes(name));
  const lacking = served.filter((one) => notGranted(one).length > 0);
  const lackedByAccounts = [...new Set(lacking.flatMap(notGranted))];
  const ofApp: Finding = {
    ...{ level: 'less', message: 'the App asks for less than it can use', lacks: lackedByApp, url: setup.settingsUrl },
    fix: `For the checks of pull requests, open the url and add what it lacks. ${WITHOUT_CHECKS}`,
  };
  const ofAccounts: Finding = {
    ...{ level: 'less', message: 'installations grant less than the App can use', lacks: lackedByAccounts },
    ...listInstallations(lacking),
    fix: `For the checks of pull requests: ${ACCEPT_FIX} ${WITHOUT_CHECKS}`,
  };
  return [...(lackedByApp.length > 0 ? [ofApp] : []), ...(lacking.length > 0 ? [ofAccounts] : [])];
}

const WITHOUT_CHECKS =
  'Until then runs do not wait for checks, and the agent cannot read them. Everything else works without.';

const ACCEPT_FIX = 'An owner of each account opens its url and accepts “Review request”.';

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
