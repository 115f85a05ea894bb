import type { IncomingMessage } from 'node:http';
import { createThrottle } from '../telemetry/fault.ts';
import type { Logger } from '../telemetry/log.ts';

/** Why a webhook was refused, if an operator can do something about it. */
export type RefusedWebhook = keyof typeof FIXES;

const FIXES = {
  'wrong-path':
    'GitHub, or a stranger, sends webhooks to another path. End the webhook URL in the App’s settings on GitHub with the path of this line, or set WEBHOOK_PATH.',
  'no-signature':
    'The App’s webhook has no secret, or a stranger sent this. Enter WEBHOOK_SECRET as the webhook secret in the App’s settings on GitHub.',
  'wrong-signature':
    'The webhook secret differs from WEBHOOK_SECRET, or a stranger sent this. Enter the same secret in the App’s settings on GitHub and in WEBHOOK_SECRET.',
  'content-type-form':
    'The App’s webhook sends forms. Set the webhook’s content type to application/json in the App’s settings on GitHub.',
  'content-type-other':
    'A proxy changes the content type of webhooks, or a stranger sent this. Let the proxy pass on Content-Type: application/json.',
  'headers-missing':
    'A proxy removes headers of webhooks, or a stranger sent this. Let the proxy pass on X-GitHub-Delivery and X-GitHub-Event.',
  'body-not-json':
    'A program that knows WEBHOOK_SECRET sends something else than GitHub does. Find it, or make a new secret.',
  'body-too-large':
    'A stranger sent this, because GitHub sends at most 25 MiB. If it repeats, let the proxy refuse larger bodies.',
  'too-many-large-bodies':
    'Many large bodies came at once, likely from a stranger. Lost webhooks are read from GitHub’s delivery log later. If it repeats, let the proxy limit the connections of each sender.',
} as const satisfies Readonly<Record<string, string>>;

/** Logs a refused webhook, at most one line a minute for each cause. */
export type RefusalLog = (cause: RefusedWebhook) => void;

type RefusalLogOptions = {
  readonly log: Pick<Logger, 'warn'>;
  /** The path that webhooks must have. */
  readonly path: string;
  /** A clock in ms. */
  readonly now?: () => number;
};

/** The lines hold nothing of the request, because anybody can send one. */
export function createRefusalLog({ log, path, now = () => performance.now() }: RefusalLogOptions): RefusalLog {
  const throttle = createThrottle<RefusedWebhook>(now);
  return (cause) => {
    const allowed = throttle(cause);
    if (allowed !== null) log.warn({ cause, path, fix: FIXES[cause], ...allowed }, 'webhook refused');
  };
}

/** Whether a request that no route takes was meant for the webhook's. */
export function isStrayWebhook({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'POST' && headers['x-github-event'] !== undefined;
}
