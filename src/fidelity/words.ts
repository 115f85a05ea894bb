import { visible } from '../render/visible.ts';
import { count, thousands } from '../render/words.ts';
import type { Fault, Tally } from './tally.ts';

/** The result for people, ending with a newline. `seconds` is how long it took. */
export function tallyText(tally: Tally, seconds: number): string {
  const { commits, changes, verified, kinds, rungs, refusals, ways, faults } = tally;
  const rate = seconds > 0 ? Math.round(changes / seconds) : changes;
  const refusalRows = [...refusals].toSorted(([, left], [, right]) => right.count - left.count);
  const lines = [
    `${count(changes, 'file change')} of ${count(commits, 'commit')} in ${Math.round(seconds)} s (${rate} a second)`,
    ...section('Proposed as', [...kinds].toSorted(byName)),
    ...section('Shown as', [...rungs].toSorted(byName)),
    ...section('Made by', [...ways].toSorted(byName)),
    ...section('Verified', [['by countersign verify', verified]]),
    ...section(
      'Not proposed, or not made',
      refusalRows.map(([why, one]) => [`${why}  (first: ${one.example})`, one.count]),
    ),
    ...faults.map(faultText),
    faults.length === 0 ? 'All bytes are those of the commits.' : `${count(faults.length, 'mismatch')}!`,
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

function faultText({ commit, path, way, what }: Fault): string {
  return way === null ? `STOPPED ${commit} ${path}: ${what}` : `MISMATCH ${commit} ${path} by ${way}: ${what}`;
}

function byName([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return left < right ? -1 : 1;
}

function section(title: string, rows: readonly (readonly [string, number])[]): readonly string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...rows.map(([name, n]) => `  ${thousands(n).padStart(7)}  ${name}`)];
}
