/**
 * Every index at which a run of units begins in a longer one, overlapping ones included, in order.
 * Linear in both lengths whatever they hold: a text of one repeated letter costs no more than any other.
 * Nothing is found of an empty run.
 */
function occurrences(units: ArrayLike<number>, sought: ArrayLike<number>): number[] {
  const found: number[] = [];
  if (sought.length === 0 || sought.length > units.length) return found;
  const fallback = borders(sought);
  let matched = 0;
  for (let index = 0; index < units.length; index += 1) {
    while (matched > 0 && units[index] !== sought[matched]) matched = fallback[matched - 1] ?? 0;
    if (units[index] === sought[matched]) matched += 1;
    if (matched === sought.length) {
      found.push(index + 1 - matched);
      matched = fallback[matched - 1] ?? 0;
    }
  }
  return found;
}

/** Offsets at which a text stands in another, overlapping ones included, in order. */
export function findText(text: string, sought: string): number[] {
  return text.includes(sought.slice(0, PROBE)) ? occurrences(codeUnits(text), codeUnits(sought)) : [];
}

/** 0-based indexes at which a run of lines stands among others, in order. */
export function findLines(lines: readonly string[], sought: readonly string[]): number[] {
  const numbers = new Map<string, number>();
  for (const line of sought) if (!numbers.has(line)) numbers.set(line, numbers.size + 1);
  const numbered = (list: readonly string[]) => Int32Array.from(list, (line) => numbers.get(line) ?? 0);
  return occurrences(numbered(lines), numbered(sought));
}

/** Most texts that are not there differ in the first few letters, which the engine's own search tells soonest. */
const PROBE = 16;

/** For each length of a prefix: how long its longest proper prefix is that also ends it. */
function borders(sought: ArrayLike<number>): Int32Array {
  const lengths = new Int32Array(sought.length);
  let matched = 0;
  for (let index = 1; index < sought.length; index += 1) {
    while (matched > 0 && sought[index] !== sought[matched]) matched = lengths[matched - 1] ?? 0;
    if (sought[index] === sought[matched]) matched += 1;
    lengths[index] = matched;
  }
  return lengths;
}

function codeUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) units[index] = text.charCodeAt(index);
  return units;
}
