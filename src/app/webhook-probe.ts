import { DAY_MS } from '../core/state/settings.ts';
import type { AppWebhook, WebhookAttempt } from '../core/step/app-rights.ts';
import type { Finding, Probe } from './probes.ts';

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
