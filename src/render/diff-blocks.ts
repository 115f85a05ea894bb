import { type DiffPart, FIRST_PART_BYTES, linesWithin } from './diff-parts.ts';
import type { DiffView } from './diff-view.ts';
import { byteLength, details, fence } from './markdown.ts';
import { count, thousands } from './words.ts';

/** Below this a diff simply stands there. */
const INLINE_BELOW = 30;
/** Above this there is no preview either. */
const PREVIEW_UP_TO = 100;
/** A preview has at most so many lines, and no more than half of the diff. */
const MOST_PREVIEW_LINES = 50;

/**
 * A diff that fits one comment, never a part of it: as it stands when short, else folded, with a preview while it is
 * not too long.
 */
export function renderDiff({ lines }: DiffView): string {
  if (lines.length < INLINE_BELOW) return fence('diff', lines);
  const whole = details(`The whole diff (${count(lines.length, 'line')})`, fence('diff', lines));
  if (lines.length > PREVIEW_UP_TO) return whole;
  const shown = Math.min(MOST_PREVIEW_LINES, Math.floor(lines.length / 2));
  const preview = `${fence('diff', lines.slice(0, shown))}\n\n(showing ${shown} of ${lines.length} lines)`;
  return byteLength(preview) + byteLength(whole) > FIRST_PART_BYTES ? whole : `${preview}\n\n${whole}`;
}

/** One of several parts of a diff: open where the whole diff is short in lines and undecided, else folded. */
export function renderPart({ lines }: DiffView, part: DiffPart, undecided: boolean): string {
  const block = fence('diff', part.lines);
  if (undecided && lines.length < INLINE_BELOW) return block;
  const last = part.first + part.lines.length - 1;
  return details(
    `Lines ${thousands(part.first)} to ${thousands(last)} of the diff’s ${thousands(lines.length)}`,
    block,
  );
}

/** A diff that is news to its readers although it is decided: open where it is short, else folded; cut to `bytes`. */
export function renderOpenDiff(diff: DiffView, bytes: number): string {
  const open = fence('diff', diff.lines);
  return diff.lines.length < INLINE_BELOW && byteLength(open) <= bytes ? open : renderFoldedDiff(diff, bytes);
}

/** A decided diff for the record: folded, and cut where it would not fit `bytes`. */
export function renderFoldedDiff(diff: DiffView, bytes: number): string {
  return details('The change', renderCutDiff(diff.lines, bytes));
}

/** The first lines of a diff that fit `bytes`; where some are left out it says so. */
function renderCutDiff(lines: readonly string[], bytes: number): string {
  const kept = linesWithin(lines, 0, bytes);
  const note = kept < lines.length ? `\n\n(showing ${kept} of ${lines.length} lines)` : '';
  return fence('diff', lines.slice(0, kept)) + note;
}

const WRAPPED_COLUMNS = 120;

/**
 * Very long added lines once more, wrapped, so that nothing stands past the right edge; the diff itself stays as it is.
 */
export function renderWrapped({ long }: DiffView): string {
  return long
    .map(({ number, shown }) => details(`Line ${thousands(number)} in full, wrapped`, fence('text', wrap(shown))))
    .join('\n\n');
}

function wrap(text: string): readonly string[] {
  const points = [...text];
  const rows = Math.ceil(points.length / WRAPPED_COLUMNS);
  return Array.from({ length: rows }, (_, row) =>
    points.slice(row * WRAPPED_COLUMNS, (row + 1) * WRAPPED_COLUMNS).join(''),
  );
}
