import { generateKeyPairSync } from 'node:crypto';
import { Probot } from 'probot';
import { CountersignOctokit } from '../../../../src/adapters/github/requests/client.ts';
import {
  createHealthRoutes,
  type HttpServer,
  openHttpServer,
  type ReadinessCheck,
} from '../../../../src/adapters/http/server.ts';
import { createRefusalLog, createWebhookHandler } from '../../../../src/adapters/http/webhook-endpoint.ts';
import { createLogger } from '../../../../src/adapters/telemetry/log.ts';
import { createMetrics } from '../../../../src/adapters/telemetry/metrics.ts';
import { createProbotApp } from '../../../../src/app/wiring.ts';
import type { DeliveryEvent } from '../../../../src/core/step/ports.ts';
import { asProbotOctokit } from '../../../../src/lib/trust.ts';

export const SECRET = 'b2f1c09d7e6a4835';

export const OLD_SECRET = 'the-secret-of-last-year';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

export type TestEntry = HttpServer & { readonly taken: DeliveryEvent[]; readonly lines: string[] };

export type TestEntryOptions = {
  readonly deliver?: (event: DeliveryEvent) => Promise<unknown>;
  readonly check?: ReadinessCheck;
  readonly timeoutMs?: number;
};

/** A server on a free port that records its deliveries and log lines. */
export async function openEntry(options: TestEntryOptions = {}): Promise<TestEntry> {
  const taken: DeliveryEvent[] = [];
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: 'debug', format: 'json', secrets: [], stream });
  const silent = createLogger({ level: 'silent', format: 'json', secrets: [] });
  const metrics = createMetrics();
  const app = createProbotApp(async (event) => {
    await options.deliver?.(event);
    taken.push(event);
    return 'stored';
  });
  const receivers = await Promise.all(
    [SECRET, OLD_SECRET].map(async (secret) => {
      const Octokit = asProbotOctokit(CountersignOctokit);
      const probot = new Probot({ appId: 1, privateKey: PEM, secret, Octokit, log: silent });
      await probot.load(app);
      return probot.webhooks;
    }),
  );
  const timeout = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
  const logRefusal = createRefusalLog({ log, path: '/api/github/webhooks' });
  const handle = createWebhookHandler({ receivers, log, logRefusal, ...timeout });
  const entry = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    log,
    responses: metrics.httpResponses,
    routes: [
      { method: 'POST', path: '/api/github/webhooks', handle },
      ...createHealthRoutes({ check: options.check ?? (async () => []), metrics, log, renderPage: async () => '' }),
    ],
  });
  return { ...entry, taken, lines };
}
