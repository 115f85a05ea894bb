import { criticalCut } from './critical-cut.ts';
import { lettersOf } from './letters.ts';

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
  const short = sought.length <= PROBE;
  const skipped = short ? 0 : Math.max(0, sought.search(/\S/));
  const probe = sought.slice(skipped, skipped + PROBE);
  const head = sought.slice(0, HEAD);
  let left = WORK_PER_LETTER * text.length;
  let next = 0;
  for (let at = text.indexOf(probe, skipped); at !== -1; at = text.indexOf(probe, next + skipped)) {
    const offset = at - skipped;
    if (left <= 0 && !short) {
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
const WORK_PER_LETTER = 1;

/**
 * The same from an offset on, by the two-way search of Crochemore and Perrin: no letter is compared more than twice. Where nothing is
 * known of an offset the engine looks for the next one that can do; each time the search goes on by as much as matched, or by
 * half of the sought text.
 */
function searchOn(text: string, sought: string, from: number, take: Take): void {
  const [letters, wanted] = [lettersOf(text), lettersOf(sought)];
  const { at: cut, period, periodic } = criticalCut(wanted);
  const probe = sought.slice(cut, cut + PROBE);
  // How many letters at the beginning are known to match.
  let known = 0;
  let next = from;
  for (let offset = from; next !== STOP; ) {
    if (known === 0) offset = text.indexOf(probe, offset + cut) - cut;
    if (offset < from || offset + wanted.length > letters.length) return;
    let at = Math.max(cut, known);
    while (at < wanted.length && wanted[at] === letters[offset + at]) at += 1;
    if (at < wanted.length) {
      offset += at - cut + 1;
      known = 0;
      continue;
    }
    at = cut;
    while (at > known && wanted[at - 1] === letters[offset + at - 1]) at -= 1;
    if (at <= known && offset >= next) next = take(offset);
    offset += period;
    known = periodic ? wanted.length - period : 0;
  }
}
