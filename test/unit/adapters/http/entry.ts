import { createHealthRoutes, type ReadinessCheck } from '../../../../src/adapters/http/health-routes.ts';
import { createRefusalLog } from '../../../../src/adapters/http/refused-webhooks.ts';
import { type HttpServer, openHttpServer } from '../../../../src/adapters/http/server.ts';
import { createWebhookHandler, type DeliverEvent } from '../../../../src/adapters/http/webhook-endpoint.ts';
import { createLogger } from '../../../../src/adapters/telemetry/log.ts';
import { createMetrics, METRIC_DEFINITIONS } from '../../../../src/adapters/telemetry/metrics.ts';
import type { DeliveryEvent } from '../../../../src/core/step/ports.ts';

export const SECRET = 'b2f1c09d7e6a4835';

export const OLD_SECRET = 'the-secret-of-last-year';

export type TestEntry = HttpServer & { readonly taken: DeliveryEvent[]; readonly lines: string[] };

export type TestEntryOptions = {
  readonly deliver?: DeliverEvent;
  readonly check?: ReadinessCheck;
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
};

/** A server on a free port that records its deliveries and log lines. */
export async function openEntry(options: TestEntryOptions = {}): Promise<TestEntry> {
  const taken: DeliveryEvent[] = [];
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: 'debug', format: 'json', secrets: [], stream });
  const metrics = createMetrics();
  const deliver = async (event: DeliveryEvent): Promise<void> => {
    await options.deliver?.(event);
    taken.push(event);
  };
  const timeout = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
  const logRefusal = createRefusalLog({ log, path: '/api/github/webhooks' });
  const handle = createWebhookHandler({ secrets: [SECRET, OLD_SECRET], deliver, log, logRefusal, ...timeout });
  const entry = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    log,
    responses: metrics.counter(METRIC_DEFINITIONS.httpResponses),
    routes: [
      { method: 'POST', path: '/api/github/webhooks', handle },
      ...createHealthRoutes(options.check ?? (async () => {}), metrics, log),
    ],
  });
  return { ...entry, taken, lines };
}
