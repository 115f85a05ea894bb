import { describe, expect, it } from 'vitest';
import type { Write } from '../../src/run/proposal.ts';
import { type LedgerEntry, type LedgerFilter, readLedger } from '../../src/store/ledger.ts';
import type { Bench, DatabaseBench } from './bench.ts';
import { proposal, pullOf, run, step } from './samples.ts';

const ben = { id: 8, login: 'ben' };

function write(proposalId: string, commit: string): Write {
  const made = { digest: 'f'.repeat(64), range: { oldStart: 1, oldLines: 1, newStart: 2, newLines: 3 } };
  const digests = { shownDigest: 'd'.repeat(64), made };
  return { proposalId, runId: 'r', commit, parent: 'a'.repeat(40), ...digests, approvers: [ben] };
}

/** What people decided and what was made of it stays. */
export function ledgerContract({ store, rows, signalled }: Bench): void {
  describe('ledger', () => {
    it('J8, S92: a commit of ours leaves one row for each change, however often it is heard of', async () => {
      const { claim, signal } = await signalled('a');
      const pull = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r'), proposal('p2', 'r')] });
      const writes = [write('p1', 'c1'), write('p2', 'c1')];
      await store().save(claim, signal, step(pull, { writes }), 20);
      await store().saveDirect(claim, signal.signal, step(pull, { writes: [...writes, write('p2', 'c2')] }), 30);
      expect((await rows('writes')).map(({ proposalId, commitSha }) => [proposalId, commitSha])).toEqual([
        ['p1', 'c1'],
        ['p2', 'c1'],
        ['p2', 'c2'],
      ]);
    });
  });
}

/** Reading it back takes a database. */
export function ledgerReadingContract({ backend, store, signalled }: DatabaseBench): void {
  async function entries(filter: Partial<LedgerFilter> = {}): Promise<readonly LedgerEntry[]> {
    const found: LedgerEntry[] = [];
    await readLedger(backend().db, { pullKeys: null, since: null, ...filter }, async (page) => {
      expect(page.length).toBeLessThanOrEqual(50);
      found.push(...page);
      return true;
    });
    return found;
  }

  describe('reading the ledger', () => {
    it('K18: gives all of it, a page at a time, oldest first, whatever order was decided in', async () => {
      const { claim, signal } = await signalled('a');
      const proposals = Array.from({ length: 120 }, (_, index) => proposal(`p${index}`, 'r'));
      const pull = pullOf(1, { run: run('r'), proposals });
      await store().save(claim, signal, step(pull), 20);
      const over = proposals.toReversed().map((one) => ({ ...one, state: 'rejected' as const }));
      await store().saveDirect(claim, signal.signal, step({ ...pull, proposals: over.slice(0, 60) }), 30);
      const found = await entries();
      expect(found.map(({ proposalId }) => proposalId)).toEqual(proposals.map(({ id }) => id));
      expect(found.map(({ outcome }) => outcome?.state ?? 'open')).toEqual([
        ...Array(60).fill('open'),
        ...Array(60).fill('rejected'),
      ]);
      expect(found[0]?.record?.requester).toEqual(run('r').task.by);
      expect(await entries({ since: 21 })).toHaveLength(60);
      expect(await entries({ pullKeys: [] })).toEqual([]);
    });

    it('stops where nobody wants more, and lets the store go on', async () => {
      const { claim, signal } = await signalled('a');
      const proposals = Array.from({ length: 60 }, (_, index) => proposal(`p${index}`, 'r'));
      await store().save(claim, signal, step(pullOf(1, { run: run('r'), proposals })), 20);
      let pages = 0;
      await readLedger(backend().db, { pullKeys: null, since: null }, async () => {
        pages += 1;
        return false;
      });
      expect(pages).toBe(1);
      expect(await entries()).toHaveLength(60);
    });
  });
}
