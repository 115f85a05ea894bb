import { expect, it } from 'vitest';
import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables } from '../../src/simulation/store/tables.ts';
import type { Store } from '../../src/store/store.ts';
import type { Context } from '../../src/worker/context.ts';
import { takeEffect, UNCLAIMED } from '../../src/worker/drain.ts';
import { GitHubFault } from '../../src/worker/ports.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
import { present } from '../store/bench.ts';
import { delivery, pullOf, run, step } from '../store/samples.ts';

const MINUTE = 60_000;
const SHOW = { type: 'show-run', runId: 'r' } as const;

/** A worker in front of a GitHub that answers nothing, whose clock jumps to what is due. */
function withoutGitHub(faultAt = (_now: number) => new GitHubFault('down', 502, null)) {
  const store = memoryStore(emptyTables(), 1);
  const clock = { now: 0 };
  const nothing = (): never => {
    throw faultAt(clock.now);
  };
  const context: Context = {
    store,
    githubs: { for: nothing, self: nothing, ahead: () => 0 },
    model: { ask: nothing, askForWords: nothing },
    clock: { now: () => clock.now, every: () => () => {} },
    log: { info() {}, warn() {}, error() {} },
    self: { slug: 'countersign', botId: 1 },
    serves: () => true,
    workOut: workOutHere,
    links: () => ({ repository: 'https://github.example/acme/shop' }),
    count() {},
  };
  return { store, clock, context };
}

async function wants(store: Store, id: string, now: number): Promise<void> {
  await store.receive([delivery(id)], now);
  const claim = present(await store.claimPull('w', now, MINUTE));
  await store.save(claim, present(claim.first), step(pullOf(1, { run: run('r') }), { effects: [SHOW] }), now);
  await store.release(claim);
}

/** The times at which it was tried, until so many tries were made or it is given up. */
async function tries({ store, clock, context }: ReturnType<typeof withoutGitHub>, most: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < most) {
    const due = (await store.nextDue(clock.now)).pull;
    if (due === null) break;
    clock.now = Math.max(clock.now, due);
    const claim = present(await store.claimPull('w', clock.now, MINUTE));
    const work = present(await store.nextWork(claim, clock.now));
    if (work.kind !== 'effect') throw new Error('Nothing else is wanted.');
    times.push(clock.now);
    await takeEffect(context, work.effect, new AbortController().signal, UNCLAIMED);
    await store.release(claim);
  }
  return times;
}

it('what only tells people something is given up after twelve tries', async () => {
  const app = withoutGitHub();
  await wants(app.store, 'a', 0);
  const times = await tries(app, 100);
  expect(times).toHaveLength(12);
  expect(times.at(-1)).toBeGreaterThan(15 * MINUTE);
});

it('F16: tries that a limit stopped do not count: after an hour of a suspension one mishap is not the last', async () => {
  const suspended = (now: number) => new GitHubFault('suspended', 403, now + 10 * MINUTE);
  const app = withoutGitHub((now) => (now < 130 * MINUTE ? suspended(now) : new GitHubFault('down', 502, null)));
  await wants(app.store, 'a', 0);
  const times = await tries(app, 100);
  expect(times.filter((time) => time < 130 * MINUTE)).toHaveLength(13);
  expect(times.filter((time) => time >= 130 * MINUTE)).toHaveLength(12);
});

it('what is wanted anew while it waits after failures keeps its time, and is tried from then on like anything new', async () => {
  const app = withoutGitHub();
  await wants(app.store, 'a', 0);
  await tries(app, 11);
  const wantedAt = app.clock.now + 4 * MINUTE + 59_000;
  app.clock.now = wantedAt;
  await wants(app.store, 'b', wantedAt);
  const [first, second, ...more] = (await tries(app, 100)).map((time) => time - wantedAt);
  expect([first, second]).toEqual([1_000, 3_000]);
  expect(more.at(-1)).toBeGreaterThanOrEqual(15 * MINUTE);
});
