import { fenceFor } from './fence.ts';
import { showHidden } from './hidden.ts';
import { byteLength } from './text.ts';

/** Letters that no row can need a tenth as much room for: one letter is written out as six, and a fence grows with backticks. */
const GROWTH = 10;

/** The bytes of the first row of a diff that no comment of so many bytes holds, as it is shown; null where all fit. */
export function longRowBytes(diff: string, most: number): number | null {
  if (diff.length * GROWTH <= most) return null;
  for (const row of diff.split('\n')) {
    if (row.length * GROWTH <= most) continue;
    const bytes = shownBytes(row);
    if (bytes > most) return bytes;
  }
  return null;
}

/** What a row takes in a fence of its own, with whatever is hidden in it written out. */
function shownBytes(row: string): number {
  const shown = showHidden(row);
  return byteLength(shown) + 1 + 2 * fenceFor(shown).length;
}
