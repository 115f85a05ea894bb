import { createTwoFilesPatch, diffLines } from 'diff';
import { blobSha } from '../src/change/blob.ts';
import { buildEdit } from '../src/change/build-edit.ts';
import { lineTable } from '../src/change/line-table.ts';
import { splitLines } from '../src/change/lines.ts';
import { nearMatches } from '../src/change/near-match.ts';
import { placeChange } from '../src/change/placement.ts';
import { refineBlock, unifiedDiff } from '../src/change/unified-diff.ts';
import { changeOf, stored } from '../test/change/samples.ts';
import { cost, type Row } from './measure.ts';

/** Lines as source code has them: of different lengths, some blank, most of them standing once. */
function sourceLine(index: number): string {
  if (index % 6 === 0) return '\n';
  return `${'  '.repeat(index % 4)}const total${index} = price(order, ${(index * 7919) % 5000});\n`;
}

function source(count: number): string {
  return Array.from({ length: count }, (_, index) => sourceLine(index)).join('');
}

/** The text with so many of a hundred lines written anew, spread evenly. */
function rewritten(text: string, percent: number): string {
  const lines = splitLines(text);
  return lines.map((line, index) => ((index * 37) % 100 < percent ? `  other(${index});\n` : line)).join('');
}

const LINES_PER_MEGABYTE = 30_000;
const ONE = source(LINES_PER_MEGABYTE);
const TWO = source(2 * LINES_PER_MEGABYTE).slice(0, 1_990_000);

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
      buildEdit({ path: 'src/a.ts', sandbox: 'shop', file, oldString, newString, replaceAll: false }),
    );
    const { kind } = placeChange({ change, baseText: text, patch, inPullRequest: true });
    if (kind !== 'suggestion') throw new Error('The edit is no suggestion block.');
  };
}

function scan(text: string): number {
  let lines = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) === 10) lines += 1;
  return lines;
}

function libraryPatch(text: string): void {
  const start = text.indexOf('\n', text.length / 2) + 1;
  createTwoFilesPatch('a', 'b', text, `${text.slice(0, start)}  checked();\n${text.slice(start)}`);
}

/** How many times what the edit takes, the hash of its bytes apart, the library's diff takes. */
function patchAgainst(text: string, edit: () => void): number {
  const { bytes } = stored(text);
  return cost(() => libraryPatch(text)) / (cost(edit) - cost(() => void blobSha(bytes)));
}

function diffOf(before: string, after: string): void {
  const blocks = refineBlock({ index: 0, old: splitLines(before), new: splitLines(after) });
  unifiedDiff({ path: 'src/a.ts', exists: true, base: lineTable(before), blocks });
}

function timed(name: string, work: () => void): Row {
  return { name, unit: 'ms', sample: () => cost(work) };
}

/** How many times what the second takes the first one does, both measured at once; the goal stands in the unit. */
function ratio(name: string, goal: string, work: () => void, yardstick: () => void): Row {
  return { name, unit: `× (${goal})`, sample: () => cost(work) / cost(yardstick) };
}

const [FEW, MANY] = [source(5000), source(20_000)];
const [FEW_CHANGED, MANY_CHANGED] = [rewritten(FEW, 10), rewritten(MANY, 30)];
const ALL_CHANGED = rewritten(MANY, 100);
const [editOne, editTwo] = [proposeEdit(ONE), proposeEdit(TWO)];

/** What it costs to propose a change to a large file; times hold for the machine, ratios anywhere. */
export const CHANGE_ROWS: readonly Row[] = [
  timed('an edit of 1 MB proposed', editOne),
  timed('an edit of 2 MB proposed', editTwo),
  ratio('the same of 1 MB against a plain scan', 'at most 12', editOne, () => void scan(ONE)),
  {
    name: 'createTwoFilesPatch of 1 MB against it, blob hash apart',
    unit: '× (at least 5)',
    sample: () => patchAgainst(ONE, editOne),
  },
  {
    name: 'the same of 2 MB',
    unit: '× (at least 5)',
    sample: () => patchAgainst(TWO, editTwo),
  },
  ratio('an edit of 2 MB against one of 1 MB', 'about 2', editTwo, editOne),
  timed('diff of 5,000 lines, 10 % changed (goal: 15)', () => diffOf(FEW, FEW_CHANGED)),
  timed('diff of 20,000 lines, 30 % changed (goal: 100)', () => diffOf(MANY, MANY_CHANGED)),
  timed('diff of 20,000 lines, all changed (goal: 100)', () => diffOf(MANY, ALL_CHANGED)),
  ratio(
    'diffLines of 5,000 lines, 10 % changed, against it',
    'at least 5',
    () => void diffLines(FEW, FEW_CHANGED),
    () => diffOf(FEW, FEW_CHANGED),
  ),
  timed(
    'search for what resembles a text in 20,000 lines (goal: 100)',
    () => void nearMatches(MANY, 'const totals100 = price(orders, 1);\nconst other = price(order);\n'),
  ),
];
