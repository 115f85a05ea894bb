import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ANSWERS } from './answer.ts';
import type { Route } from './route.ts';

/** Resolves where this part works, rejects with the reason where it does not. */
export type Check = () => Promise<void>;

const PATIENCE_MS = 2_000;

async function passes(check: Check, log: Log): Promise<boolean> {
  const { promise: late, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
  try {
    await Promise.race([check(), late]);
    return true;
  } catch (error) {
    log.warn({ err: error }, 'not ready');
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Process alive, everything reachable, and the measurements; none of them names a repository or a person. */
export function statusRoutes(check: Check, metrics: Metrics, log: Log): readonly Route[] {
  const page = 'text/plain; version=0.0.4; charset=utf-8';
  return [
    { method: 'GET', path: '/healthz', handle: async () => ANSWERS.alive },
    {
      method: 'GET',
      path: '/readyz',
      handle: async () => ((await passes(check, log)) ? ANSWERS.ready : ANSWERS.unavailable),
    },
    { method: 'GET', path: '/metrics', handle: async () => ({ status: 200, body: metrics.page(), type: page }) },
  ];
}
