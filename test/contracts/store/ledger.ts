import { describe, expect, it } from 'vitest';
import { type LedgerEntry, type LedgerFilter, listLedgerKeys, readLedger } from '../../../src/adapters/store/ledger.ts';
import type { CommittedChange } from '../../../src/core/state/proposal.ts';
import { proposal, pullOf, run, step } from './samples.ts';
import type { DatabaseHarness, StoreHarness } from './store-under-test.ts';

const ben = { id: 8, login: 'ben' };

function committedChange(proposalId: string, commitSha: string): CommittedChange {
  const member = { digest: 'f'.repeat(64), range: { oldStart: 1, oldLines: 1, newStart: 2, newLines: 3 } };
  const digests = { shownDigest: 'd'.repeat(64), committed: { ...member, members: [member] } };
  return { proposalId, runId: 'r', commitSha, parentSha: 'a'.repeat(40), ...digests, approvers: [ben] };
}

/** Decisions and commits stay. */
export function ledgerContract({ store, rows, claimSignal }: StoreHarness): void {
  describe('ledger', () => {
    it('stores one row for each change of a commit, however often it is reported (J8, S92)', async () => {
      const { claim, signal } = await claimSignal('a');
      const pull = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r'), proposal('p2', 'r')] });
      const ledgerCommits = [committedChange('p1', 'c1'), committedChange('p2', 'c1')];
      await store().save(claim, signal, step(pull, { ledgerCommits }), 20);
      await store().saveIfInboxEmpty(
        claim,
        signal.signal,
        step(pull, { ledgerCommits: [...ledgerCommits, committedChange('p2', 'c2')] }),
        30,
      );
      expect((await rows('committed_changes')).map(({ proposalId, commitSha }) => [proposalId, commitSha])).toEqual([
        ['p1', 'c1'],
        ['p2', 'c1'],
        ['p2', 'c2'],
      ]);
    });
  });
}

/** Reads with SQL, so it needs a database. */
export function ledgerReadingContract({ backend, store, claimSignal }: DatabaseHarness): void {
  async function entries(filter: Partial<LedgerFilter> = {}): Promise<readonly LedgerEntry[]> {
    return readLedger(backend().db, await listLedgerKeys(backend().db, { pullKeys: null, since: null, ...filter }));
  }

  describe('reading the ledger', () => {
    it('returns all proposals, oldest proposal first, for any order of decisions (K18)', async () => {
      const { claim, signal } = await claimSignal('a');
      const proposals = Array.from({ length: 120 }, (_, index) => proposal(`p${index}`, 'r'));
      const pull = pullOf(1, { run: run('r'), proposals });
      await store().save(claim, signal, step(pull), 20);
      const over = proposals.toReversed().map((one) => ({ ...one, state: 'rejected' as const }));
      await store().saveIfInboxEmpty(claim, signal.signal, step({ ...pull, proposals: over.slice(0, 60) }), 30);
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
  });
}
