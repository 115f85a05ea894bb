import { type Budget, rest, spend, UNSPENT } from '../../budget/budget.ts';
import type { Store } from '../../store/store.ts';
import type { PullRow, Tables } from './tables.ts';

/** What the store has for GitHub's limits, in memory. */
export function budgetMethods({ budgets }: Tables): Pick<Store, 'spend' | 'rest'> {
  return {
    spend: async (installationId, wish, limits, now) => {
      const { budget, waitUntil } = spend(budgets.get(installationId) ?? UNSPENT, wish, limits, now);
      budgets.set(installationId, budget);
      return waitUntil;
    },
    rest: async (installationId, until) =>
      void budgets.set(installationId, rest(budgets.get(installationId) ?? UNSPENT, 'hear', until)),
  };
}

/** Until when work of each rank waits on the pull request (ms). */
export function gatesOf({ budgets }: Tables, { state }: PullRow): Budget['gates'] {
  return (budgets.get(state.ref.installationId) ?? UNSPENT).gates;
}
