import { createTwoFilesPatch, diffLines } from 'diff';
import { NO_SEARCH_RESULTS, searchFile } from '../../src/core/agent/file-search.ts';
import { buildEdit } from '../../src/core/edits/build-edit.ts';
import { choosePlacement } from '../../src/core/edits/placement.ts';
import { blobSha } from '../../src/core/edits/text/characters.ts';
import { findNearMatches } from '../../src/core/edits/text/closest-text.ts';
import { createLineTable } from '../../src/core/edits/text/line-table.ts';
import { splitLines } from '../../src/core/edits/text/lines.ts';
import { formatUnifiedDiff, refineBlock } from '../../src/core/edits/unified-diff.ts';
import { renderOpenProposal } from '../../src/core/messages/proposal-comment.ts';
import { proposalRoundTrips } from '../../src/core/messages/read-back.ts';
import { type Offload, offloadInline } from '../../src/worker/offload/offload.ts';
import { changeOf, stored } from '../../test/unit/core/edits/samples.ts';
import { edit, inConversation, proposal, view, write } from '../../test/unit/core/messages/sample.ts';
import { type BenchmarkRow, longestOwnThreadMs, measureMs } from './measure.ts';
import { parseWorstCase, WORST_CASE_ARGUMENTS } from './worst-case-calls.ts';

/** Lines as source code has them: of different lengths, some blank, most of them standing once. */
function sourceLine(index: number): string {
  if (index % 6 === 0) return '\n';
  return `${'  '.repeat(index % 4)}const total${index} = price(order, ${(index * 7919) % 5000});\n`;
}

function sourceText(count: number): string {
  return Array.from({ length: count }, (_, index) => sourceLine(index)).join('');
}

/** The text with so many of a hundred lines written anew, spread evenly. */
function rewriteLines(text: string, percent: number): string {
  const lines = splitLines(text);
  return lines.map((line, index) => ((index * 37) % 100 < percent ? `  other(${index});\n` : line)).join('');
}

const LINES_PER_MEGABYTE = 30_000;

const ONE_MEGABYTE = sourceText(LINES_PER_MEGABYTE);

const TWO_MEGABYTES = sourceText(2 * LINES_PER_MEGABYTE).slice(0, 1_990_000);

/** An edit of two lines in the middle of a file, from its bytes to its place on the page. */
function proposeEdit(text: string): () => void {
  const start = text.indexOf('\n', text.length / 2) + 1;
  const oldString = text.slice(start, text.indexOf('\n', start + 90) + 1);
  const newString = `${oldString}  checked();\n`;
  const file = stored(text);
  const line = text.slice(0, start).split('\n').length;
  const shown = text.slice(start).split('\n').slice(0, 8);
  const patch = `@@ -0,0 +${line},${shown.length} @@\n${shown.map((one) => `+${one}`).join('\n')}`;
  return () => {
    const change = changeOf(
      buildEdit({ path: 'src/a.ts', repositoryName: 'shop', file, oldString, newString, replaceAll: false }),
    );
    const { kind } = choosePlacement({ change, baseText: text, patch, inPullRequest: true });
    if (kind !== 'suggestion') throw new Error('The edit is no suggestion block.');
  };
}

function countNewlines(text: string): number {
  let lines = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) === 10) lines += 1;
  return lines;
}

function createLibraryPatch(text: string): void {
  const start = text.indexOf('\n', text.length / 2) + 1;
  createTwoFilesPatch('a', 'b', text, `${text.slice(0, start)}  checked();\n${text.slice(start)}`);
}

/** How many times what the edit takes, the hash of its bytes apart, the library's diff takes. */
function libraryPatchRatio(text: string, edit: () => void): number {
  const { bytes } = stored(text);
  return measureMs(() => createLibraryPatch(text)) / (measureMs(edit) - measureMs(() => void blobSha(bytes)));
}

function diffTexts(before: string, after: string): void {
  const blocks = refineBlock({ index: 0, old: splitLines(before), new: splitLines(after) });
  formatUnifiedDiff({ path: 'src/a.ts', existedBefore: true, base: createLineTable(before), blocks });
}

function timedRow(name: string, work: () => void): BenchmarkRow {
  return { name, unit: 'ms', sample: () => measureMs(work) };
}

/** How many times what the second takes the first one does, both measured at once; the goal stands in the unit. */
function ratioRow(name: string, goal: string, work: () => void, yardstick: () => void): BenchmarkRow {
  return { name, unit: `× (${goal})`, sample: () => measureMs(work) / measureMs(yardstick) };
}

const [FEW, MANY] = [sourceText(5000), sourceText(20_000)];

const [FEW_CHANGED, MANY_CHANGED] = [rewriteLines(FEW, 10), rewriteLines(MANY, 30)];

const LARGE_TEXT_REWRITTEN = rewriteLines(MANY, 100);

const [editOne, editTwo] = [proposeEdit(ONE_MEGABYTE), proposeEdit(TWO_MEGABYTES)];

/** What it costs to propose a change to a large file; times hold for the machine, ratios anywhere. */
export const EDIT_ROWS: readonly BenchmarkRow[] = [
  timedRow('an edit of 1 MB proposed', editOne),
  timedRow('an edit of 2 MB proposed', editTwo),
  ratioRow('the same of 1 MB against a plain scan', 'at most 12', editOne, () => void countNewlines(ONE_MEGABYTE)),
  {
    name: 'createTwoFilesPatch of 1 MB against it, blob hash apart',
    unit: '× (at least 5)',
    sample: () => libraryPatchRatio(ONE_MEGABYTE, editOne),
  },
  {
    name: 'the same of 2 MB',
    unit: '× (at least 5)',
    sample: () => libraryPatchRatio(TWO_MEGABYTES, editTwo),
  },
  ratioRow('an edit of 2 MB against one of 1 MB', 'about 2', editTwo, editOne),
  timedRow('diff of 5,000 lines, 10 % changed (goal: 15)', () => diffTexts(FEW, FEW_CHANGED)),
  timedRow('diff of 20,000 lines, 30 % changed (goal: 100)', () => diffTexts(MANY, MANY_CHANGED)),
  timedRow('diff of 20,000 lines, all changed (goal: 100)', () => diffTexts(MANY, LARGE_TEXT_REWRITTEN)),
  ratioRow(
    'diffLines of 5,000 lines, 10 % changed, against it',
    'at least 5',
    () => void diffLines(FEW, FEW_CHANGED),
    () => diffTexts(FEW, FEW_CHANGED),
  ),
  timedRow(
    'search for what resembles a text in 20,000 lines (goal: 100)',
    () => void findNearMatches(MANY, 'const totals100 = price(orders, 1);\nconst other = price(order);\n'),
  ),
];

const BEFORE = Array.from({ length: 12_000 }, (_, index) => `${index}\n`).join('');

const CHANGE = write('src/a.ts', BEFORE, BEFORE.replaceAll('\n', 'x\n'));

const MANY_LINES = Buffer.from('a\n'.repeat(995_000));

const LONG_LINE = Buffer.from('a'.repeat(1_990_000));

/** A new file of nothing but fences, and one line changed in a file of a million: both cost most to be read back. */
const FENCE_FILE = write('src/a.md', null, '```\n'.repeat(45_000));

const TINY_LINES = 'a\n'.repeat(990_000);

const ONE_LINE_EDIT = edit('src/a.ts', `${TINY_LINES}b\n`, 'b', 'c');

function renderComments(change = CHANGE): NonNullable<ReturnType<typeof renderOpenProposal>> {
  const comments = renderOpenProposal(view(proposal(change), inConversation));
  if (comments === null) throw new Error('It cannot be shown.');
  return comments;
}

function createReadBack(change: typeof CHANGE, baseText: string): () => void {
  const comments = renderComments(change);
  return () => {
    const meant = { change, placement: inConversation, baseText };
    if (!proposalRoundTrips(comments, meant)) throw new Error('The page does not show the change.');
  };
}

const READ_BACKS = [
  createReadBack(CHANGE, BEFORE),
  createReadBack(FENCE_FILE, ''),
  createReadBack(ONE_LINE_EDIT, `${TINY_LINES}b\n`),
];

function searchBytes(bytes: Uint8Array): number {
  return searchFile(NO_SEARCH_RESULTS, { path: 'src/a.ts', bytes, pattern: 'a' }).total;
}

const ARGUMENT_READINGS = WORST_CASE_ARGUMENTS.map(
  ([, written]) =>
    (workOut: Offload) =>
      parseWorstCase(written, workOut),
);

function createDraft(change: typeof CHANGE, baseText: string): (workOut: Offload) => unknown {
  const { links, warnings, writable, proposal: drafting } = view(proposal(change), inConversation);
  const context = { runDetails: { warnings, writable }, links, baseText, file: undefined };
  return (workOut) => workOut('draftCommentsAt', { proposal: drafting, placement: inConversation, context });
}

const COMMENT_DRAFTS = [createDraft(CHANGE, BEFORE), createDraft(FENCE_FILE, '')];

/** What the longest of these takes where it is worked out (ms). */
function longestOffloaded(calls: readonly ((workOut: Offload) => unknown)[]): number {
  return longestMs(calls.map((call) => () => call(offloadInline)));
}

function longestMs(works: readonly (() => unknown)[]): number {
  return Math.max(...works.map(measureMs));
}

/**
 * What comes before and after a change is worked out: arguments are read, files searched, pages written and read back.
 */
export const COMMENT_ROWS: readonly BenchmarkRow[] = [
  {
    name: `the longest of ${ARGUMENT_READINGS.length} readings of arguments of up to 6,000,000 letters: what this process's own thread has to do (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestOwnThreadMs(ARGUMENT_READINGS),
  },
  { name: 'the same read, in the thread beside it', unit: 'ms', sample: () => longestOffloaded(ARGUMENT_READINGS) },
  {
    name: 'a pattern on every line, or everywhere in one line, of 2 MB (H6, goal: 50)',
    unit: 'ms',
    sample: () => longestMs([() => searchBytes(MANY_LINES), () => searchBytes(LONG_LINE)]),
  },
  {
    name: "diffs of 24,000 short lines and of 45,000 fences made into comments: what this process's own thread has to do (goal: 50)",
    unit: 'ms',
    sample: () => longestOwnThreadMs(COMMENT_DRAFTS),
  },
  {
    name: 'the same made and read back, in the thread beside it',
    unit: 'ms',
    sample: () => longestOffloaded(COMMENT_DRAFTS),
  },
  {
    name: 'the longest of these, and of one line in a million, read back as GitHub reads them (goal: 50)',
    unit: 'ms',
    sample: () => longestMs(READ_BACKS),
  },
];
