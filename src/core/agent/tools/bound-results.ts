import { byteLength } from '../../edits/text/characters.ts';
import type { CallRef } from '../../state/conversation.ts';
import type { ToolName } from '../../state/tools.ts';
import type { CallResult } from '../../step/signals.ts';
import { largestShare, MAX_RESULTS_BYTES } from '../shared/response-size.ts';

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
  const { shown, ...rest } = result;
  // The first line is the header.
  const lines = kept.split('\n').length - 2;
  const last = shown === undefined || lines < 1 ? null : Math.min(shown.last, shown.first + lines - 1);
  const hint =
    shown === undefined ? HINTS[tool ?? 'other'] : `read_file with start ${last === null ? shown.first : last + 1}`;
  const note = `[Cut: the results of one response have at most ${Math.floor(MAX_RESULTS_BYTES / 1000)} kB together. For the rest call ${hint} in your next response.]`;
  const output = `${kept}${kept.endsWith('\n') ? '' : '\n'}${note}`;
  return { ...rest, output, ...(shown === undefined || last === null ? {} : { shown: { ...shown, last } }) };
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
