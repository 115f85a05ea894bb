import { withTimeout } from '../../lib/delay.ts';
import { createFault } from '../telemetry/fault.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type HttpRoute, RESPONSES } from './server.ts';

/** Resolves if the server is ready, and rejects with the reason if not. */
export type ReadinessCheck = () => Promise<void>;

/** The routes for liveness, readiness and metrics. Their responses name no repository and no person. */
export function createHealthRoutes(check: ReadinessCheck, metrics: Metrics, log: Logger): readonly HttpRoute[] {
  const contentType = 'text/plain; version=0.0.4; charset=utf-8';
  const isReady = createReadiness(check, log);
  return [
    { method: 'GET', path: '/healthz', handle: async () => RESPONSES.alive },
    {
      method: 'GET',
      path: '/readyz',
      handle: async () => ((await isReady()) ? RESPONSES.ready : RESPONSES.unavailable),
    },
    {
      method: 'GET',
      path: '/metrics',
      handle: async () => ({ status: 200, body: await metrics.render(), contentType }),
    },
  ];
}

const CHECK_TIMEOUT_MS = 2_000;

/** Runs the check, and logs each change from ready to not ready and back. */
function createReadiness(check: ReadinessCheck, log: Logger): () => Promise<boolean> {
  const fault = createFault({ level: 'warn', message: 'not ready', endMessage: 'ready again' });
  return async () => {
    try {
      await withTimeout(check(), CHECK_TIMEOUT_MS, 'the readiness check timed out');
      fault.ended(log);
      return true;
    } catch (error) {
      fault.failed(log, error);
      return false;
    }
  };
}
