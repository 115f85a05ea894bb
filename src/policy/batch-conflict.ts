import type { Change } from '../change/change.ts';
import { findable, findMatches } from '../change/match.ts';
import { applyRegion, regionsCollide } from '../change/region.ts';
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

/** The undecided change but for which a file would not hold a text that was looked for; null if none brings it. */
export function changeThatBrings(
  path: string,
  text: string,
  sought: string,
  earlier: readonly Earlier[],
): Earlier | null {
  const brings = ({ change }: Earlier) =>
    change.path === path &&
    change.region !== null &&
    findMatches(findable(applyRegion(text, change.region)), sought, 1).length > 0;
  return earlier.find(brings) ?? null;
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
