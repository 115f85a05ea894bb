import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import type { Message } from '../../src/prompt/message.ts';
import { RUN_SCHEMA } from '../../src/run/run.ts';
import { UnknownSchema } from '../../src/store/unknown-schema.ts';
import { type Bench, LEASE, present } from './bench.ts';
import { delivery, posted, proposal, pullOf, refOf, run, step, vote } from './samples.ts';

const DEFAULT = { kind: 'settings', settings: DEFAULT_SETTINGS } as const;
const NONE = { ids: [], commentId: null };

/** A decision is saved whole or not at all, and comes back as it was. */
export function stepsContract({ store, value, claimed, signalled, rebuild }: Bench): void {
  describe('steps', () => {
    it('a pull request that nobody spoke on yet is new', async () => {
      const claim = await claimed('a', 4);
      expect(await store().load(claim.pullKey, NONE)).toEqual(pullOf(4));
      await expect(store().load('1/2/99', NONE)).rejects.toThrow('No pull request');
    });

    it('S81: everything of a step comes back', async () => {
      const { claim, signal } = await signalled('a');
      const task = run('r').task;
      const messages: Message[] = [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ];
      const pull = pullOf(1, {
        ref: { ...refOf(1), repo: 'renamed' },
        run: run('r', { messages: 2 }),
        queue: [task],
        proposals: [posted('p1', 'r', 71), proposal('p2', 'r')],
        proposalCount: 2,
        refused: [3],
      });
      expect(await store().save(claim, signal, step(pull, { messages }), 20)).toBe('saved');
      expect(await store().load(claim.pullKey, NONE)).toEqual(pull);
      expect(await store().transcript('r')).toEqual(messages);
      expect(await store().transcript('other')).toEqual([]);
    });

    it('loads the current run’s proposals and those named, never the whole history', async () => {
      const { claim, signal } = await signalled('a');
      const old = [posted('p1', 'old', 71), posted('p2', 'old', 72), posted('p3', 'old', 73)];
      await store().save(claim, signal, step(pullOf(1, { run: run('old'), proposals: old })), 20);
      const next = present(await nextOf('b', claim));
      const pull = pullOf(1, { run: run('new'), proposals: [proposal('p4', 'new')] });
      await store().save(claim, next, step(pull), 30);
      const ids = async (named: { ids: string[]; commentId: number | null }) =>
        (await store().load(claim.pullKey, named)).proposals.map(({ id }) => id);
      expect(await ids({ ids: [], commentId: null })).toEqual(['p4']);
      expect(await ids({ ids: ['p3', 'p4', 'p9'], commentId: 71 })).toEqual(['p1', 'p3', 'p4']);
      expect(await ids({ ids: [], commentId: 72 })).toEqual(['p2', 'p4']);
    });

    it('saves what changed since it was loaded', async () => {
      const { claim, signal } = await signalled('a');
      const proposals = [proposal('p1', 'r'), proposal('p2', 'r')];
      await store().save(claim, signal, step(pullOf(1, { run: run('r'), proposals })), 20);
      const loaded = await store().load(claim.pullKey, NONE);
      const [first, second] = loaded.proposals.map((each) => present(each));
      const pull = { ...loaded, proposals: [present(first), { ...present(second), state: 'approved' as const }] };
      await store().saveDirect(claim, signal.signal, step(pull), 30);
      expect((await store().load(claim.pullKey, NONE)).proposals).toEqual(pull.proposals);
      expect(await value('select string_agg(proposal_id, $$,$$) from proposals where updated_at = 30')).toBe('p2');
    });

    it('every string survives, whatever is in it', async () => {
      const { claim } = await signalled('a');
      const words = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${text}\0\uD800\u2028'"\\`);
      let round = 0;
      await fc.assert(
        fc.asyncProperty(words, async (text) => {
          round += 1;
          const id = `r${round}`;
          const proposals = [proposal(`p${round}`, id, { note: text }, text)];
          const pull = pullOf(1, { run: run(id, { summary: text, messages: 1 }), proposals });
          const messages: Message[] = [{ role: 'user', content: text }];
          const signal = present(await nextOf(id, claim));
          const saved = await store().save(claim, signal, step(pull, { messages, votes: [vote('p1', text)] }), 20);
          expect(saved).toBe('saved');
          expect(await store().load(claim.pullKey, NONE)).toEqual(pull);
          expect(await store().transcript(id)).toEqual(messages);
        }),
        { numRuns: 12 },
      );
    });

    it('S77: a hundred saves of a final state at once leave one outcome', async () => {
      const { claim, signal } = await signalled('a');
      const done = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r', { state: 'completed' })] });
      const votes = [vote('p1')];
      const saves = Array.from({ length: 100 }, () => store().save(claim, signal, step(done, { votes }), 20));
      const results = await Promise.all(saves);
      expect(results.filter((result) => result === 'saved')).toHaveLength(1);
      expect(await value('select count(*) from outcomes')).toBe(1);
      expect(await value('select count(*) from votes')).toBe(1);
    });

    it('S77: a second final state is refused, and nothing of its step stays', async () => {
      const { claim, signal } = await signalled('a');
      const done = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r', { state: 'completed' })] });
      await store().save(claim, signal, step(done), 20);
      const next = present(await nextOf('b', claim));
      const other = pullOf(1, {
        run: run('r', { summary: 'x' }),
        proposals: [proposal('p1', 'r', { state: 'failed' })],
      });
      const doomed = step(other, { votes: [vote('p1')], effects: [{ type: 'show-run', runId: 'r' }] });
      await expect(store().save(claim, next, doomed, 30)).rejects.toThrow('completed for good');
      expect(await store().load(claim.pullKey, NONE)).toEqual(done);
      expect(await store().nextSignal(claim, 30)).toEqual(next);
      expect(await value('select (select count(*) from votes) + (select count(*) from effects)')).toBe(0);
    });

    it('S79: a step that fails at its last write leaves nothing', async () => {
      const { claim, signal } = await signalled('a');
      await value('drop table effects');
      const pull = pullOf(1, { run: run('r', { messages: 1 }), proposals: [proposal('p1', 'r', { state: 'failed' })] });
      const doomed = step(pull, {
        votes: [vote('p1')],
        messages: [{ role: 'user', content: 'u' }],
        effects: [{ type: 'show-run', runId: 'r' }],
      });
      await expect(store().save(claim, signal, doomed, 20)).rejects.toThrow();
      expect(await store().load(claim.pullKey, NONE)).toEqual(pullOf(1));
      expect(await store().nextSignal(claim, 20)).toEqual(signal);
      for (const table of ['runs', 'proposals', 'outcomes', 'votes', 'messages']) {
        expect(await value(`select count(*) from ${table}`)).toBe(0);
      }
      await rebuild();
    });

    it('two writers of one place in a transcript: the second is refused', async () => {
      const { claim, signal } = await signalled('a');
      const pull = pullOf(1, { run: run('r', { messages: 1 }) });
      const said = step(pull, { messages: [{ role: 'user', content: 'u' }] });
      await store().save(claim, signal, said, 20);
      await expect(store().saveDirect(claim, signal.signal, said, 20)).rejects.toThrow();
      expect(await store().transcript('r')).toHaveLength(1);
    });

    it('S71: votes and outcomes are only ever added, whoever asks', async () => {
      const { claim, signal } = await signalled('a');
      const done = pullOf(1, { proposals: [proposal('p1', 'r', { state: 'rejected' })] });
      await store().save(claim, signal, step(done, { votes: [vote('p1')] }), 20);
      for (const table of ['votes', 'outcomes']) {
        await expect(value(`update ${table} set digest = 'x'`)).rejects.toThrow('only ever added');
        await expect(value(`delete from ${table}`)).rejects.toThrow('only ever added');
        await expect(value(`truncate ${table}`)).rejects.toThrow('only ever added');
      }
    });

    it('S77, B14: a step of our own is not saved while anything that people said waits, due or put back', async () => {
      const { claim, signal } = await signalled('a');
      const own = { type: 'commit-starting', runId: 'r', head: 'h', checks: [], settings: DEFAULT } as const;
      const pull = pullOf(1, { run: run('r') });
      expect(await store().saveDirect(claim, own, step(pull), 20)).toBe('signals-waiting');
      expect((await store().load(claim.pullKey, NONE)).run).toBeNull();
      await store().postponeSignal(claim, signal, 50, null);
      expect(await store().saveDirect(claim, own, step(pull), 49)).toBe('signals-waiting');
      await store().save(claim, signal, step(pull), 50);
      expect(await store().saveDirect({ ...claim, fence: 99 }, own, step(pull), 51)).toBe('lost');
      expect(await store().saveDirect(claim, own, step(pull), 51)).toBe('saved');
    });

    it('S84: a form that this version does not know is an error of its own, never a guess', async () => {
      const { claim, signal } = await signalled('a');
      const pull = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r')] });
      await store().save(claim, signal, step(pull), 20);
      for (const table of ['runs', 'proposals']) {
        await value(`update ${table} set schema = 99`);
        await expect(store().load(claim.pullKey, NONE)).rejects.toThrow(UnknownSchema);
        await value(`update ${table} set schema = ${RUN_SCHEMA}`);
      }
      expect(await store().load(claim.pullKey, NONE)).toEqual(pull);
    });

    it('an id that another run’s proposal has is refused: it names one change for ever', async () => {
      const { claim, signal } = await signalled('a');
      const first = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r')] });
      await store().save(claim, signal, step(first), 20);
      const second = step(pullOf(1, { run: run('s'), proposals: [proposal('p2', 's'), proposal('p1', 's')] }));
      await expect(store().saveDirect(claim, signal.signal, second, 20)).rejects.toThrow('given twice');
      expect(await store().load(claim.pullKey, NONE)).toEqual(first);
    });

    it('a run of another pull request is never overwritten', async () => {
      const first = await signalled('a', 1);
      await store().save(first.claim, first.signal, step(pullOf(1, { run: run('r') })), 20);
      const second = await signalled('b', 2);
      const stolen = step(pullOf(2, { run: run('r', { summary: 'x' }) }));
      await expect(store().save(second.claim, second.signal, stolen, 20)).rejects.toThrow('another pull request');
      expect((await store().load(first.claim.pullKey, NONE)).run?.summary).toBeNull();
    });
  });

  async function nextOf(id: string, claim: Parameters<ReturnType<Bench['store']>['nextSignal']>[0]) {
    const before = await store().nextSignal(claim, 10);
    if (before === null) await store().receive([delivery(id)], 10);
    return store().nextSignal(claim, 10 + LEASE);
  }
}
