import type { Hunk } from '../simulator/git/line-diff.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { pullFiles } from '../simulator/world/pull-diff.ts';
import type { LoadedPull } from './load-pull.ts';
import { pullOf } from './page.ts';
import type { DiffLines, ShownLines } from './plan-changes.ts';

/** Which lines of the head the pull request's diff shows. */
export function diffLines(github: Simulator, loaded: LoadedPull): DiffLines {
  const files = pullFiles(github.world().store, pullOf(github, loaded));
  const shown = files.filter(({ change, patch }) => change.status !== 'removed' && patch.text !== null);
  return new Map(shown.map(({ change, patch }) => [change.path, patch.hunks.map(shownLines)]));
}

function shownLines({ newStart, newLines, lines }: Hunk): ShownLines {
  const ahead = lines.findIndex((line) => line.startsWith('+') || line.startsWith('-'));
  const last = newStart + newLines - 1;
  return { first: newStart, last, changed: Math.min(last, newStart + Math.max(0, ahead)) };
}
