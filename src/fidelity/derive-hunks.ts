import { splitLines } from '../change/lines.ts';
import type { ToolCall } from '../prompt/message.ts';
import { diffLines } from '../simulator/git/line-diff.ts';
import { call, editAt, type Replaced, textOf } from './derive-calls.ts';
import type { FileChange } from './history.ts';

/** More than this and one change would take all that a response may propose. */
const MOST_HUNKS = 5;
/** Each hunk is sought in the whole text. */
const MOST_LETTERS = 200_000;

/** An edit for each hunk of a change that has several; none for every other change. `id` begins the calls' ids. */
export function hunkCalls({ path, from, before, after }: FileChange, id: string): readonly ToolCall[] {
  const [old, fresh] = [textOf(before), textOf(after)];
  if (from !== null || old === null || fresh === null || old.length > MOST_LETTERS) return [];
  const hunks = hunksOf(old, fresh);
  if (hunks.length < 2 || hunks.length > MOST_HUNKS) return [];
  return hunks.map((hunk, at) => call(`${id}-${at}`, 'edit_file', { path, ...editAt(old, hunk) }));
}

function hunksOf(old: string, fresh: string): readonly Replaced[] {
  const lines = splitLines(fresh);
  const hunks = diffLines(old, fresh, 0).map(({ oldStart, oldLines, newStart, newLines }) => ({
    first: oldStart - 1,
    count: oldLines,
    fresh: lines.slice(newStart - 1, newStart - 1 + newLines),
  }));
  return applied(old, hunks) === fresh ? hunks : [];
}

function applied(old: string, hunks: readonly Replaced[]): string {
  const lines = splitLines(old).slice();
  for (const { first, count, fresh } of hunks.toReversed()) lines.splice(first, count, ...fresh);
  return lines.join('');
}
