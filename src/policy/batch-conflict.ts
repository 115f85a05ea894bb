import type { Change, Region } from '../change/change.ts';
import { findable, findMatches } from '../change/match.ts';
import { applyRegion, regionsCollide } from '../change/region.ts';
import { decodeText } from '../change/text.ts';
import { touchedPaths } from '../change/touched.ts';
import { foldPath } from './fold.ts';

/** An undecided change of the same batch. */
export type Earlier = { readonly id: string; readonly change: Change };

/**
 * The first change that another cannot stand beside: edits of one file whose regions overlap or touch, or any other two
 * that share a path, one being a parent of the other included. Null where they can be decided apart.
 */
export function conflictingChange(change: Change, earlier: readonly Earlier[]): Earlier | null {
  return earlier.find((other) => conflict(change, other.change)) ?? null;
}

/** A text that is looked for in a file, once a region of it is changed; in the file as it is where that is null. */
export type Sought = { readonly bytes: Uint8Array; readonly sought: string; readonly region: Region | null };

/** Whether it stands there, found as an edit finds it: linear whatever both hold, line endings and all. */
export function standsAfter({ bytes, sought, region }: Sought): boolean {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return false;
  const text = region === null ? decoded.text : applyRegion(decoded.text, region);
  return findMatches(findable(text), sought, 1).length > 0;
}

function conflict(left: Change, right: Change): boolean {
  if (left.op === 'edit' && right.op === 'edit' && left.path === right.path) {
    return left.region === null || right.region === null || regionsCollide(left.region, right.region);
  }
  return foldedPaths(left).some((path) => foldedPaths(right).some((other) => sharesPath(path, other)));
}

function foldedPaths(change: Change): string[] {
  return touchedPaths(change).map(foldPath);
}

function sharesPath(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}
