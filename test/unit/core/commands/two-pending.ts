import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { posted, type TableGame } from '../support/table-game.ts';

/** A run with two pending changes. */
export type TwoPending = { readonly game: TableGame; readonly first: Proposal };

/** Starts a run whose two changes are pending. */
export function twoPending(): TwoPending {
  const game = posted(1, 9);
  // An id line has hexadecimal digits only.
  const proposals = game.pull.proposals.map((one) => ({ ...one, headSha: 'abcdef0'.padEnd(40, '0') }));
  game.pull = { ...game.pull, proposals };
  const [first] = game.pull.proposals;
  if (first?.comment == null) throw new Error('No proposal was posted');
  return { game, first };
}
