import type { Store } from '../../store/store.ts';
import type { PullRow, Tables } from './tables.ts';

/** What people said, and is yet to be heard, in memory. */
export function waitingMethods(tables: Tables): Pick<Store, 'heldUntil' | 'unheardUntil' | 'commitsWanted'> {
  return {
    heldUntil: async ({ pullKey }, now) => heldUntil(tables.pulls.get(pullKey), now),
    unheardUntil: async ({ pullKey }, now) => unheardUntil(tables.pulls.get(pullKey), now),
    commitsWanted: async (pullKey) =>
      tables.pulls.get(pullKey)?.wanted.flatMap(({ effect }) => (effect.type === 'commit' ? [effect] : [])) ?? [],
  };
}

function heldUntil(row: PullRow | undefined, now: number): number | null {
  const words = row?.waiting.filter(({ kind }) => kind === 'intent') ?? [];
  if (row === undefined || words.length === 0) return null;
  return Math.max(now, row.heldUntil, Math.min(...words.map(({ notBefore }) => notBefore)));
}

function unheardUntil(row: PullRow | undefined, now: number): number | null {
  const times =
    row?.wanted
      .filter(({ effect }) => effect.type === 'catch-up')
      .map((one) => (one.attempts > 0 ? one.notBefore : now)) ?? [];
  return times.length === 0 ? null : Math.max(now, Math.min(...times));
}
