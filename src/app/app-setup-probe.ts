import {
  ALL_REQUIRED,
  type AppSetup,
  type Installation,
  missingEvents,
  missingPermissions,
  SUBSCRIBED_EVENTS,
} from '../core/step/app-rights.ts';
import type { Finding, Probe } from './probes.ts';

type AppSetupOptions = {
  readonly fetchSetup: () => Promise<AppSetup>;
  readonly isServedOwner: (owner: string) => boolean;
};

/** Compares the App on GitHub, and its installations that can work, with what it needs. */
export function createAppSetupProbe({ fetchSetup, isServedOwner }: AppSetupOptions): Probe {
  return {
    name: 'the App on GitHub',
    async run() {
      const setup = await fetchSetup();
      const served = setup.installations.filter(({ account, isSuspended }) => isServedOwner(account) && !isSuspended);
      const findings = [
        ...(served.length === 0 ? [servesNobody(setup, isServedOwner)] : []),
        ...appLacks(setup),
        ...installationsLack(setup, served),
      ];
      if (findings.length > 0) return findings;
      return [{ message: 'the App has all it needs on GitHub', fix: null, installations: served.length }];
    },
  };
}

function servesNobody({ installations, installUrl }: AppSetup, isServedOwner: (owner: string) => boolean): Finding {
  if (installations.length === 0)
    return {
      message: 'the App is not installed',
      url: installUrl,
      fix: 'Open the url and install it on a repository.',
    };
  const suspended = installations.filter(({ isSuspended }) => isSuspended);
  const leftOut = installations.filter(({ account }) => !isServedOwner(account));
  return {
    message: 'the App serves no account that installed it',
    suspended: listInstallations(suspended),
    leftOut: listInstallations(leftOut),
    fix: [...(suspended.length > 0 ? [UNSUSPEND_FIX] : []), ...(leftOut.length > 0 ? [LEFT_OUT_FIX] : [])].join(' '),
  };
}

function appLacks({ permissions, events, settingsUrl: url }: AppSetup): readonly Finding[] {
  return [
    ...missingPermissions(permissions).map((permission) => ({
      ...{ message: 'the App does not ask for a permission', permission, url },
      fix: `Open the url, set ${clickedPermission(permission)}, and save. Then the owner of each account accepts it.`,
    })),
    ...missingEvents(events).map((event) => ({
      ...{ message: 'the App is not subscribed to an event', event, url },
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
      : [{ message, [kind]: name, ...listInstallations(lacking), fix: ACCEPT_FIX }];
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
