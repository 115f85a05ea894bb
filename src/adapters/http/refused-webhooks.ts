import type { Logger } from '../telemetry/log.ts';
import { createThrottle } from '../telemetry/throttle.ts';

/** Why a webhook was refused, if a wrong setting can be the cause. */
type RefusedWebhook = keyof typeof FIXES;

const FIXES = {
  'no-signature':
    'The App’s webhook has no secret, or a stranger sent this. Enter WEBHOOK_SECRET as the webhook secret in the App’s settings on GitHub.',
  'wrong-signature':
    'The webhook secret differs from WEBHOOK_SECRET, or a stranger sent this. Enter the same secret in the App’s settings on GitHub and in WEBHOOK_SECRET.',
  'content-type-form':
    'The App’s webhook sends forms. Set the webhook’s content type to application/json in the App’s settings on GitHub.',
} as const satisfies Readonly<Record<string, string>>;

/**
 * Logs refused webhooks, at most one line a minute for each cause. The lines hold nothing of the request, because
 * anybody can send one.
 */
export function createRefusalLog(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): (cause: RefusedWebhook) => void {
  const throttle = createThrottle<RefusedWebhook>(now);
  return (cause) => {
    const allowed = throttle(cause);
    if (allowed !== null) log.warn({ cause, fix: FIXES[cause], ...allowed }, 'webhook refused');
  };
}
