import { byteLength } from '../../edits/text/characters.ts';
import { cutText, headOf } from './clean-text.ts';

/** Bytes that the readings of one response may have together, and the diffs of its changes (S168). */
export const MAX_RESULTS_BYTES = 96_000;

/** The length to which everything longer is cut, so that the sum keeps the limit. */
export function largestShare(lengths: readonly number[], limit: number): number {
  const sorted = lengths.toSorted((one, other) => one - other);
  let rest = limit;
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(rest / (sorted.length - index));
    if (length > share) return share;
    rest -= length;
  }
  return limit;
}

/** The rows of a diff that fit, and a mark if it was cut. */
export function cutDiff(diff: string, maxBytes: number): string {
  if (byteLength(diff) <= maxBytes) return diff;
  const head = headOf(diff, maxBytes - byteLength(CUT_ROW));
  const end = head.lastIndexOf('\n');
  return end === -1 ? cutText(diff, maxBytes) : `${head.slice(0, end)}${CUT_ROW}`;
}

const CUT_ROW = '\n(cut)';

/** The rows of a diff that fit into a JSON string of so many bytes, in which some characters take several. */
export function cutDiffForJson(diff: string, maxBytes: number): string {
  // A JSON string is never shorter than its text, so only what fits as text is measured.
  const cut = cutDiff(diff, Math.floor(maxBytes));
  const bytes = jsonBytes(cut);
  return bytes <= maxBytes ? cut : cutDiff(cut, Math.floor((maxBytes * maxBytes) / bytes));
}

/** Bytes of a text in a JSON string. One that is too long for any result is not written as JSON to measure it. */
export function jsonBytes(text: string): number {
  return text.length > MAX_RESULTS_BYTES ? byteLength(text) : byteLength(JSON.stringify(text));
}
