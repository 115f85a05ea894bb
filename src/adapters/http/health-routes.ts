import { withTimeout } from '../../lib/delay.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type HttpRoute, RESPONSES } from './server.ts';

/** Resolves if the server is ready, and rejects with the reason if not. */
export type ReadinessCheck = () => Promise<void>;

/** The routes for liveness, readiness and metrics. Their responses name no repository and no person. */
export function createHealthRoutes(check: ReadinessCheck, metrics: Metrics, log: Logger): readonly HttpRoute[] {
  const contentType = 'text/plain; version=0.0.4; charset=utf-8';
  return [
    { method: 'GET', path: '/healthz', handle: async () => RESPONSES.alive },
    {
      method: 'GET',
      path: '/readyz',
      handle: async () => ((await isPassing(check, log)) ? RESPONSES.ready : RESPONSES.unavailable),
    },
    {
      method: 'GET',
      path: '/metrics',
      handle: async () => ({ status: 200, body: await metrics.render(), contentType }),
    },
  ];
}

const CHECK_TIMEOUT_MS = 2_000;

async function isPassing(check: ReadinessCheck, log: Logger): Promise<boolean> {
  try {
    await withTimeout(check(), CHECK_TIMEOUT_MS, 'the readiness check timed out');
    return true;
  } catch (error) {
    log.warn({ err: error }, 'not ready');
    return false;
  }
}
