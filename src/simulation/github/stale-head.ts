import type { GitHub } from '../../worker/ports.ts';
import type { Chance } from '../chance.ts';
import type { Trace } from '../trace.ts';

/** A time (ms since the epoch) in which GitHub's commits do not know the head that it tells. */
export type Spell = { readonly from: number; readonly until: number };

const SPELLS = 4;
/** They begin within this time of the case's start, and last longer than all tries that are made at once. */
const WITHIN_MS = 300_000;
const LASTS_MS = [5_000, 60_000] as const;

export function staleSpells(chance: Chance, start: number): readonly Spell[] {
  return Array.from({ length: SPELLS }, () => {
    const from = start + chance.between(0, WITHIN_MS);
    return { from, until: from + chance.between(...LASTS_MS) };
  });
}

/** GitHub's servers do not all know of a push at once: in a spell every commit is refused, as if the branch had moved. */
export function withStaleHead(github: GitHub, isStale: () => boolean, trace: Trace): GitHub {
  return {
    ...github,
    commit: async (plan) => {
      if (!isStale()) return github.commit(plan);
      trace.add({ kind: 'fault', fault: 'stale-head', where: plan.proposalIds.join(', ') });
      return { kind: 'head-moved' };
    },
  };
}
