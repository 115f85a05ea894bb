import type { Change, FileChange } from '../../src/core/edits/change.ts';

/** The change where no set is expected. Throws for a set. */
export function singleChange(change: Change): FileChange {
  if (change.op === 'set') throw new Error('A set of changes where a single one was expected.');
  return change;
}
