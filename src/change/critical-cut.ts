import type { Letters } from './letters.ts';

/**
 * Where a text is cut in two so that what matches behind the cut says how far a search may go on: a critical factorisation
 * (Crochemore and Perrin 1991). After all of the text, `period` letters further is the next offset at which it may stand again;
 * where it is `periodic`, all but its last `period` letters are known to match there.
 */
export type Cut = { readonly at: number; readonly period: number; readonly periodic: boolean };

/** Finds the cut. Linear, without a table. */
export function criticalCut(letters: Letters): Cut {
  const [one, other] = [greatestSuffix(letters, 1), greatestSuffix(letters, -1)];
  const { at, period } = one.at > other.at ? one : other;
  let same = 0;
  while (same < at && letters[same] === letters[same + period]) same += 1;
  if (same === at) return { at, period, periodic: true };
  return { at, period: Math.max(at, letters.length - at) + 1, periodic: false };
}

/** Where the last one of all suffixes in alphabetical order begins, and its period; of the alphabet backwards if `sign` is -1. */
function greatestSuffix(letters: Letters, sign: 1 | -1): { readonly at: number; readonly period: number } {
  let [at, rival, same, period] = [0, 1, 0, 1];
  while (rival + same < letters.length) {
    const difference = (letters[rival + same] ?? 0) - (letters[at + same] ?? 0);
    if (difference === 0) {
      same += 1;
      if (same < period) continue;
      rival += period;
    } else if (difference * sign < 0) {
      rival += same + 1;
      period = rival - at;
    } else {
      at = rival;
      rival = at + 1;
      period = 1;
    }
    same = 0;
  }
  return { at, period };
}
