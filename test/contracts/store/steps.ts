import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/adapters/store/store.ts';
import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import { DAY_MS, type RunStart } from '../../../src/core/state/limits.ts';
import { NO_PROPOSALS, type ProposalSelector } from '../../../src/core/step/facts.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { delivery, PREFLIGHT, posted, proposal, pullOf, refOf, run, step, vote } from './samples.ts';
import { LEASE, nextSignal, present, type StoreHarness } from './store-under-test.ts';

/** A step is saved completely or not at all, and loads unchanged. */
export function stepsContract({ store, rows, claimSignal }: StoreHarness): void {
  describe('steps', () => {
    it('stores and loads all parts of a step (S81)', async () => {
      const { claim, signal } = await claimSignal('a');
      const task = run('r').task;
      const messages: TranscriptMessage[] = [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ];
      const pull = pullOf(1, {
        ref: { ...refOf(1), repo: 'renamed' },
        run: run('r', { messageCount: 2 }),
        queue: [task],
        proposals: [posted('p1', 'r', 71), proposal('p2', 'r')],
        proposalCount: 2,
        notifiedUnauthorizedUserIds: [3],
      });
      expect(await store().save(claim, signal, step(pull, { messages }), 20)).toBe('saved');
      expect(await store().load(claim.pullRequestKey, NO_PROPOSALS)).toEqual(pull);
      expect(await store().loadTranscript('r')).toEqual(messages);
      expect(await store().loadTranscript('other')).toEqual([]);
    });

    it('lists the newest other runs with their decided changes, oldest first (S136)', async () => {
      const { claim, signal } = await claimSignal('a');
      const decided = proposal('p1', 'r1', { state: 'rejected', votes: [vote('p1', 'too slow')] }, 'x'.repeat(300_000));
      const first = { run: run('r1'), proposals: [decided, proposal('p2', 'r1')] };
      await store().save(claim, signal, step(pullOf(1, first)), 20);
      for (const [index, id] of ['r2', 'r3', 'r4'].entries()) {
        const next = present(await nextOf(`d${index}`, claim));
        await store().save(claim, next, step(pullOf(1, { run: run(id) })), 30 + index);
      }
      const listed = await store().listEarlierRuns(claim.pullRequestKey, 'r4', 3);
      expect(listed.map((one) => one.run.task.text)).toEqual(['use bigint', 'use bigint', 'use bigint']);
      const members = [{ op: 'write', path: 'a.txt', from: null }];
      expect(listed.map(({ proposals }) => proposals)).toMatchObject([
        [{ state: 'rejected', votes: decided.votes, change: { members } }],
        [],
        [],
      ]);
      expect(await store().listEarlierRuns(claim.pullRequestKey, 'r4', 1)).toHaveLength(1);
      expect(await store().listEarlierRuns('1/2/99', 'r4', 3)).toEqual([]);
    });

    it('knows which limit the runs of a day have reached, and when it is free again (S171)', async () => {
      const { claim, signal } = await claimSignal('a');
      const runStart: RunStart = { runsPerDay: 9, runsPerPersonPerDay: null, requesterId: 7 };
      await store().save(claim, signal, step(pullOf(1, { run: run('r1') }), { runStart }), 20);
      const next = present(await nextOf('b', claim));
      // The run goes on, and its limits begin anew.
      await store().save(claim, next, step(pullOf(1, { run: run('r1', { turns: 1 }) }), { runStart }), 30);
      const last = present(await nextOf('c', claim));
      await store().save(claim, last, step(pullOf(1, { run: run('r1', { turns: 2 }) })), 40);
      // Nothing counts a signal that another process has decided.
      expect(await store().save(claim, last, step(pullOf(1, { run: run('r1') }), { runStart }), 40)).toBe('lost');
      const { ref } = pullOf(1);
      const limit = (runsPerDay: number, more: Partial<RunStart> = {}, now = 40) =>
        store().findReachedRunLimit(ref, { runsPerDay, runsPerPersonPerDay: null, requesterId: 7, ...more }, now);
      const freeAt = (start: number) => new Date(start + DAY_MS).toISOString();
      expect(await limit(3)).toBeNull();
      expect(await limit(2)).toEqual({ key: 'limits.runs_per_day', max: 2, freeAt: freeAt(20) });
      expect(await limit(1)).toEqual({ key: 'limits.runs_per_day', max: 1, freeAt: freeAt(30) });
      expect(await limit(2, {}, 20 + DAY_MS)).toBeNull();
      const person = { key: 'limits.runs_per_person_per_day', max: 1, freeAt: freeAt(30) };
      expect(await limit(2, { runsPerPersonPerDay: 1 })).toEqual(person);
      expect(await limit(3, { runsPerPersonPerDay: 1 })).toEqual(person);
      expect(await limit(3, { runsPerPersonPerDay: 1, requesterId: 8 })).toBeNull();
      const elsewhere = { ...ref, repositoryId: 99_999 };
      const start = { runsPerDay: 1, runsPerPersonPerDay: 1, requesterId: 7 };
      expect(await store().findReachedRunLimit(elsewhere, start, 40)).toBeNull();
    });

    it('of runs that start at the same moment, no more are saved than a limit allows (S171, H4)', async () => {
      const start: RunStart = { runsPerDay: 5, runsPerPersonPerDay: 3, requesterId: 7 };
      const people = [7, 7, 7, 7, 8, 8, 9, 9];
      const claims: Awaited<ReturnType<typeof claimSignal>>[] = [];
      for (const index of people.keys()) claims.push(await claimSignal(`d${index}`, index + 1));
      const results = await Promise.all(
        claims.map(({ claim, signal }, index) => {
          const by = { ...run('r').task.by, id: people[index] ?? 0 };
          const own = run(`r${index}`, { task: { ...run('r').task, by } });
          const pull = pullOf(index + 1, { run: own });
          return store().save(claim, signal, step(pull, { runStart: { ...start, requesterId: by.id } }), 50);
        }),
      );
      const saved = people.filter((_, index) => results[index] === 'saved');
      expect(saved).toHaveLength(5);
      expect(saved.filter((id) => id === 7).length).toBeLessThanOrEqual(3);
      expect(new Set(results)).toEqual(new Set(['saved', 'run-limit-reached']));
    });

    it('a run that a limit forbids leaves nothing behind, and its signal is decided again (S171)', async () => {
      const { claim, signal } = await claimSignal('a');
      const start: RunStart = { runsPerDay: 1, runsPerPersonPerDay: null, requesterId: 7 };
      expect(await store().save(claim, signal, step(pullOf(1, { run: run('r1') }), { runStart: start }), 20)).toBe(
        'saved',
      );
      const next = present(await nextOf('b', claim));
      const refused = step(pullOf(1, { run: run('r2') }), { runStart: start });
      expect(await store().save(claim, next, refused, 30)).toBe('run-limit-reached');
      expect((await store().load(claim.pullRequestKey, NO_PROPOSALS)).run?.id).toBe('r1');
      expect(await store().loadRun(claim.pullRequestKey, 'r2')).toBeNull();
      await store().postponeSignal(claim, next, 30, null);
      expect(await nextSignal(store(), claim, 31)).toMatchObject({ id: next.id, attempts: 0 });
      expect(await store().save(claim, next, refused, 20 + DAY_MS)).toBe('saved');
    });

    it('loads proposals that are current, open or named, never the whole history', async () => {
      const { claim, signal } = await claimSignal('a');
      const over = (id: string, commentId: number) => ({ ...posted(id, 'old', commentId), state: 'rejected' as const });
      const old = [over('p1', 71), over('p2', 72), over('p3', 73), posted('p0', 'old', 74)];
      await store().save(claim, signal, step(pullOf(1, { run: run('old'), proposals: old })), 20);
      const next = present(await nextOf('b', claim));
      const pull = pullOf(1, { run: run('new'), proposals: [proposal('p4', 'new')] });
      await store().save(claim, next, step(pull), 30);
      const ids = async (named: ProposalSelector) =>
        (await store().load(claim.pullRequestKey, named)).proposals.map(({ id }) => id);
      expect(await ids(NO_PROPOSALS)).toEqual(['p0', 'p4']);
      expect(await ids({ ids: ['p3', 'p4', 'p9'], commentId: 71 })).toEqual(['p1', 'p3', 'p0', 'p4']);
      expect(await ids({ ids: [], commentId: 72 })).toEqual(['p2', 'p0', 'p4']);
    });

    it('saves only changed proposals', async () => {
      const { claim, signal } = await claimSignal('a');
      const proposals = [proposal('p1', 'r'), proposal('p2', 'r')];
      await store().save(claim, signal, step(pullOf(1, { run: run('r'), proposals })), 20);
      const loaded = await store().load(claim.pullRequestKey, NO_PROPOSALS);
      const [first, second] = loaded.proposals.map((each) => present(each));
      const pull = { ...loaded, proposals: [present(first), { ...present(second), state: 'approved' as const }] };
      await store().saveIfInboxEmpty(claim, signal.signal, step(pull), 30);
      expect((await store().load(claim.pullRequestKey, NO_PROPOSALS)).proposals).toEqual(pull.proposals);
      const written = (await rows('proposals')).filter(({ updatedAt }) => updatedAt === 30);
      expect(written).toMatchObject([{ proposalId: 'p2' }]);
    });

    it('preserves every string', async () => {
      const { claim } = await claimSignal('a');
      const strings = fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => `${text}\0\uD800\u2028'"\\`);
      let round = 0;
      await fc.assert(
        fc.asyncProperty(strings, async (text) => {
          round += 1;
          const id = `r${round}`;
          const proposals = [proposal(`p${round}`, id, { note: text, state: 'rejected' }, text)];
          const pull = pullOf(1, { run: run(id, { summary: text, messageCount: 1 }), proposals });
          const messages: TranscriptMessage[] = [{ role: 'user', content: text }];
          const signal = present(await nextOf(id, claim));
          const saved = await store().save(claim, signal, step(pull, { messages, votes: [vote('p1', text)] }), 20);
          expect(saved).toBe('saved');
          expect(await store().load(claim.pullRequestKey, NO_PROPOSALS)).toEqual(pull);
          expect(await store().loadTranscript(id)).toEqual(messages);
          const earlier = await store().listEarlierRuns(claim.pullRequestKey, 'next', 99);
          expect(earlier.find((one) => one.run.summary === text)?.proposals).toMatchObject([{ state: 'rejected' }]);
        }),
        { numRuns: 12 },
      );
    });

    it('saves a final state once in a hundred concurrent saves (S77)', async () => {
      const { claim, signal } = await claimSignal('a');
      const done = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r', { state: 'completed' })] });
      const votes = [vote('p1')];
      const saves = Array.from({ length: 100 }, () => store().save(claim, signal, step(done, { votes }), 20));
      const results = await Promise.all(saves);
      expect(results.filter((result) => result === 'saved')).toHaveLength(1);
      expect(await rows('proposal_outcomes')).toHaveLength(1);
      expect(await rows('votes')).toHaveLength(1);
    });

    it('refuses a second final state and rolls the step back (S77)', async () => {
      const { claim, signal } = await claimSignal('a');
      const done = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r', { state: 'completed' })] });
      await store().save(claim, signal, step(done), 20);
      const next = present(await nextOf('b', claim));
      const other = pullOf(1, {
        run: run('r', { summary: 'x' }),
        proposals: [proposal('p1', 'r', { state: 'failed' })],
      });
      const doomed = step(other, { votes: [vote('p1')], effects: [{ type: 'update-run-comment', runId: 'r' }] });
      await expect(store().save(claim, next, doomed, 30)).rejects.toThrow(/completed for good|append-only/);
      expect(await store().load(claim.pullRequestKey, NO_PROPOSALS)).toEqual(done);
      expect(await nextSignal(store(), claim, 30)).toEqual(next);
      expect([...(await rows('votes')), ...(await rows('effects'))]).toEqual([]);
    });

    it('refuses a second writer of the same position in a transcript', async () => {
      const { claim, signal } = await claimSignal('a');
      const pull = pullOf(1, { run: run('r', { messageCount: 1 }) });
      const stepWithMessage = step(pull, { messages: [{ role: 'user', content: 'u' }] });
      await store().save(claim, signal, stepWithMessage, 20);
      await expect(store().saveIfInboxEmpty(claim, signal.signal, stepWithMessage, 20)).rejects.toThrow();
      expect(await store().loadTranscript('r')).toHaveLength(1);
    });

    it('refuses a step without a signal while a comment is pending, due or postponed (S77, B14)', async () => {
      const { claim, signal } = await claimSignal('a');
      const pull = pullOf(1, { run: run('r') });
      expect(await store().saveIfInboxEmpty(claim, PREFLIGHT, step(pull), 20)).toBe('inbox-not-empty');
      expect((await store().load(claim.pullRequestKey, NO_PROPOSALS)).run).toBeNull();
      await store().postponeSignal(claim, signal, 50, null);
      expect(await store().saveIfInboxEmpty(claim, PREFLIGHT, step(pull), 49)).toBe('inbox-not-empty');
      await store().save(claim, signal, step(pull), 50);
      expect(await store().saveIfInboxEmpty({ ...claim, fencingToken: 99 }, PREFLIGHT, step(pull), 51)).toBe('lost');
      expect(await store().saveIfInboxEmpty(claim, PREFLIGHT, step(pull), 51)).toBe('saved');
    });

    it('never overwrites a run of another pull request, or a proposal of another run', async () => {
      const first = await claimSignal('a', 1);
      const proposals = [proposal('p1', 'r')];
      await store().save(first.claim, first.signal, step(pullOf(1, { run: run('r'), proposals })), 20);
      const second = await claimSignal('b', 2);
      const stolen = step(pullOf(2, { run: run('r', { summary: 'x' }) }));
      await expect(store().save(second.claim, second.signal, stolen, 20)).rejects.toThrow(
        /another pull request|not-null/,
      );
      expect((await store().load(first.claim.pullRequestKey, NO_PROPOSALS)).run?.summary).toBeNull();
      const twice = step(pullOf(1, { run: run('next'), proposals: [proposal('p1', 'next')] }));
      const again = store().saveIfInboxEmpty(first.claim, first.signal.signal, twice, 30);
      await expect(again).rejects.toThrow(/given twice|not-null/);
    });
  });

  async function nextOf(id: string, claim: Claim) {
    const isPending = (await rows('inbox')).some(({ doneAt }) => doneAt === null);
    if (!isPending) await store().receive(delivery(id), 10);
    return nextSignal(store(), claim, 10 + LEASE);
  }
}
