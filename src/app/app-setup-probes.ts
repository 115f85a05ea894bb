import { DAY_MS } from '../core/state/limits.ts';
import {
  ALL_REQUIRED,
  type AppSetup,
  type AppWebhook,
  type Installation,
  missingEvents,
  missingOptions,
  missingPermissions,
  SUBSCRIBED_EVENTS,
  type WebhookAttempt,
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

type WebhookProbeOptions = {
  readonly fetchWebhook: () => Promise<AppWebhook>;
  /** The path on which this server takes webhooks. */
  readonly path: string;
  /** Whether the server hears from GitHub's log of deliveries. */
  readonly polls: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Looks at how events of GitHub come here: the webhook's settings, and how its last deliveries ended. */
export function createWebhookProbe({ fetchWebhook, path, polls, now }: WebhookProbeOptions): Probe {
  return {
    name: 'the webhook',
    async run() {
      const webhook = await fetchWebhook();
      return polls ? readingFindings(webhook) : sendingFindings(webhook, path, now());
    },
  };
}

function readingFindings({ attempts }: AppWebhook): readonly Finding[] {
  if (attempts !== null) return [{ level: 'ok', message: 'GitHub shows its log of deliveries', fix: null }];
  const fix = 'Unset POLL, and enter the address of this server as the webhook URL in the App’s settings on GitHub.';
  return [{ level: 'wrong', message: 'GitHub shows no log of deliveries', fix }];
}

function sendingFindings(webhook: AppWebhook, path: string, now: number): readonly Finding[] {
  const { url, contentType, checksCertificate, attempts } = webhook;
  const leadsNowhere = /(?:\.invalid|countersign\.example\.com)$/.test(URL.parse(url)?.hostname ?? '.invalid');
  const wrongs: readonly (Finding | false)[] = [
    leadsNowhere && {
      ...{ level: 'wrong', message: 'the webhook leads nowhere', url },
      fix: 'Set POLL=5s, or enter the address of this server as the webhook URL in the App’s settings on GitHub.',
    },
    contentType !== 'json' && {
      ...{ level: 'wrong', message: 'the webhook has a content type that is not read', contentType },
      fix: 'Set the webhook’s content type to application/json in the App’s settings on GitHub.',
    },
    !leadsNowhere &&
      URL.parse(url)?.pathname !== path && {
        ...{ level: 'less', message: 'the webhook has another path than this server', url, path },
        fix: 'Nothing, if a proxy changes the path. Else end the webhook URL with it, or set WEBHOOK_PATH.',
      },
    !checksCertificate && {
      ...{ level: 'less', message: 'the webhook checks no certificate', url },
      fix: 'Turn on “SSL verification” in the App’s settings on GitHub: others could read the events.',
    },
  ];
  const findings = [...wrongs.filter((finding) => finding !== false), ...failedDeliveries(attempts ?? [], now)];
  return findings.length > 0 ? findings : [{ level: 'ok', message: 'the webhook is set', fix: null, url }];
}

/** The webhooks of a day whose last attempt failed, a line for each cause. They are read from the log later. */
function failedDeliveries(attempts: readonly WebhookAttempt[], now: number): readonly Finding[] {
  const recent = attempts.filter(({ deliveredAt }) => deliveredAt > now - DAY_MS);
  const last = new Map(recent.toReversed().map((attempt) => [attempt.guid, attempt]));
  const failed = [...last.values()].filter((attempt) => !arrived(attempt));
  const byCause = Map.groupBy(failed, causeOf);
  return [...byCause].map(([cause, failures]) => {
    const failedAt = Math.max(...failures.map(({ deliveredAt }) => deliveredAt));
    const arrivedSince = [...last.values()].filter((one) => arrived(one) && one.deliveredAt > failedAt).length;
    const known = FIXES.find((row) => row.cause.test(cause))?.fix ?? UNREACHED_FIX;
    const fix = arrivedSince === 0 ? known : `Nothing, unless it repeats. Then: ${known}`;
    const counts = { count: failures.length, of: last.size, arrivedSince };
    return { level: 'less', message: 'GitHub could not deliver webhooks', cause, ...counts, fix };
  });
}

function arrived({ statusCode }: WebhookAttempt): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** The status of the answer, or GitHub's words where there was none. */
function causeOf({ statusCode, status }: WebhookAttempt): string {
  return statusCode === 0 ? status : String(statusCode);
}

/** What the operator does, by the status that GitHub got. */
const FIXES: readonly { readonly cause: RegExp; readonly fix: string }[] = [
  { cause: /^401$/, fix: 'Enter WEBHOOK_SECRET as the webhook secret in the App’s settings on GitHub.' },
  { cause: /^404$/, fix: 'End the webhook URL in the App’s settings on GitHub with the path of this server.' },
  { cause: /^400$/, fix: 'Set the webhook’s content type to application/json, and let the proxy pass on all headers.' },
  { cause: /^413$/, fix: 'Let the proxy pass bodies of up to 25 MiB.' },
  { cause: /^3\d\d$/, fix: 'Enter the address that the webhook URL redirects to.' },
  { cause: /^5\d\d$/, fix: 'Look at this server’s log, its database and its proxy.' },
  { cause: /^[1-9]\d\d$/, fix: 'Look at the proxy before this server, which answers with this status.' },
];

const UNREACHED_FIX =
  'GitHub does not reach this server: correct the webhook URL, open the firewall, or set POLL=5s and need neither.';
