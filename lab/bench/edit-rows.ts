import { createTwoFilesPatch, diffLines } from 'diff';
import { NO_SEARCH_RESULTS, searchFile } from '../../src/core/agent/tools/file-search.ts';
import { buildEdit } from '../../src/core/edits/build/build-edit.ts';
import { formatUnifiedDiff, refineBlock } from '../../src/core/edits/build/unified-diff.ts';
import { choosePlacement } from '../../src/core/edits/placement.ts';
import { blobSha } from '../../src/core/edits/text/characters.ts';
import { findNearMatches } from '../../src/core/edits/text/closest-text.ts';
import { createLineTable } from '../../src/core/edits/text/line-table.ts';
import { splitLines } from '../../src/core/edits/text/lines.ts';
import { renderOpenProposal } from '../../src/core/messages/proposal/proposal-comment.ts';
import { proposalRoundTrips } from '../../src/core/messages/proposal/read-back.ts';
import { findSecretRanges } from '../../src/lib/credentials.ts';
import { type Offload, offloadInline } from '../../src/worker/offload/offload.ts';
import { literal } from '../../test/unit/core/agent/tools/literal-query.ts';
import { changeOf, stored } from '../../test/unit/core/edits/samples.ts';
import { edit, inConversation, proposal, view, write } from '../../test/unit/core/messages/sample.ts';
import { type BenchmarkRow, longestMainThreadMs, measureMs } from './measure.ts';
import { MAX_FILE_BYTES, parseWorstCase, WORST_CASE_ARGUMENTS } from './worst-case-calls.ts';

/** A line like those of source code: lengths vary, some lines are blank, and most occur once. */
function sourceLine(index: number): string {
  if (index % 6 === 0) return '\n';
  return `${'  '.repeat(index % 4)}const total${index} = price(order, ${(index * 7919) % 5000});\n`;
}

function sourceText(count: number): string {
  return Array.from({ length: count }, (_, index) => sourceLine(index)).join('');
}

/** Replaces this percentage of the lines, spread evenly. */
function rewriteLines(text: string, percent: number): string {
  const lines = splitLines(text);
  return lines.map((line, index) => ((index * 37) % 100 < percent ? `  other(${index});\n` : line)).join('');
}

const LINES_PER_MEGABYTE = 30_000;

const ONE_MEGABYTE = sourceText(LINES_PER_MEGABYTE);

const TWO_MEGABYTES = sourceText(2 * LINES_PER_MEGABYTE).slice(0, MAX_FILE_BYTES);

/** An edit of two lines in the middle of a file: building the change and choosing its placement. */
function createEdit(text: string): () => void {
  const start = text.indexOf('\n', text.length / 2) + 1;
  const oldString = text.slice(start, text.indexOf('\n', start + 90) + 1);
  const newString = `${oldString}  checked();\n`;
  const file = stored(text);
  const line = text.slice(0, start).split('\n').length;
  const addedLines = text.slice(start).split('\n').slice(0, 8);
  const patch = `@@ -0,0 +${line},${addedLines.length} @@\n${addedLines.map((added) => `+${added}`).join('\n')}`;
  return () => {
    const change = changeOf(
      buildEdit({
        path: 'src/a.ts',
        repositoryName: 'shop',
        file,
        edits: [{ oldString, newString, replaceAll: false }],
      }),
    );
    const { kind } = choosePlacement({ change, baseText: text, patch, inPullRequest: true });
    if (kind !== 'suggestion') throw new Error('The edit is not shown as a suggestion block.');
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

/**
 * The time of the library's diff, divided by the time of the edit without its blob hash and its search for secrets, which
 * the library does not do.
 */
function libraryPatchRatio(text: string, edit: () => void): number {
  const { bytes } = stored(text);
  const others = measureMs(() => void blobSha(bytes)) + measureMs(() => void findSecretRanges(text));
  return measureMs(() => createLibraryPatch(text)) / (measureMs(edit) - others);
}

function diffTexts(before: string, after: string): void {
  const blocks = refineBlock({ index: 0, old: splitLines(before), new: splitLines(after) });
  formatUnifiedDiff({ path: 'src/a.ts', existedBefore: true, base: createLineTable(before), blocks });
}

function timedRow(name: string, work: () => void): BenchmarkRow {
  return { name, unit: 'ms', sample: () => measureMs(work) };
}

/** The time of `work` divided by that of `yardstick`. The unit names the goal. */
function ratioRow(name: string, goal: string, work: () => void, yardstick: () => void): BenchmarkRow {
  return { name, unit: `× (${goal})`, sample: () => measureMs(work) / measureMs(yardstick) };
}

const [FEW, MANY] = [sourceText(5000), sourceText(20_000)];

const [FEW_CHANGED, MANY_CHANGED] = [rewriteLines(FEW, 10), rewriteLines(MANY, 30)];

const MANY_REWRITTEN = rewriteLines(MANY, 100);

const [editOne, editTwo] = [createEdit(ONE_MEGABYTE), createEdit(TWO_MEGABYTES)];

/** Cost of changes to large files. Only the ratios can be compared between machines. */
export const EDIT_ROWS: readonly BenchmarkRow[] = [
  timedRow('edit in a file of 1 MB', editOne),
  timedRow('edit in a file of 2 MB', editTwo),
  timedRow('search for secrets in a file of 1 MB (goal: 25)', () => void findSecretRanges(ONE_MEGABYTE)),
  ratioRow(
    'edit in 1 MB, compared with counting its lines',
    'at most 12',
    editOne,
    () => void countNewlines(ONE_MEGABYTE),
  ),
  {
    name: 'createTwoFilesPatch of 1 MB, compared with the edit without blob hash and secrets',
    unit: '× (at least 5)',
    sample: () => libraryPatchRatio(ONE_MEGABYTE, editOne),
  },
  {
    name: 'createTwoFilesPatch of 2 MB, compared with the edit without blob hash and secrets',
    unit: '× (at least 5)',
    sample: () => libraryPatchRatio(TWO_MEGABYTES, editTwo),
  },
  ratioRow('edit in 2 MB, compared with an edit in 1 MB', 'about 2', editTwo, editOne),
  timedRow('diff of 5,000 lines, 10 % changed (goal: 15)', () => diffTexts(FEW, FEW_CHANGED)),
  timedRow('diff of 20,000 lines, 30 % changed (goal: 100)', () => diffTexts(MANY, MANY_CHANGED)),
  timedRow('diff of 20,000 lines, all changed (goal: 100)', () => diffTexts(MANY, MANY_REWRITTEN)),
  ratioRow(
    'diffLines of 5,000 lines, 10 % changed, compared with our diff',
    'at least 5',
    () => void diffLines(FEW, FEW_CHANGED),
    () => diffTexts(FEW, FEW_CHANGED),
  ),
  timedRow(
    'search for near matches in 20,000 lines (goal: 100)',
    () => void findNearMatches(MANY, 'const totals100 = price(orders, 1);\nconst other = price(order);\n'),
  ),
];

const BEFORE = Array.from({ length: 12_000 }, (_, index) => `${index}\n`).join('');

const CHANGE = write('src/a.ts', BEFORE, BEFORE.replaceAll('\n', 'x\n'));

const MANY_LINES = Buffer.from('a\n'.repeat(MAX_FILE_BYTES / 2));

const LONG_LINE = Buffer.from('a'.repeat(MAX_FILE_BYTES));

/** This new file and the edit of one line in a million below are the slowest known changes to read back. */
const FENCE_FILE = write('src/a.md', null, '```\n'.repeat(45_000));

const TINY_LINES = 'a\n'.repeat(990_000);

const ONE_LINE_EDIT = edit('src/a.ts', `${TINY_LINES}b\n`, 'b', 'c');

function renderComments(change = CHANGE): NonNullable<ReturnType<typeof renderOpenProposal>> {
  const comments = renderOpenProposal(view(proposal(change), inConversation));
  if (comments === null) throw new Error('The proposal cannot be shown.');
  return comments;
}

function createReadBack(change: typeof CHANGE, baseText: string): () => void {
  const comments = renderComments(change);
  return () => {
    const expected = { change, placement: inConversation, memberTexts: [baseText] };
    if (!proposalRoundTrips(comments, expected)) throw new Error('The comments do not show the change.');
  };
}

const READ_BACKS = [
  createReadBack(CHANGE, BEFORE),
  createReadBack(FENCE_FILE, ''),
  createReadBack(ONE_LINE_EDIT, `${TINY_LINES}b\n`),
];

function searchBytes(bytes: Uint8Array): number {
  return searchFile(NO_SEARCH_RESULTS, { path: 'src/a.ts', bytes }, literal('a')).total;
}

/** A pattern that matches on every line, after the text that the literal search looks for. */
const PATTERN = { ...literal('a\\s*$'), regex: true };

/** How many times as long the same file takes with a pattern. */
function patternCost(bytes: Uint8Array): number {
  const file = { path: 'src/a.ts', bytes };
  const literalMs = measureMs(() => searchFile(NO_SEARCH_RESULTS, file, literal('a')));
  return measureMs(() => searchFile(NO_SEARCH_RESULTS, file, PATTERN)) / literalMs;
}

const ARGUMENT_PARSES = WORST_CASE_ARGUMENTS.map(
  ([, json]) =>
    (offload: Offload) =>
      parseWorstCase(json, offload),
);

function createDraft(change: typeof CHANGE, baseText: string): (offload: Offload) => unknown {
  const { links, warnings, writable, protectedPaths, proposal: draft } = view(proposal(change), inConversation);
  const context = {
    runDetails: { warnings, writable, protectedPaths },
    links,
    memberTexts: [baseText],
    file: undefined,
    path: change.path,
  };
  return (offload) => offload('draftCommentsAt', { proposal: draft, placement: inConversation, context });
}

const COMMENT_DRAFTS = [createDraft(CHANGE, BEFORE), createDraft(FENCE_FILE, '')];

/** The longest computation of these calls, in ms, without sending its input to another thread. */
function longestInlineMs(calls: readonly ((offload: Offload) => unknown)[]): number {
  return longestMs(calls.map((call) => () => call(offloadInline)));
}

function longestMs(works: readonly (() => unknown)[]): number {
  return Math.max(...works.map(measureMs));
}

/** Cost of the steps around a change: parsing arguments, searching files, rendering comments and reading them back. */
export const COMMENT_ROWS: readonly BenchmarkRow[] = [
  {
    name: `slowest of ${ARGUMENT_PARSES.length} arguments of up to 6,000,000 characters, parsed: time of the main thread (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestMainThreadMs(ARGUMENT_PARSES),
  },
  {
    name: 'slowest of the same arguments, parsed: time of the offload thread',
    unit: 'ms',
    sample: () => longestInlineMs(ARGUMENT_PARSES),
  },
  {
    name: 'search of 2 MB for a pattern on every line, or everywhere in one line (H6, goal: 50)',
    unit: 'ms',
    sample: () => longestMs([() => searchBytes(MANY_LINES), () => searchBytes(LONG_LINE)]),
  },
  {
    name: 'search of 2 MB of short lines with a regular expression (S142): time in the offload thread, in times of a literal search',
    unit: 'times',
    sample: () => patternCost(MANY_LINES),
  },
  {
    name: 'comments for diffs of 24,000 short lines and of 45,000 fences: time of the main thread (goal: 50)',
    unit: 'ms',
    sample: () => longestMainThreadMs(COMMENT_DRAFTS),
  },
  {
    name: 'comments for the same diffs, rendered and read back: time of the offload thread',
    unit: 'ms',
    sample: () => longestInlineMs(COMMENT_DRAFTS),
  },
  {
    name: 'slowest of these comments, and of an edit of one line in a million, read back as GitHub does (goal: 50)',
    unit: 'ms',
    sample: () => longestMs(READ_BACKS),
  },
];
