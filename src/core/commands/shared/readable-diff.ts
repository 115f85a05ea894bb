import { redactDiff } from '../../../lib/redaction.ts';
import { startSettings } from '../../actions/fact-needs.ts';
import { escapeDiff } from '../../agent/context/diff-excerpt.ts';
import { type Change, changeDiff, pathsOf } from '../../edits/change.ts';
import { decideReading } from '../../policy/path-policy.ts';
import { DEFAULT_SETTINGS } from '../../state/settings.ts';
import type { CommandContext } from './context.ts';

/**
 * The diff of a change that people write about, as the model gets it. Null if there is none, or if one of its files is
 * denied to the model or needs an approval to be read: that was for the run that proposed the change. The rules are those
 * of the last run, and those of now where they are known, with which the next run begins.
 */
export function readableDiff({ pull, facts }: Pick<CommandContext, 'pull' | 'facts'>, change: Change): string | null {
  const diff = changeDiff(change);
  const rules = [pull.run?.settings ?? DEFAULT_SETTINGS, startSettings(facts)];
  const isReadable = (path: string) => rules.every((one) => decideReading(one, 'read_diff', path).kind === 'allow');
  return diff === null || !pathsOf(change).every(isReadable) ? null : escapeDiff(redactDiff(diff));
}
