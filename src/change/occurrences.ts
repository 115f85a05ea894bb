import { unitsOf } from './units.ts';

/** Is told an offset at which a text stands; says from which later offset on the search goes on: `STOP` for none. */
export type Take = (offset: number) => number;

/** Lies behind the end of every text. */
export const STOP = Number.POSITIVE_INFINITY;

/** Offsets at which a text stands in another, overlapping ones included, in order. Nothing is found of an empty text. */
export function findText(text: string, sought: string): number[] {
  const found: number[] = [];
  searchText(text, sought, (offset) => {
    found.push(offset);
    return offset + 1;
  });
  return found;
}

/**
 * Tells every offset at which a text stands in another, overlapping ones included, in order, but for those that are not asked for.
 * Linear in both lengths whatever they hold: a text of one repeated letter costs no more than any other. The engine's own
 * search is by far the quickest with a few letters, and as slow as the product of both lengths with many: so it looks
 * for a probe, and where that stands too often the search is taken over by one that cannot be led astray.
 */
export function searchText(text: string, sought: string, take: Take): void {
  if (sought === '') return;
  const skipped = Math.max(0, sought.search(/\S/));
  const probe = sought.slice(skipped, skipped + PROBE);
  const head = sought.slice(0, HEAD);
  let left = WORK_PER_LETTER * text.length;
  let next = 0;
  for (let at = text.indexOf(probe, skipped); at !== -1; at = text.indexOf(probe, next + skipped)) {
    const offset = at - skipped;
    if (left <= 0) {
      searchOn(text, sought, offset, take);
      return;
    }
    next = offset + 1;
    left -= HEAD;
    if (!text.startsWith(head, offset)) continue;
    left -= sought.length;
    if (text.startsWith(sought, offset)) next = take(offset);
    if (next === STOP) return;
  }
}

/** Letters that the engine looks for: the more they are, the longer its steps, and the dearer a text that is made up against it. */
const PROBE = 32;
/** Letters that are compared before all of them are. */
const HEAD = 64;
/** Letters compared for each letter of the text before the search is taken over. */
const WORK_PER_LETTER = 4;

/** The same by Knuth, Morris and Pratt, from an offset on. */
function searchOn(text: string, sought: string, from: number, take: Take): void {
  const [units, wanted] = [unitsOf(text), unitsOf(sought)];
  const fallback = borders(wanted);
  let [matched, next] = [0, from];
  for (let index = from; index < units.length && next !== STOP; index += 1) {
    const unit = units[index];
    while (matched > 0 && unit !== wanted[matched]) matched = fallback[matched - 1] ?? 0;
    if (unit === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    const offset = index + 1 - matched;
    if (offset >= next) next = take(offset);
    matched = fallback[matched - 1] ?? 0;
  }
}

/** For each length of a prefix: how long its longest proper prefix is that also ends it. */
function borders(sought: Uint16Array): Int32Array {
  const lengths = new Int32Array(sought.length);
  let matched = 0;
  for (let index = 1; index < sought.length; index += 1) {
    const unit = sought[index];
    while (matched > 0 && unit !== sought[matched]) matched = lengths[matched - 1] ?? 0;
    if (unit === sought[matched]) matched += 1;
    lengths[index] = matched;
  }
  return lengths;
}
