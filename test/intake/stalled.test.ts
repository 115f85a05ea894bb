import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTake } from '../../src/intake/take-delivery.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { FAMILIES } from '../../src/telemetry/families.ts';
import { openMetrics } from '../../src/telemetry/metrics.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { type BorrowedPglite, borrowPglite } from '../borrowed-pglite.ts';
import { delivery } from '../store/samples.ts';
import { openEntry, SECRET } from './entry.ts';
import { commented } from './payloads.ts';
import { send, signed } from './raw-client.ts';

let pglite: BorrowedPglite;
let store: Store;
beforeAll(async () => {
  pglite = await borrowPglite();
  const backend = await pglite.open();
  store = storeOn(backend);
});
afterAll(async () => {
  await store.close();
  pglite.giveBack();
});

const log = { debug() {}, info() {}, warn() {}, error() {} };
const self = { slug: 'countersign', botId: 1 };

/** One that is asked and never answers; `asked` resolves at the first question. */
function silence() {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const ask = (): Promise<never> => {
    resolve();
    return new Promise<never>(() => {});
  };
  return { asked, ask };
}

it('F9: while GitHub and the model never answer, every delivery is stored and answered', async () => {
  const { asked, ask } = silence();
  const github = new Proxy({}, { get: () => ask });
  const worker = startWorker(
    {
      store,
      githubs: { for: () => Object.assign(Object.create(github)), self: ask, ahead: () => 0 },
      model: { ask, askForWords: ask },
      clock: { now: Date.now, every: () => () => {} },
      log,
      self,
      serves: () => true,
      workOut: workOutHere,
      links: () => ({ repository: 'https://github.example/acme/shop' }),
      count() {},
    },
    { name: 'stalled' },
  );
  const deliveries = openMetrics().counter(FAMILIES.deliveries);
  const take = openTake({ store, self: () => self, now: Date.now, log, deliveries });
  const entry = await openEntry({
    deliver: async (event) => {
      await take(event);
      worker.wake();
    },
  });
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
  expect(await store.receive(again, Date.now())).toEqual(bodies.map(() => 'duplicate'));
  await entry.stop(0);
  await worker.stop(0);
});
