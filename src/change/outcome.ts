import type { Change, Region } from './change.ts';
import { summariseEdit } from './describe.ts';
import { type HunkLine, parseHunks } from './hunks.ts';
import { diffOf } from './payload.ts';

/** What the result of an applied change tells the model. */
export type ChangeOutcome = {
  /** The larger of replaced and replacing lines, summed over places. */
  readonly linesChanged: number;
  /** How many matches were replaced; null for anything but an edit. */
  readonly replacements: number | null;
  /** A sentence such as `Added 1 line at line 3.`; empty for anything but an edit. */
  readonly summary: string;
  /** Empty where there is none in lines. */
  readonly diff: string;
};

/** Sums up a change where it was made; `region` is the one that was executed, if it had moved. */
export function outcomeOf(change: Change, region: Region | null = change.region): ChangeOutcome {
  const { payload } = change;
  return {
    linesChanged: linesChanged(change),
    replacements: payload.type === 'edit' ? payload.match_count : null,
    summary: payload.type !== 'edit' || region === null ? '' : summariseEdit(region, change.places),
    diff: diffOf(payload) ?? '',
  };
}

function linesChanged(change: Change): number {
  if (change.region === null) return 0;
  if (change.places === 1) return Math.max(change.region.old.length, change.region.new.length);
  let sum = 0;
  for (const hunk of parseHunks(diffOf(change.payload) ?? '')) sum += changedIn(hunk.lines);
  return sum;
}

function changedIn(lines: readonly HunkLine[]): number {
  let sum = 0;
  let removed = 0;
  let added = 0;
  for (const { side } of lines) {
    if (side === 'left') removed += 1;
    if (side === 'right') added += 1;
    if (side !== 'both') continue;
    sum += Math.max(removed, added);
    removed = 0;
    added = 0;
  }
  return sum + Math.max(removed, added);
}
