import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import { editedIntoCommand } from '../../../src/core/messages/replies.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { GitHubError } from '../../../src/core/step/ports.ts';
import { NO_CLAIM, runEffect } from '../../../src/worker/run-effect.ts';
import { delivery, pullOf, run, step } from '../../contracts/store/samples.ts';
import { nextSignal, present } from '../../contracts/store/store-under-test.ts';
import { createWorkerContext } from './effects/worker-context.ts';

const MINUTE = 60_000;

const SHOW = { type: 'update-run-comment', runId: 'r' } as const;

/** A worker with an unresponsive GitHub, whose clock jumps to the next due time. */
function withoutGitHub(faultAt = (_now: number) => new GitHubError('down', 502, null)) {
  const store = createMemoryStore(createMemoryTables());
  const clock = { now: 0 };
  const nothing = (): never => {
    throw faultAt(clock.now);
  };
  const context = createWorkerContext(store, () => clock.now, nothing);
  return { store, clock, context };
}

async function requestUpdate(store: Store, id: string, now: number, effect: Effect = SHOW): Promise<void> {
  await store.receive(delivery(id), now);
  const claim = present(await store.claimPull(now, MINUTE));
  const signal = present(await nextSignal(store, claim, now));
  await store.save(claim, signal, step(pullOf(1, { run: run('r') }), { effects: [effect] }), now);
  await store.releaseClaim(claim);
}

/** The times of the attempts, up to this number or until the effect is abandoned. */
async function attemptTimes(
  { store, clock, context }: ReturnType<typeof withoutGitHub>,
  most: number,
): Promise<number[]> {
  const times: number[] = [];
  while (times.length < most) {
    const due = await store.nextDue();
    if (due === null) break;
    clock.now = Math.max(clock.now, due);
    const claim = present(await store.claimPull(clock.now, MINUTE));
    const work = present(await store.nextWork(claim, clock.now));
    if (work.kind !== 'effect') throw new Error('Nothing else is wanted.');
    times.push(clock.now);
    await runEffect(context, work.effect, new AbortController().signal, NO_CLAIM);
    await store.releaseClaim(claim);
  }
  return times;
}

it('an outage ends no effect, however long it lasts (F16)', async () => {
  const app = withoutGitHub();
  await requestUpdate(app.store, 'a', 0);
  const times = await attemptTimes(app, 200);
  expect(times).toHaveLength(200);
  expect(times.at(-1)).toBeGreaterThan(180 * MINUTE);
});

it('a reply in a conversation that stays locked is abandoned after 29 days (F13)', async () => {
  const app = withoutGitHub((now) => new GitHubError('locked', 403, now + 6 * 60 * MINUTE));
  const reply: Effect = { type: 'reply', to: { at: 'pull-request' }, reply: editedIntoCommand(), onceKey: null };
  await requestUpdate(app.store, 'a', 0, reply);
  const times = await attemptTimes(app, 200);
  expect(times.at(-1)).toBe(29 * 24 * 60 * MINUTE);
});

const REACT: Effect = {
  type: 'react',
  location: { at: 'conversation', commentId: 1 },
  content: 'eyes',
  askedAt: '2030-01-01T00:00:00Z',
};

const REPLY: Effect = { type: 'reply', to: { at: 'pull-request' }, reply: editedIntoCommand(), onceKey: null };

it.each([
  ['a page', SHOW, 403, null],
  ['a page of what is gone', SHOW, 404, 10],
  ['a reply', REPLY, 422, 3 * 24 * 60],
  ['anything else', REACT, 403, 10],
] as const)('%s that GitHub refuses is tried again for minutes at least (R3)', async (_, effect, status, minutes) => {
  const app = withoutGitHub(() => new GitHubError('no', status, null));
  await requestUpdate(app.store, 'a', 0, effect);
  const times = await attemptTimes(app, 2_000);
  const isGivenUp = times.length < 2_000;
  expect(isGivenUp ? Math.floor((times.at(-1) ?? 0) / MINUTE) : null).toBe(minutes);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.max(...waits)).toBeLessThanOrEqual(5 * MINUTE);
});

it('a refusal after a long outage is tried again for as long as any other (R3)', async () => {
  const app = withoutGitHub((now) => new GitHubError('no', now < 60 * MINUTE ? 502 : 403, null));
  await requestUpdate(app.store, 'a', 0, REACT);
  const refused = (await attemptTimes(app, 2_000)).filter((time) => time >= 60 * MINUTE);
  expect(refused.length).toBeGreaterThan(5);
  expect((refused.at(-1) ?? 0) - (refused[0] ?? 0)).toBeGreaterThanOrEqual(10 * MINUTE);
});

it('a refusal of days is final, although GitHub is away for a minute of each hour (R3)', async () => {
  const isAway = (now: number): boolean => now % (60 * MINUTE) < MINUTE;
  const app = withoutGitHub((now) => new GitHubError('no', isAway(now) ? 502 : 422, null));
  await requestUpdate(app.store, 'a', 0, REPLY);
  const last = (await attemptTimes(app, 9_000)).at(-1) ?? 0;
  expect(Math.floor(last / (60 * MINUTE))).toBe(3 * 24);
});

it('a renewed request keeps its retry time and starts with short delays again', async () => {
  const app = withoutGitHub();
  await requestUpdate(app.store, 'a', 0);
  await attemptTimes(app, 11);
  const wantedAt = app.clock.now + 59_000;
  app.clock.now = wantedAt;
  await requestUpdate(app.store, 'b', wantedAt);
  const times = (await attemptTimes(app, 2)).map((time) => time - wantedAt);
  expect(times).toEqual([1_000, 3_000]);
});
