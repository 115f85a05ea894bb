/**
 * How alike short texts are to one fixed text: 1 for the same, 0 for nothing in common, by the pairs of
 * neighbouring letters that they share. The fixed text is counted once; each comparison is linear.
 */
export type Similarity = (other: string) => number;

const BUCKETS = 4096;

/** Prepares comparisons with `text`. */
export function similarityTo(text: string): Similarity {
  const pairs = new Int32Array(BUCKETS);
  countPairs(text, pairs, 1);
  const counts = new Int32Array(BUCKETS);
  return (other) => {
    if (other === text) return 1;
    const total = text.length + other.length - 2;
    if (text.length < 2 || other.length < 2) return 0;
    countPairs(other, counts, 1);
    const shared = sharedPairs(other, pairs, counts);
    return (2 * shared) / total;
  };
}

/** Whether texts of these lengths can be alike enough at all. */
export function mayReach(threshold: number, left: number, right: number): boolean {
  return 2 * (Math.min(left, right) - 1) >= threshold * (left + right - 2);
}

function bucket(text: string, index: number): number {
  return (text.charCodeAt(index) * 31 + text.charCodeAt(index + 1)) % BUCKETS;
}

function countPairs(text: string, counts: Int32Array, by: number): void {
  for (let index = 0; index + 1 < text.length; index += 1) {
    const place = bucket(text, index);
    counts[place] = (counts[place] ?? 0) + by;
  }
}

/** Sums what both have of each pair and leaves `counts` empty again. */
function sharedPairs(other: string, pairs: Int32Array, counts: Int32Array): number {
  let shared = 0;
  for (let index = 0; index + 1 < other.length; index += 1) {
    const place = bucket(other, index);
    shared += Math.min(pairs[place] ?? 0, counts[place] ?? 0);
    counts[place] = 0;
  }
  return shared;
}
