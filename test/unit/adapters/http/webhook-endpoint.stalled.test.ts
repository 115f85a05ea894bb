import { afterAll, beforeAll, expect, it } from 'vitest';
import { SILENT_LOG } from '../../../../lab/shared/silent.ts';
import { createDeliveryHandler } from '../../../../src/adapters/http/webhook-endpoint.ts';
import { createStore } from '../../../../src/adapters/store/open.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { createMetrics } from '../../../../src/adapters/telemetry/metrics.ts';
import { startWorker } from '../../../../src/worker/worker.ts';
import { delivery } from '../../../contracts/store/samples.ts';
import { type BorrowedPglite, borrowPglite } from '../../../support/borrowed-pglite.ts';
import { createWorkerContext } from '../../worker/effects/worker-context.ts';
import { openEntry, SECRET } from './entry.ts';
import { commented } from './payloads.ts';
import { send, signed } from './raw-client.ts';

let pglite: BorrowedPglite;

let store: Store;

beforeAll(async () => {
  pglite = await borrowPglite();
  const backend = await pglite.open();
  store = createStore(backend);
});

afterAll(async () => {
  await store.close();
  pglite.giveBack();
});

const self = { slug: 'countersign', botId: 1 };

/** A service that never responds; `asked` resolves at its first request. */
function silence() {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const ask = (): Promise<never> => {
    resolve();
    return new Promise<never>(() => {});
  };
  return { asked, ask };
}

it('while GitHub and the model never answer, every delivery is stored and answered (F9)', async () => {
  const { asked, ask } = silence();
  const github = new Proxy({}, { get: () => ask });
  const worker = startWorker({
    ...createWorkerContext(store, Date.now),
    githubApp: { forPull: () => Object.assign(Object.create(github)), identity: ask },
    model: { ask, answerQuestion: ask, maxRequestTokens: ask },
  });
  const deliveries = createMetrics().deliveries;
  const take = createDeliveryHandler({ store, identity: () => self, now: Date.now, log: SILENT_LOG, deliveries });
  const entry = await openEntry({ deliver: async (event) => void (await take(event)) });
  const bodies = Array.from({ length: 20 }, (_, index) => {
    const payload = commented('/countersign tidy up');
    const comment = { ...payload.comment, id: 100 + index };
    return JSON.stringify({ ...payload, comment, issue: { ...payload.issue, number: 1 + index } });
  });
  const deliver = (body: string, index: number) => {
    const headers = signed(body, SECRET, { 'x-github-delivery': `stalled-${index}` });
    return send(entry.port, { headers, body });
  };
  expect((await deliver(bodies[0] ?? '', 0)).status).toBe(202);
  await asked;
  const answers = await Promise.all(bodies.slice(1).map((body, index) => deliver(body, index + 1)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  const again = bodies.map((_, index) => ({ ...delivery('again', index + 1), id: `stalled-${index}` }));
  for (const one of again) expect(await store.receive(one, Date.now())).toBe('duplicate');
  await entry.stop(0);
  await worker.stop(0);
});
