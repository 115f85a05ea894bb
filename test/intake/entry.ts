import type { DeliveryEvent } from '../../src/intake/delivery-event.ts';
import { type HttpEntry, openServer } from '../../src/intake/server.ts';
import { type Check, statusRoutes } from '../../src/intake/status-routes.ts';
import { type Deliver, webhookHandle } from '../../src/intake/webhook.ts';
import { FAMILIES } from '../../src/telemetry/families.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { openMetrics } from '../../src/telemetry/metrics.ts';

export const SECRET = 'b2f1c09d7e6a4835';
export const OLD_SECRET = 'the-secret-of-last-year';

export type TestEntry = HttpEntry & { readonly taken: DeliveryEvent[]; readonly lines: string[] };

export type TestEntryOptions = { readonly deliver?: Deliver; readonly check?: Check; readonly patienceMs?: number };

/** An HTTP entry on a free port that keeps what it was delivered and logged. */
export async function openEntry(options: TestEntryOptions = {}): Promise<TestEntry> {
  const taken: DeliveryEvent[] = [];
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = openLog({ level: 'debug', format: 'json', secrets: [], stream });
  const metrics = openMetrics();
  const deliver = async (event: DeliveryEvent): Promise<void> => {
    await options.deliver?.(event);
    taken.push(event);
  };
  const patience = options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs };
  const handle = webhookHandle({ secrets: [SECRET, OLD_SECRET], deliver, log, ...patience });
  const entry = await openServer({
    host: '127.0.0.1',
    port: 0,
    log,
    answers: metrics.counter(FAMILIES.answers),
    routes: [
      { method: 'POST', path: '/api/github/webhooks', handle },
      ...statusRoutes(options.check ?? (async () => {}), metrics, log),
    ],
  });
  return { ...entry, taken, lines };
}
