import { fenceFor } from '../change/fence.ts';
import { hiddenCharacters, showHidden } from '../change/hidden.ts';
import { byteLength, details, fence } from './markdown.ts';
import { codePointName, visible } from './visible.ts';
import { count, listOf, thousands } from './words.ts';

/** A unified diff made ready to be shown: lines without terminators, everything hidden written out. */
export type DiffView = {
  readonly lines: readonly string[];
  /** Sentences about what a reader might overlook, in plain text. */
  readonly warnings: readonly string[];
};

/** Below this a diff simply stands there. */
const INLINE_BELOW = 30;
/** Above this there is no preview either. */
const PREVIEW_UP_TO = 100;
const PREVIEW_LINES = 10;
const LONG_LINE = 400;
const NAMED_AT_MOST = 5;

type AddedLine = { readonly number: number; readonly text: string };

/** Lines that a diff adds, with their number in the new file. */
function addedLines(lines: readonly string[]): readonly AddedLine[] {
  const added: AddedLine[] = [];
  let number = 0;
  let inHunk = false;
  for (const line of lines) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)?.[1];
    if (start !== undefined) {
      number = Number(start);
      inHunk = true;
    } else if (inHunk && line.startsWith('+')) {
      added.push({ number, text: line.slice(1) });
      number += 1;
    } else if (line.startsWith(' ')) number += 1;
  }
  return added;
}

function named(items: readonly string[]): string {
  const left = items.length - NAMED_AT_MOST;
  return left > 0 ? `${items.slice(0, NAMED_AT_MOST).join(', ')} and ${thousands(left)} more` : listOf(items);
}

function hiddenWarning(added: readonly AddedLine[]): string | null {
  const found = added.flatMap(({ number, text }) =>
    hiddenCharacters(text, number === 1).map(
      ({ codePoint }) => `${codePointName(String.fromCodePoint(codePoint))} in line ${number}`,
    ),
  );
  if (found.length === 0) return null;
  return `This adds characters that cannot be seen: ${named(found)}. The diff writes them out.`;
}

function longLineWarning(added: readonly AddedLine[]): string | null {
  const long = added.filter(({ text }) => text.length > LONG_LINE);
  if (long.length === 0) return null;
  const names = long.map(({ number, text }) => `line ${number} (${thousands(text.length)} columns)`);
  return `Very long: ${named(names)}. Scroll to its end before you decide.`;
}

/** CR before LF is noise where every line has it, and the whole story where only some have. */
function withoutCommonReturns(lines: readonly string[]): { readonly lines: readonly string[]; readonly crlf: boolean } {
  const content = lines.filter((line) => /^[ +-]/.test(line) && !/^(?:---|\+\+\+) /.test(line));
  const crlf = content.length > 0 && content.every((line) => line.endsWith('\r'));
  return { lines: crlf ? lines.map((line) => line.replace(/\r$/, '')) : lines, crlf };
}

/** Prepares a unified diff for the page. */
export function viewDiff(unifiedDiff: string): DiffView {
  const raw = unifiedDiff.replace(/\n$/, '').split('\n');
  const { lines, crlf } = withoutCommonReturns(raw);
  const added = addedLines(lines.map((line) => line.replace(/\r$/, '')));
  const warnings = [hiddenWarning(added), longLineWarning(added), crlf ? 'All lines end with CR LF.' : null];
  return {
    lines: lines.map((line) => visible(showHidden(line))),
    warnings: warnings.filter((warning) => warning !== null),
  };
}

/** The whole diff, never a part of it: as it stands when short, else folded, with a preview while it is not too long. */
export function renderDiff(diff: DiffView): string {
  const { lines } = diff;
  if (lines.length < INLINE_BELOW) return fence('diff', lines);
  const whole = details(`The whole diff (${count(lines.length, 'line')})`, fence('diff', lines));
  if (lines.length > PREVIEW_UP_TO) return whole;
  const preview = fence('diff', lines.slice(0, PREVIEW_LINES));
  return `${preview}\n\n(showing ${PREVIEW_LINES} of ${lines.length} lines)\n\n${whole}`;
}

/** A diff that is news to its readers although it is decided: open where it is short, else folded; cut to `bytes`. */
export function renderOpenDiff(diff: DiffView, bytes: number): string {
  const open = fence('diff', diff.lines);
  return diff.lines.length < INLINE_BELOW && byteLength(open) <= bytes ? open : renderFoldedDiff(diff, bytes);
}

/** A decided diff for the record: folded, and cut where it would not fit `bytes`. */
export function renderFoldedDiff(diff: DiffView, bytes: number): string {
  return details('The change', renderCutDiff(diff, bytes));
}

/** A diff as it stands, cut between lines where it would not fit `bytes`; then it says so. */
export function renderCutDiff({ lines }: DiffView, bytes: number): string {
  let kept = 0;
  let used = 0;
  let ticks = 3;
  for (const line of lines) {
    used += byteLength(line) + 1;
    ticks = Math.max(ticks, fenceFor(line).length);
    if (used + 2 * ticks > bytes) break;
    kept += 1;
  }
  const note = kept < lines.length ? `\n\n(showing ${kept} of ${lines.length} lines)` : '';
  return fence('diff', lines.slice(0, kept)) + note;
}
