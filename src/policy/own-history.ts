import type { Region } from '../change/change.ts';
import type { LineRange } from '../change/range.ts';
import { indexOf } from '../change/region.ts';

/** One commit of a run to one file: the blobs around it, and the lines that it replaced. */
export type OwnEdit = { readonly before: string; readonly after: string; readonly ranges: readonly LineRange[] };

/**
 * Where a region that was built on one blob stands in another, if nothing but these commits lies between the two:
 * its `oldStart` there. Null where the chain has a gap, or one of them touched the region's lines.
 */
export function startAfter(region: Region, from: string, to: string, edits: readonly OwnEdit[]): number | null {
  const first = edits.findLastIndex((edit) => edit.before === from);
  if (first < 0) return null;
  let { oldStart } = region;
  let blob = from;
  for (const edit of edits.slice(first)) {
    if (blob === to) return oldStart;
    const shift = edit.before === blob ? shiftBy({ ...region, oldStart }, edit.ranges) : null;
    if (shift === null) return null;
    oldStart += shift;
    blob = edit.after;
  }
  return blob === to ? oldStart : null;
}

/** How far a region moves when lines apart from it are replaced; null where they are not apart. */
function shiftBy(region: Region, ranges: readonly LineRange[]): number | null {
  let shift = 0;
  for (const range of ranges) {
    const start = range.oldLines === 0 ? range.oldStart : range.oldStart - 1;
    if (start > indexOf(region) + region.old.length) continue;
    if (start + range.oldLines >= indexOf(region)) return null;
    shift += range.newLines - range.oldLines;
  }
  return shift;
}
