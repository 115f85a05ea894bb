import { equalRun, type Lettered } from './equal-run.ts';

/**
 * Where a text is cut in two so that what matches behind the cut says how far a search may go on: a critical factorisation
 * (Crochemore and Perrin 1991). After all of the text, `period` letters further is the next offset at which it may stand again;
 * where it is `periodic`, all but its last `period` letters are known to match there.
 */
export type Cut = { readonly at: number; readonly period: number; readonly periodic: boolean };

/** Finds the cut. Linear, without a table. */
export function criticalCut(whole: Lettered): Cut {
  const [one, other] = [greatestSuffix(whole, 1), greatestSuffix(whole, -1)];
  const { at, period } = one.at > other.at ? one : other;
  if (equalRun(whole, 0, whole, period) >= at) return { at, period, periodic: true };
  return { at, period: Math.max(at, whole.letters.length - at) + 1, periodic: false };
}

/** Where the last one of all suffixes in alphabetical order begins, and its period; of the alphabet backwards if `sign` is -1. */
function greatestSuffix(whole: Lettered, sign: 1 | -1): { readonly at: number; readonly period: number } {
  const { letters } = whole;
  let [at, rival, period] = [0, 1, 1];
  while (rival < letters.length) {
    const run = equalRun(whole, at, whole, rival);
    if (rival + run === letters.length) break;
    // As often as the run holds the period, the rival is but a later part of the same repetition.
    const same = run % period;
    rival += run - same;
    const difference = (letters[rival + same] ?? 0) - (letters[at + same] ?? 0);
    if (difference * sign < 0) {
      rival += same + 1;
      period = rival - at;
    } else {
      at = rival;
      rival = at + 1;
      period = 1;
    }
  }
  return { at, period };
}
