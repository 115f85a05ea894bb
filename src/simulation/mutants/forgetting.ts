import { DELIVERIES_MS } from '../../store/prune.ts';
import { ALL_LAWS } from '../store/tables.ts';
import { type Mutant, store } from './mutant.ts';

/** What is forgotten, and what never is. */
export const FORGETTING: readonly Mutant[] = [
  {
    name: 'nothing-forgotten',
    lacks: 'words are forgotten in time',
    bend: () => store(() => ({ prune: async () => false })),
  },
  {
    name: 'forgotten-too-soon',
    lacks: 'what was heard is known for thirty days',
    bend: () => store(({ prune }) => ({ prune: (now) => prune(now + DELIVERIES_MS) })),
  },
  {
    name: 'ledger-forgotten',
    lacks: 'the ledger stays when words go',
    bend: () => ({ laws: { ...ALL_LAWS, ledger: false } }),
  },
];
