import { type CodeUnits, toCodeUnits } from './characters.ts';

/** Receives the offset of an occurrence and returns the offset at which to search on, or `STOP_SEARCH`. */
type VisitOccurrence = (offset: number) => number;

export const STOP_SEARCH = Number.POSITIVE_INFINITY;

/** Characters of the probe. A longer probe lets the engine skip further, but makes hostile texts more expensive. */
const PROBE_LENGTH = 32;

/** Characters to compare before comparing the whole needle. */
const HEAD_LENGTH = 64;

/** Characters of a slice that the engine compares in the time of one, at least. */
const CHARACTERS_PER_COMPARISON = 16;

/** Comparisons for each character of the text after which the two-way search takes over. */
const MAX_WORK_PER_CHARACTER = 1;

/**
 * Visits every occurrence of a needle in order, including overlapping ones. An empty needle has none. The engine's
 * `indexOf` is fastest for a short probe but quadratic at worst; then a linear two-way search takes over.
 */
export function forEachOccurrence(text: string, needle: string, visit: VisitOccurrence): void {
  if (needle.length <= PROBE_LENGTH) searchShortNeedle(text, needle, visit);
  else searchLongNeedle(text, needle, visit);
}

function searchShortNeedle(text: string, needle: string, visit: VisitOccurrence): void {
  if (needle === '') return;
  for (let at = text.indexOf(needle); at !== -1; ) {
    const next = visit(at);
    at = next === STOP_SEARCH ? -1 : text.indexOf(needle, next);
  }
}

function searchLongNeedle(text: string, needle: string, visit: VisitOccurrence): void {
  const skipped = Math.max(0, needle.search(/\S/));
  const probe = needle.slice(skipped, skipped + PROBE_LENGTH);
  const head = Math.min(HEAD_LENGTH, needle.length);
  let remainingWork = MAX_WORK_PER_CHARACTER * text.length;
  let next = 0;
  for (let at = text.indexOf(probe, skipped); at !== -1; at = text.indexOf(probe, next + skipped)) {
    const offset = at - skipped;
    if (remainingWork <= 0) {
      twoWaySearch(text, needle, offset, visit);
      return;
    }
    if (offset + needle.length > text.length) return;
    next = offset + 1;
    remainingWork -= HEAD_LENGTH;
    if (!isEqualAt(text, offset, needle, 0, head)) continue;
    remainingWork -= needle.length / CHARACTERS_PER_COMPARISON;
    if (isEqualAt(text, offset, needle, 0, needle.length)) next = visit(offset);
    if (next === STOP_SEARCH) return;
  }
}

/**
 * The two-way string matching of Crochemore and Perrin (1991), from an offset on: linear time, constant space.
 * Compares the needle from its critical position to the end, then its start.
 */
function twoWaySearch(text: string, needle: string, from: number, visit: VisitOccurrence): void {
  const [haystack, needleUnits] = [toTextUnits(text), toTextUnits(needle)];
  const { position, period, isPeriodic } = findCriticalFactorization(needleUnits);
  const probe = needle.slice(position, position + PROBE_LENGTH);
  // Characters at the start of the needle that are known to match.
  let matchedPrefix = 0;
  let next = from;
  for (let offset = from; next !== STOP_SEARCH; ) {
    if (matchedPrefix === 0) offset = text.indexOf(probe, offset + position) - position;
    if (offset < from || offset + needle.length > text.length) return;
    const begin = Math.max(position, matchedPrefix);
    const at = begin + commonRunLength(needleUnits, begin, haystack, offset + begin);
    if (at < needle.length) {
      offset += at - position + 1;
      matchedPrefix = 0;
      continue;
    }
    if (offset >= next && (matchedPrefix >= position || isEqualAt(text, offset, needle, matchedPrefix, position)))
      next = visit(offset);
    offset += period;
    matchedPrefix = isPeriodic ? needle.length - period : 0;
  }
}

/** Whether a slice of the needle matches where the needle would start at `offset`. */
function isEqualAt(text: string, offset: number, needle: string, from: number, to: number): boolean {
  // Comparing two slices is more than 10 times as fast as `startsWith` with an offset.
  return text.slice(offset + from, offset + to) === needle.slice(from, to);
}

/**
 * Where to split the needle, so that a match behind the split tells how far the search can skip. If the needle is
 * periodic, all but its last `period` characters are known to match after a skip.
 */
type CriticalFactorization = { readonly position: number; readonly period: number; readonly isPeriodic: boolean };

/** Splits the needle at the later of its two maximal suffixes. Linear, and needs no table. */
export function findCriticalFactorization(needle: TextUnits): CriticalFactorization {
  const [one, other] = [maximalSuffix(needle, 1), maximalSuffix(needle, -1)];
  const { at: position, period } = one.at > other.at ? one : other;
  if (commonRunLength(needle, 0, needle, period) >= position) return { position, period, isPeriodic: true };
  return { position, period: Math.max(position, needle.codeUnits.length - position) + 1, isPeriodic: false };
}

/** The start and the period of the alphabetically last suffix; for a `sign` of -1 in reverse alphabetical order. */
function maximalSuffix(needle: TextUnits, sign: 1 | -1): { readonly at: number; readonly period: number } {
  const { codeUnits } = needle;
  let [at, candidate, period] = [0, 1, 1];
  while (candidate < codeUnits.length) {
    const run = commonRunLength(needle, at, needle, candidate);
    if (candidate + run === codeUnits.length) break;
    // Whole periods in the run mean that the candidate only repeats the suffix.
    const same = run % period;
    candidate += run - same;
    const difference = (codeUnits[candidate + same] ?? 0) - (codeUnits[at + same] ?? 0);
    if (difference * sign < 0) {
      candidate += same + 1;
      period = candidate - at;
    } else {
      at = candidate;
      candidate = at + 1;
      period = 1;
    }
  }
  return { at, period };
}

/** A text with its code units: units are faster one by one, slices of the text are faster in bulk. */
type TextUnits = { readonly text: string; readonly codeUnits: CodeUnits };

export function toTextUnits(text: string): TextUnits {
  return { text, codeUnits: toCodeUnits(text) };
}

/** Characters to compare one by one before comparing slices: most runs are short, and a slice costs more to start. */
const MAX_SHORT_RUN = 32;

/**
 * How many characters two texts have in common from these offsets on. Long runs are cheap: the engine compares slices
 * of doubling length.
 */
export function commonRunLength(left: TextUnits, at: number, right: TextUnits, other: number): number {
  const [codeUnits, others] = [left.codeUnits, right.codeUnits];
  const limit = Math.min(codeUnits.length - at, others.length - other);
  const shortLimit = Math.min(limit, MAX_SHORT_RUN);
  let same = 0;
  while (same < shortLimit && codeUnits[at + same] === others[other + same]) same += 1;
  return same < shortLimit || same === limit
    ? same
    : MAX_SHORT_RUN + longCommonRunLength(left, at + MAX_SHORT_RUN, right, other + MAX_SHORT_RUN);
}

function longCommonRunLength({ text }: TextUnits, at: number, { text: other }: TextUnits, from: number): number {
  const limit = Math.min(text.length - at, other.length - from);
  let same = 0;
  let stride = MAX_SHORT_RUN;
  const isNextStrideEqual = (): boolean =>
    same + stride <= limit &&
    text.slice(at + same, at + same + stride) === other.slice(from + same, from + same + stride);
  for (; isNextStrideEqual(); stride *= 2) same += stride;
  for (; stride >= 1; stride /= 2) if (isNextStrideEqual()) same += stride;
  return same;
}
