import type { Change, FileChange } from '../../../core/edits/change.ts';
import { combineChanges } from '../../../core/edits/change-set.ts';
import type { Workspace } from './workspace.ts';

/** The least of these changes that people denied before; null if they are new. Others beside them hide nothing. */
export function findAnsweredPart(
  workspace: Pick<Workspace, 'isAnsweredEarlier'>,
  summary: string,
  all: readonly FileChange[],
): Change | null {
  const isAnswered = (changes: readonly FileChange[]): boolean => {
    const change = combineChanges(summary, changes);
    return change !== null && workspace.isAnsweredEarlier(change);
  };
  if (!isAnswered(all)) return null;
  const least = all.reduce((kept, one) => {
    const fewer = kept.filter((other) => other !== one);
    return isAnswered(fewer) ? fewer : kept;
  }, all);
  return combineChanges(summary, least);
}
