import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import type { Message } from '../../src/prompt/message.ts';
import { type NamedProposals, NONE_NAMED } from '../../src/run/named-proposals.ts';
import type { Claim } from '../../src/store/store.ts';
import { type Bench, LEASE, nextSignal, present } from './bench.ts';
import { delivery, posted, proposal, pullOf, refOf, run, step, vote } from './samples.ts';

const DEFAULT = { kind: 'settings', settings: DEFAULT_SETTINGS } as const;

/** A decision is saved whole or not at all, and comes back as it was. */
export function stepsContract({ store, rows, claimed, signalled }: Bench): void {
  describe('steps', () => {
    it('a pull request that nobody spoke on yet is new', async () => {
      const claim = await claimed('a', 4);
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(pullOf(4));
      await expect(store().load('1/2/99', NONE_NAMED)).rejects.toThrow('No pull request');
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
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(pull);
      expect(await store().transcript('r')).toEqual(messages);
      expect(await store().transcript('other')).toEqual([]);
    });

    it('loads the current run’s proposals, every open one and those named, never the whole history', async () => {
      const { claim, signal } = await signalled('a');
      const over = (id: string, commentId: number) => ({ ...posted(id, 'old', commentId), state: 'rejected' as const });
      const old = [over('p1', 71), over('p2', 72), over('p3', 73), posted('p0', 'old', 74)];
      await store().save(claim, signal, step(pullOf(1, { run: run('old'), proposals: old })), 20);
      const next = present(await nextOf('b', claim));
      const pull = pullOf(1, { run: run('new'), proposals: [proposal('p4', 'new')] });
      await store().save(claim, next, step(pull), 30);
      const ids = async (named: NamedProposals) =>
        (await store().load(claim.pullKey, named)).proposals.map(({ id }) => id);
      expect(await ids(NONE_NAMED)).toEqual(['p0', 'p4']);
      expect(await ids({ ids: ['p3', 'p4', 'p9'], commentId: 71 })).toEqual(['p1', 'p3', 'p0', 'p4']);
      expect(await ids({ ids: [], commentId: 72 })).toEqual(['p2', 'p0', 'p4']);
    });

    it('reads a run that is over with all it proposed, and none of another pull request', async () => {
      const { claim, signal } = await signalled('a');
      const proposals = [{ ...posted('p2', 'old', 72), state: 'rejected' as const }, posted('p1', 'old', 71)];
      await store().save(claim, signal, step(pullOf(1, { run: run('old', { turns: 3 }), proposals })), 20);
      const next = present(await nextOf('b', claim));
      await store().save(claim, next, step(pullOf(1, { run: run('new'), proposals: [proposal('p4', 'new')] })), 30);
      expect(await store().loadRun(claim.pullKey, 'old')).toEqual({ run: run('old', { turns: 3 }), proposals });
      expect(await store().loadRun('1/2/99', 'old')).toBeNull();
      expect(await store().loadRun(claim.pullKey, 'none')).toBeNull();
    });

    it('S60: finds a proposal by the threads of its comments that are gone, and by none once they are not its own', async () => {
      const { claim, signal } = await signalled('a');
      const [gone, other] = [posted('p1', 'old', 71), posted('p2', 'old', 72)].map((one) => ({
        ...one,
        state: 'rejected' as const,
      }));
      const twice = { ...present(gone), comment: null, formerThreads: [71, 81] };
      const pull = pullOf(1, { run: run('old'), proposals: [present(gone), present(other)] });
      await store().save(claim, signal, step(pull), 20);
      await store().saveDirect(claim, signal.signal, step({ ...pull, proposals: [twice, present(other)] }), 30);
      await store().saveDirect(claim, signal.signal, step(pullOf(1, { run: run('new'), proposals: [] })), 40);
      const found = async (commentId: number) =>
        (await store().load(claim.pullKey, { ids: [], commentId })).proposals.map(({ id }) => id);
      expect(await found(71)).toEqual(['p1']);
      expect(await found(81)).toEqual(['p1']);
      expect(await found(72)).toEqual(['p2']);
      expect(await found(7)).toEqual([]);
      expect((await store().load(claim.pullKey, { ids: ['p1'], commentId: null })).proposals).toEqual([twice]);
    });

    it('saves what changed since it was loaded', async () => {
      const { claim, signal } = await signalled('a');
      const proposals = [proposal('p1', 'r'), proposal('p2', 'r')];
      await store().save(claim, signal, step(pullOf(1, { run: run('r'), proposals })), 20);
      const loaded = await store().load(claim.pullKey, NONE_NAMED);
      const [first, second] = loaded.proposals.map((each) => present(each));
      const pull = { ...loaded, proposals: [present(first), { ...present(second), state: 'approved' as const }] };
      await store().saveDirect(claim, signal.signal, step(pull), 30);
      expect((await store().load(claim.pullKey, NONE_NAMED)).proposals).toEqual(pull.proposals);
      const written = (await rows('proposals')).filter(({ updatedAt }) => updatedAt === 30);
      expect(written).toMatchObject([{ proposalId: 'p2' }]);
    });

    it('every string survives, whatever is in it', async () => {
      const { claim } = await signalled('a');
      const words = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${text}\0\uD800\u2028'"\\`);
      let round = 0;
      await fc.assert(
        fc.asyncProperty(words, async (text) => {
          round += 1;
          const id = `r${round}`;
          const proposals = [proposal(`p${round}`, id, { note: text, state: 'cancelled' }, text)];
          const pull = pullOf(1, { run: run(id, { summary: text, messages: 1 }), proposals });
          const messages: Message[] = [{ role: 'user', content: text }];
          const signal = present(await nextOf(id, claim));
          const saved = await store().save(claim, signal, step(pull, { messages, votes: [vote('p1', text)] }), 20);
          expect(saved).toBe('saved');
          expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(pull);
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
      expect(await rows('outcomes')).toHaveLength(1);
      expect(await rows('votes')).toHaveLength(1);
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
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(done);
      expect(await nextSignal(store(), claim, 30)).toEqual(next);
      expect([...(await rows('votes')), ...(await rows('effects'))]).toEqual([]);
    });

    it('two writers of one place in a transcript: the second is refused', async () => {
      const { claim, signal } = await signalled('a');
      const pull = pullOf(1, { run: run('r', { messages: 1 }) });
      const said = step(pull, { messages: [{ role: 'user', content: 'u' }] });
      await store().save(claim, signal, said, 20);
      await expect(store().saveDirect(claim, signal.signal, said, 20)).rejects.toThrow();
      expect(await store().transcript('r')).toHaveLength(1);
    });

    it('S77, B14: a step of our own is not saved while anything that people said waits, due or put back', async () => {
      const { claim, signal } = await signalled('a');
      const own = {
        type: 'commit-starting',
        runId: 'r',
        head: 'h',
        baseRef: 'main',
        checks: [],
        settings: DEFAULT,
      } as const;
      const pull = pullOf(1, { run: run('r') });
      expect(await store().saveDirect(claim, own, step(pull), 20)).toBe('signals-waiting');
      expect((await store().load(claim.pullKey, NONE_NAMED)).run).toBeNull();
      await store().postponeSignal(claim, signal, 50, null);
      expect(await store().saveDirect(claim, own, step(pull), 49)).toBe('signals-waiting');
      await store().save(claim, signal, step(pull), 50);
      expect(await store().saveDirect({ ...claim, fence: 99 }, own, step(pull), 51)).toBe('lost');
      expect(await store().saveDirect(claim, own, step(pull), 51)).toBe('saved');
    });

    it('an id that another run’s proposal has is refused: it names one change for ever', async () => {
      const { claim, signal } = await signalled('a');
      const first = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r')] });
      await store().save(claim, signal, step(first), 20);
      const second = step(pullOf(1, { run: run('s'), proposals: [proposal('p2', 's'), proposal('p1', 's')] }));
      await expect(store().saveDirect(claim, signal.signal, second, 20)).rejects.toThrow('given twice');
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(first);
    });

    it('a run of another pull request is never overwritten', async () => {
      const first = await signalled('a', 1);
      await store().save(first.claim, first.signal, step(pullOf(1, { run: run('r') })), 20);
      const second = await signalled('b', 2);
      const stolen = step(pullOf(2, { run: run('r', { summary: 'x' }) }));
      await expect(store().save(second.claim, second.signal, stolen, 20)).rejects.toThrow('another pull request');
      expect((await store().load(first.claim.pullKey, NONE_NAMED)).run?.summary).toBeNull();
    });
  });

  async function nextOf(id: string, claim: Claim) {
    const waits = (await rows('inbox')).some(({ doneAt }) => doneAt === null);
    if (!waits) await store().receive([delivery(id)], 10);
    return nextSignal(store(), claim, 10 + LEASE);
  }
}
