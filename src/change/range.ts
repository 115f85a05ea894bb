import type { Region } from './change.ts';
import { offsetOfLine } from './lines.ts';
import { indexOf, regionsCollide } from './region.ts';

/**
 * The lines that a change replaced in a parent's file and where they stand in the commit's:
 * 1-based, a side of 0 lines has the number of the line before it (0 at the top).
 */
export type LineRange = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
};

/** The range of a region that came alone. */
export function rangeOf(region: Region): LineRange {
  return {
    oldStart: region.oldStart,
    oldLines: region.old.length,
    newStart: region.newStart,
    newLines: region.new.length,
  };
}

/** The value of the trailer `Countersign-Range`. */
export function formatRange(range: LineRange): string {
  return `${range.oldStart},${range.oldLines} ${range.newStart},${range.newLines}`;
}

/** A file in which several changes were made at once, and where each of them stands, in the order they were given. */
export type Composed = { readonly text: string; readonly ranges: readonly LineRange[] };

/**
 * Applies several regions of one text together. Throws where two of them overlap or touch, or where the
 * old lines of one do not stand at its place: such a set must not come here.
 */
export function composeFile(baseText: string, regions: readonly Region[]): Composed {
  const ordered = regions.map((region, order) => ({ region, order }));
  ordered.sort((left, right) => indexOf(left.region) - indexOf(right.region));
  const ranges = new Array<LineRange>(regions.length);
  const pieces: string[] = [];
  let offset = 0;
  let line = 0;
  let growth = 0;
  let previous: Region | null = null;
  for (const { region, order } of ordered) {
    if (previous !== null && regionsCollide(previous, region)) throw new Error('Two changes of one file touch.');
    const kept = linesUntil(baseText, offset, indexOf(region) - line);
    const old = region.old.join('');
    if (kept === null || !baseText.startsWith(old, offset + kept.length)) {
      throw new Error(`The lines to be replaced do not stand at line ${region.oldStart}.`);
    }
    pieces.push(kept, region.new.join(''));
    ranges[order] = { ...rangeOf(region), newStart: region.newStart + growth };
    offset += kept.length + old.length;
    line = indexOf(region) + region.old.length;
    growth += region.new.length - region.old.length;
    previous = region;
  }
  return { text: pieces.join('') + baseText.slice(offset), ranges };
}

function linesUntil(text: string, offset: number, count: number): string | null {
  const rest = text.slice(offset);
  const end = offsetOfLine(rest, count);
  return end === null ? null : rest.slice(0, end);
}
