import type { Explanation } from '../export/explain-commits.ts';
import type { Store } from '../store/store.ts';
import { type Disk, openDisk } from './store/disk.ts';
import { memoryStore } from './store/memory-store.ts';
import { emptyTables, type Laws, type PullRow, type Tables } from './store/tables.ts';

/** Where the processes of a case keep everything: each opens it for itself. */
export type Database = {
  readonly open: () => Promise<{
    readonly store: Store /** The process is gone: what it had leased is free. */;
    readonly dies: () => Promise<void>;
  }>;
  /** What of it is on disk; a real database has its own. */
  readonly disk?: Disk;
  /** What is in there in the end. */
  readonly remains: () => Promise<Remains>;
};

/** What a case leaves behind. */
export type Remains = {
  /** Signals and effects that are still to be done. */
  readonly waiting: number;
  /** Signals that were given up, and why. */
  readonly parked: readonly { readonly pullKey: string; readonly error: string }[];
  /** Rows that hold what somebody said, wrote or proposed, beside the ledger's own, and in it. */
  readonly words: number;
  /** What the ledger has of each commit. */
  readonly ledger: ReadonlyMap<string, readonly Explanation[]>;
};

/** A new one in memory. */
export function memoryDatabase(laws?: Laws): Database {
  const tables: Tables = emptyTables(laws);
  const disk = openDisk(tables);
  let holders = 0;
  return {
    disk,
    async open() {
      holders += 1;
      const holder = holders;
      return { store: disk.under(memoryStore(tables, holder)), dies: async () => void tables.holders.delete(holder) };
    },
    async remains() {
      const rows = [...tables.pulls.values(), ...tables.removed];
      const waiting = rows.reduce((sum, row) => sum + row.waiting.length + row.wanted.length, 0);
      const parked = rows.flatMap(({ key, inbox }) =>
        inbox.flatMap(({ parked: aside, error }) => (aside ? [{ pullKey: key, error: error ?? '' }] : [])),
      );
      const kept = tables.runs.size + tables.messages.size;
      const words = rows.reduce((sum, row) => sum + wordsIn(row), kept);
      return { waiting, parked, words, ledger: ledgerOf(rows) };
    },
  };
}

function wordsIn({ inbox, proposals, votes, outcomes }: PullRow): number {
  const signals = inbox.filter(({ signal }) => signal !== null).length;
  const said = votes.filter(({ text }) => text !== null).length;
  const noted = [...outcomes.values()].filter(({ note }) => note !== null).length;
  return signals + proposals.size + said + noted;
}

function ledgerOf(rows: readonly PullRow[]): Remains['ledger'] {
  const writes = rows.flatMap((row) =>
    row.writes.map(({ proposalId, commit, shownDigest, made, approvers }) => {
      const votes = row.votes.filter(
        (vote) => vote.proposalId === proposalId && vote.digest === shownDigest && vote.action !== 'deny',
      );
      return { commit, proposalId, digest: made.digest, approvers, voters: votes.map(({ by }) => by.id) };
    }),
  );
  return Map.groupBy(writes, ({ commit }) => commit);
}
