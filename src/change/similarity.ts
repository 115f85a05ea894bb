import type { Letters } from './letters.ts';

/**
 * How alike the first `length` letters of some are to fixed ones: 1 for the same, 0 for nothing in common, by the pairs of
 * neighbouring letters that they share. The fixed ones are counted once; each comparison is linear.
 */
export type Similarity = (others: Letters, length: number) => number;

const BUCKETS = 4096;

/** Prepares comparisons with these letters. */
export function similarityTo(letters: Letters): Similarity {
  const pairs = new Int32Array(BUCKETS);
  for (let at = 0; at + 1 < letters.length; at += 1) {
    const place = bucket(letters, at);
    pairs[place] = (pairs[place] ?? 0) + 1;
  }
  // What is left of each pair while one comparison runs.
  const left = Int32Array.from(pairs);
  return (others, length) => {
    if (length === letters.length && isSame(letters, others)) return 1;
    if (letters.length < 2 || length < 2) return 0;
    const shared = takePairs(others, length, left);
    for (let at = 0; at + 1 < length; at += 1) {
      const place = bucket(others, at);
      left[place] = pairs[place] ?? 0;
    }
    return (2 * shared) / (letters.length + length - 2);
  };
}

/** Whether texts of these lengths can be alike enough at all. */
export function mayReach(threshold: number, left: number, right: number): boolean {
  return 2 * (Math.min(left, right) - 1) >= threshold * (left + right - 2);
}

function isSame(letters: Letters, others: Letters): boolean {
  for (let at = 0; at < letters.length; at += 1) if (letters[at] !== others[at]) return false;
  return true;
}

function bucket(letters: Letters, at: number): number {
  return ((letters[at] ?? 0) * 31 + (letters[at + 1] ?? 0)) & (BUCKETS - 1);
}

/** Takes each pair of the letters from those that are left, and says how many there were. */
function takePairs(letters: Letters, length: number, left: Int32Array): number {
  let taken = 0;
  for (let at = 0; at + 1 < length; at += 1) {
    const place = bucket(letters, at);
    const some = left[place] ?? 0;
    if (some === 0) continue;
    left[place] = some - 1;
    taken += 1;
  }
  return taken;
}
