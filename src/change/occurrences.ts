import { criticalCut } from './critical-cut.ts';
import { equalRun, lettered } from './equal-run.ts';

/** Is told an offset at which a text stands; says from which later offset on the search goes on: `STOP` for none. */
export type Take = (offset: number) => number;

/** Lies behind the end of every text. */
export const STOP = Number.POSITIVE_INFINITY;

/**
 * Tells every offset at which a text stands in another, overlapping ones included, in order, but for those that are not asked
 * for. Nothing is found of an empty text. Linear in both lengths whatever they hold: a text of one repeated letter costs no
 * more than any other. The engine's own search is by far the quickest with a few letters, and as slow as the product of both
 * lengths with many: so it looks for a probe, and where that stands too often the search is taken over by one that cannot be
 * led astray.
 */
export function searchText(text: string, sought: string, take: Take): void {
  if (sought.length <= PROBE) searchShort(text, sought, take);
  else searchLong(text, sought, take);
}

function searchShort(text: string, sought: string, take: Take): void {
  if (sought === '') return;
  for (let at = text.indexOf(sought); at !== -1; ) {
    const next = take(at);
    at = next === STOP ? -1 : text.indexOf(sought, next);
  }
}

function searchLong(text: string, sought: string, take: Take): void {
  const skipped = Math.max(0, sought.search(/\S/));
  const probe = sought.slice(skipped, skipped + PROBE);
  const head = Math.min(HEAD, sought.length);
  let left = WORK_PER_LETTER * text.length;
  let next = 0;
  for (let at = text.indexOf(probe, skipped); at !== -1; at = text.indexOf(probe, next + skipped)) {
    const offset = at - skipped;
    if (left <= 0) {
      searchOn(text, sought, offset, take);
      return;
    }
    if (offset + sought.length > text.length) return;
    next = offset + 1;
    left -= HEAD;
    if (!isAlike(text, offset, sought, 0, head)) continue;
    left -= sought.length / AT_ONCE;
    if (isAlike(text, offset, sought, 0, sought.length)) next = take(offset);
    if (next === STOP) return;
  }
}

/** Letters that the engine looks for: the more they are, the longer its steps, and the dearer a text that is made up against it. */
const PROBE = 32;
/** Letters that are compared before all of them are. */
const HEAD = 64;
/** How many letters of a whole text the engine compares in the time of one alone, at least. */
const AT_ONCE = 16;
/** Letters compared for each letter of the text before the search is taken over. */
const WORK_PER_LETTER = 1;

/**
 * The same from an offset on, by the two-way search of Crochemore and Perrin: no letter is compared more than twice. Where nothing is
 * known of an offset the engine looks for the next one that can do; each time the search goes on by as much as matched, or by
 * half of the sought text.
 */
function searchOn(text: string, sought: string, from: number, take: Take): void {
  const [within, wanted] = [lettered(text), lettered(sought)];
  const { at: cut, period, periodic } = criticalCut(wanted);
  const probe = sought.slice(cut, cut + PROBE);
  // How many letters at the beginning are known to match.
  let known = 0;
  let next = from;
  for (let offset = from; next !== STOP; ) {
    if (known === 0) offset = text.indexOf(probe, offset + cut) - cut;
    if (offset < from || offset + sought.length > text.length) return;
    const begin = Math.max(cut, known);
    const at = begin + equalRun(wanted, begin, within, offset + begin);
    if (at < sought.length) {
      offset += at - cut + 1;
      known = 0;
      continue;
    }
    if (offset >= next && (known >= cut || isAlike(text, offset, sought, known, cut))) next = take(offset);
    offset += period;
    known = periodic ? sought.length - period : 0;
  }
}

/** Whether the letters of the sought text between two of its offsets stand where it would stand from an offset on. */
function isAlike(text: string, offset: number, sought: string, from: number, to: number): boolean {
  // The engine compares two texts of their own more than ten times as quickly as it looks whether one stands in the other.
  return text.slice(offset + from, offset + to) === sought.slice(from, to);
}
