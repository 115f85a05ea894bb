import { redactDiff } from '../../../lib/redaction.ts';
import { escapeDiff } from '../../agent/context/diff-excerpt.ts';
import { type Change, changeDiff, pathsOf } from '../../edits/change.ts';
import { decideReading } from '../../policy/path-policy.ts';
import type { PullState } from '../../state/run.ts';
import { DEFAULT_SETTINGS } from '../../state/settings.ts';

/**
 * The diff of a change that people write about, as the model gets it. Null if there is none, or if one of its files is
 * denied to the model or needs an approval to be read: that was for the run that proposed the change.
 */
export function readableDiff({ run }: Pick<PullState, 'run'>, change: Change): string | null {
  const rules = run?.settings ?? DEFAULT_SETTINGS;
  const diff = changeDiff(change);
  const isReadable = (path: string) => decideReading(rules, 'read_diff', path).kind === 'allow';
  return diff === null || !pathsOf(change).every(isReadable) ? null : escapeDiff(redactDiff(diff));
}
