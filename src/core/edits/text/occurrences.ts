/** Receives the offset of an occurrence and returns the offset at which to search on, or `STOP_SEARCH`. */
type VisitOccurrence = (offset: number) => number;

export const STOP_SEARCH = Number.POSITIVE_INFINITY;

/** The engine's `indexOf` is fastest, and quadratic at worst: only so many characters are left to it. */
const MAX_SHORT_NEEDLE = 32;

/** Visits every occurrence of a needle in order, including overlapping ones. An empty needle has none. Linear time. */
export function forEachOccurrence(text: string, needle: string, visit: VisitOccurrence): void {
  if (needle === '') return;
  if (needle.length > MAX_SHORT_NEEDLE) {
    const first = text.indexOf(needle.slice(0, MAX_SHORT_NEEDLE));
    if (first !== -1) searchLongNeedle(text, needle, first, visit);
    return;
  }
  for (let at = text.indexOf(needle); at !== -1; ) {
    const next = visit(at);
    at = next === STOP_SEARCH ? -1 : text.indexOf(needle, next);
  }
}

/** The search of Knuth, Morris and Pratt, from an offset on. */
function searchLongNeedle(text: string, needle: string, from: number, visit: VisitOccurrence): void {
  const borders = bordersOf(needle);
  let [matched, next] = [0, from];
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    if (matched < needle.length) continue;
    const offset = at + 1 - matched;
    if (offset >= next) next = visit(offset);
    if (next === STOP_SEARCH) return;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each start of the needle the length of its longest border: a shorter start that it also ends with. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (matched > 0 && needle.charCodeAt(matched) !== needle.charCodeAt(at)) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === needle.charCodeAt(at)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
