import { byteLength } from '../../edits/text/characters.ts';
import type { CallRef } from '../../state/conversation.ts';
import type { ToolName } from '../../state/tools.ts';
import type { CallResult } from '../../step/signals.ts';
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

type Output = Extract<CallResult, { kind: 'output' }>;

/** Cuts the longest outputs until all of them together keep the limit. Each cut says how to get the rest. */
export function boundResults(
  results: readonly CallResult[],
  toolOf: (call: CallRef) => ToolName | null,
): readonly CallResult[] {
  const lengths = results.flatMap((one) => (one.kind === 'output' ? [byteLength(one.output)] : []));
  const share = largestShare(lengths, MAX_RESULTS_BYTES);
  return results.map((result) =>
    result.kind === 'output' && byteLength(result.output) > share ? cutResult(result, share, toolOf(result)) : result,
  );
}

/** The note counts, too. */
function cutResult(result: Output, share: number, tool: ToolName | null): Output {
  const kept = keepLines(result.output, Math.max(0, share - MAX_NOTE_BYTES));
  const { reading } = result;
  const [shown] = reading?.shown ?? [];
  // The first line is the header.
  const lines = kept.split('\n').length - 2;
  const last = shown === undefined || lines < 1 ? null : Math.min(shown.last, shown.first + lines - 1);
  const hint =
    shown === undefined ? HINTS[tool ?? 'other'] : `read_file with start ${last === null ? shown.first : last + 1}`;
  const note = `[Cut: the results of one response have at most ${Math.floor(MAX_RESULTS_BYTES / 1000)} kB together. For the rest call ${hint} in your next response.]`;
  const output = `${kept}${kept.endsWith('\n') ? '' : '\n'}${note}`;
  if (reading === undefined) return { ...result, output };
  const stillShown = shown === undefined || last === null ? [] : [{ ...shown, last }];
  return { ...result, output, reading: { ...reading, shown: stillShown } };
}

const MAX_NOTE_BYTES = 250;

/** The calls that give the model the rest of a cut output. */
const HINTS: Readonly<Partial<Record<ToolName, string>>> & { readonly other: string } = {
  list_files: 'list_files with a narrower glob',
  search: 'search with a narrower glob or query',
  outline: 'read_file with start and end',
  read_diff: 'read_diff with the path of one file',
  other: 'it again, alone,',
};

/** The whole lines that fit; a part of the first line if none does. */
function keepLines(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  const lineFeed = bytes.lastIndexOf('\n');
  return lineFeed === -1 ? bytes.toString().replace(/\u{FFFD}+$/u, '') : bytes.subarray(0, lineFeed + 1).toString();
}
