import type { Region } from './change.ts';
import { bareLine } from './lines.ts';

/** A region counted as people count: lines compared without their terminators. `line` is 1-based in the new version. */
type Counted = { readonly removed: number; readonly added: number; readonly line: number };

/** Imperative and past tense of what happens to lines, e.g. `add 1 line at line 3` and `Added 1 line at line 3`. */
type Wording = { readonly plan: string; readonly done: string };

/** One line that says what an edit would do, e.g. `Edit src/a.ts: add 1 line at line 3`. */
export function describeEdit(path: string, region: Region, places: number): string {
  return `Edit ${path}: ${wordingFor(region, places).plan}`;
}

/** One line that says what the reverse of the change `id` would do, e.g. `Undo k7q2 in src/a.ts: replace 1 line`. */
export function describeUndo(path: string, id: string, region: Region, places: number): string {
  return `Undo ${id} in ${path}: ${wordingFor(region, places).plan}`;
}

/** The same where the reverse is a change of its own kind, e.g. `Undo k7q2: delete src/a.ts` for `Delete src/a.ts`. */
export function describeUndoAs(id: string, description: string): string {
  return `Undo ${id}: ${description.slice(0, 1).toLowerCase()}${description.slice(1)}`;
}

/** One line that says what a write would do, e.g. `Write 150 lines to src/a.ts`. */
export function describeWrite(path: string, lines: number): string {
  return `Write ${lineCount(lines)} to ${path}`;
}

/** One line that says what comes back, e.g. `Restore logo.png`. */
export function describeRestore(path: string): string {
  return `Restore ${path}`;
}

/** One line that says what a deletion would do, e.g. `Delete src/a.ts`. */
export function describeDelete(path: string): string {
  return `Delete ${path}`;
}

/** One line that says what a move would do, e.g. `Move src/a.ts to src/b.ts`. */
export function describeMove(from: string, to: string): string {
  return `Move ${from} to ${to}`;
}

/** A sentence for an edit that was made, e.g. `Added 1 line at line 3.` */
export function summariseEdit(region: Region, places: number): string {
  return `${wordingFor(region, places).done}.`;
}

/** `1 line`, `5 lines`. */
export function lineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

function wordingFor(region: Region, places: number): Wording {
  if (places > 1) return { plan: `replace text in ${places} places`, done: `Replaced text in ${places} places` };
  const { removed, added, line } = countRegion(region);
  if (removed === 0 && added === 0) {
    const where = `at the end of ${region.old.length === 1 ? `line ${line}` : `${lineCount(region.old.length)} from line ${line}`}`;
    return { plan: `change the line ending ${where}`, done: `Changed the line ending ${where}` };
  }
  if (removed === 0) return both('add', 'Added', `${lineCount(added)} at line ${line}`);
  if (added === 0) return both('delete', 'Deleted', `${lineCount(removed)} at line ${line}`);
  if (removed === added) {
    return { plan: `replace ${lineCount(removed)}`, done: `Replaced ${lineCount(removed)} at line ${line}` };
  }
  return {
    plan: `replace ${lineCount(removed)} with ${added}`,
    done: `Replaced ${lineCount(removed)} with ${added} at line ${line}`,
  };
}

function both(plan: string, done: string, what: string): Wording {
  return { plan: `${plan} ${what}`, done: `${done} ${what}` };
}

function countRegion({ old, new: fresh, oldStart, newStart }: Region): Counted {
  const limit = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < limit && sameLine(old[head], fresh[head])) head += 1;
  let tail = 0;
  while (tail < limit - head && sameLine(old.at(-1 - tail), fresh.at(-1 - tail))) tail += 1;
  const first = fresh.length === 0 ? oldStart : newStart;
  const changed = old.length !== head + tail || fresh.length !== head + tail;
  return { removed: old.length - head - tail, added: fresh.length - head - tail, line: first + (changed ? head : 0) };
}

/** But for its end; most lines of a region differ at once. */
function sameLine(left = '', right = ''): boolean {
  return bareLine(left) === bareLine(right);
}
