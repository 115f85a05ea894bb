import type { ParsedCall } from '../../src/core/agent/parse-call.ts';
import { createRegionPattern, locateRegion } from '../../src/core/edits/locate-region.ts';
import { createLineRun, createLineTable, findLineRuns } from '../../src/core/edits/text/line-table.ts';
import { toAssessable } from '../../src/core/policy/staleness.ts';
import type { FileAtHead } from '../../src/core/state/head-changes.ts';
import type { Offload } from '../../src/worker/offload/offload.ts';
import { editOf, stored } from '../../test/unit/core/edits/samples.ts';

const MAX_ARGUMENT_LENGTH = 5_900_000;

const contentArgument = (written: string): string => `{"path":"a","content":${written}}`;

const repeatedText = (written: string): string =>
  contentArgument(`"${written.repeat(Math.floor(MAX_ARGUMENT_LENGTH / written.length))}"`);

/** Arguments of `write_file` as a model writes them, and some that were made up to keep the process busy. */
export const WORST_CASE_ARGUMENTS: readonly (readonly [name: string, written: string])[] = [
  ['source code', contentArgument(JSON.stringify('const total = price(order);\n'.repeat(71_000)))],
  ['line feeds', repeatedText('\\n')],
  ['quotes', repeatedText('\\"')],
  ['backslashes', repeatedText('\\\\')],
  ['letters by their numbers', repeatedText('\\u00e9')],
  ['blanks', contentArgument(`${' '.repeat(MAX_ARGUMENT_LENGTH)}""`)],
  ['a long number', contentArgument('1'.repeat(MAX_ARGUMENT_LENGTH))],
  ['a string without an end', `{"content":"${'a'.repeat(MAX_ARGUMENT_LENGTH)}`],
  ['lists in lists', contentArgument('['.repeat(MAX_ARGUMENT_LENGTH / 2) + ']'.repeat(MAX_ARGUMENT_LENGTH / 2))],
  ['a long list', contentArgument(`[${'[],'.repeat(MAX_ARGUMENT_LENGTH / 3)}[]]`)],
  ['long keys', `{${Array.from({ length: 300 }, (_, at) => `"${'k'.repeat(18_000)}${at}":0`).join(',')}}`],
  ['many keys', `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":0`).join(',')}}`],
];

/** Reads such arguments. */
export function parseWorstCase(written: string, workOut: Offload): Promise<ParsedCall> {
  return workOut('parseCall', { name: 'write_file', arguments: written });
}

/** As many lines as a region may have on one side, and a file of such lines that is as large as one may be. */
const MAX_REGION_LINES = 24_900;

const TINY_LINE_FILE = 'a\r\n'.repeat(660_000);

function findLines(text: string, sought: readonly string[]): () => unknown {
  return () => findLineRuns(createLineTable(text), createLineRun(sought), 2);
}

function tinyLines(count: number): string[] {
  return new Array<string>(count).fill('a\r\n');
}

/** A region of so many such lines with their neighbours. */
function createRegion(count: number) {
  const some = tinyLines(3);
  return {
    oldStart: 4,
    newStart: 4,
    before: some,
    old: tinyLines(count),
    new: [...tinyLines(count - 1), 'b\r\n'],
    after: some,
  };
}

/** What is worked out of a head that moved. */
type OffloadedCall = (workOut: Offload) => unknown;

function fileAtHead(blob: string, text: string): FileAtHead {
  return { blob, mode: '100644', text };
}

/** A change of many lines in a file above which somebody else has added a line since. */
function movedChange(): OffloadedCall {
  const between = 'b\n'.repeat(MAX_REGION_LINES - 2);
  const text = `${'a\r\n'.repeat(500_000)}x\n${between}y\n${'a\r\n'.repeat(9)}`;
  const change = editOf(text, `x\n${between}y\n`, `v\n${between}w\n`);
  const pending = [{ id: 'k7q2', change: toAssessable(change) }];
  return (workOut) => workOut('assessFile', { file: fileAtHead('0', `z\r\n${text}`), pending, appCommits: [] });
}

/** A push that made one change of such a file. */
function pushedChange(): OffloadedCall {
  const baseText = `x\r\n${TINY_LINE_FILE}x\r\n`;
  const pending = [{ id: 'k7q2', change: toAssessable(editOf(baseText, `x\n${'a\n'.repeat(3)}`, 'y\n')) }];
  const headText = baseText.replaceAll('\r\n', '\n').replace('x\na\na\na\n', 'y\n');
  const push = {
    before: fileAtHead('0', baseText),
    after: fileAtHead('1', headText),
    pending: pending,
    appCommits: [],
  };
  return (workOut) => workOut('assessPush', push);
}

/** A push to a file for which ten changes of so many lines wait: none of them stands there any more, or each was made. */
function pushedManyChanges(made: boolean): OffloadedCall {
  const sides = Array.from({ length: 10 }, (_, which) => {
    const old = Array.from({ length: MAX_REGION_LINES }, (_line, at) => `a${(at + which) % 7}\r\n`);
    return { old, new: [...old.slice(1), `b${which}\r\n`] };
  });
  const some = ['x\r\n', 'y\r\n', 'z\r\n'];
  const textOf = (side: 'old' | 'new') => sides.map((one) => [...some, ...one[side], ...some].join('')).join('');
  const change = toAssessable(editOf('a\nb\n', 'a', 'c'));
  const pending = sides.map((one, which) => {
    const start = 4 + which * (MAX_REGION_LINES + 2 * some.length);
    const region = { oldStart: start, newStart: start, before: some, ...one, after: some };
    return { id: `k7q${which}`, change: { ...change, region } };
  });
  const before = fileAtHead('0', made ? textOf('old') : TINY_LINE_FILE);
  const now = fileAtHead('1', made ? textOf('new') : `${TINY_LINE_FILE}x\n`);
  return (workOut) => workOut('assessPush', { before, after: now, pending, appCommits: [] });
}

/** Lines looked for in files of many tiny ones that end with CRLF: when a change is built, and when a head has moved. */
const LOCATION_CALLS: readonly (readonly [name: string, call: OffloadedCall])[] = [
  ['tiny lines with CRLF that stand nowhere', findLines(TINY_LINE_FILE, [...tinyLines(MAX_REGION_LINES), 'b\r\n'])],
  [
    'tiny lines with CRLF around one that stands nowhere',
    findLines(TINY_LINE_FILE, [...tinyLines(12_000), 'b\r\n', ...tinyLines(12_000)]),
  ],
  [
    'tiny lines with CRLF that all but stand in many places',
    findLines(`${'a\r\n'.repeat(24_000)}b\r\n`.repeat(27), [
      'b\r\n',
      ...tinyLines(24_000),
      'b\r\n',
      ...tinyLines(800),
      'c\r\n',
    ]),
  ],
  [
    'tiny lines with CRLF that stand everywhere',
    () => ({
      place: locateRegion(createLineTable(TINY_LINE_FILE), createRegionPattern(createRegion(MAX_REGION_LINES))),
    }),
  ],
  ['a change of many lines judged where they moved', movedChange()],
  ['a push read in a file of tiny lines with CRLF', pushedChange()],
  ['a push where none of ten changes of many lines stands any more', pushedManyChanges(false)],
  ['a push that made ten changes of many lines', pushedManyChanges(true)],
];

const MAX_BYTES = 1_990_000;

const [path, repositoryName] = ['src/a.ts', 'shop'];

function lines(count: number, word: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${word(index)}\n`).join('');
}

/** Something that is worked out in this way, or at once where it always is. */
type WorstCaseCall = (workOut: Offload) => unknown;

function editCall(text: string, oldString: string, newString: string, replaceAll = false): WorstCaseCall {
  const file = stored(text);
  return (workOut) => workOut('buildEdit', { path, repositoryName, file, oldString, newString, replaceAll });
}

function writeCall(text: string, content: string): WorstCaseCall {
  const file = stored(text);
  return (workOut) => workOut('buildWrite', { path, repositoryName, file, content, lastReadBlob: file.ref.blob });
}

function readCall(text: string): WorstCaseCall {
  const { ref, bytes } = stored(text);
  return (workOut) => workOut('formatFileContent', { path, blob: ref.blob, bytes, start: null, end: null });
}

function moveCall(text: string): WorstCaseCall {
  const file = stored(text);
  return (workOut) => workOut('buildMove', { from: path, to: 'src/b.ts', repositoryName, file });
}

/** Whether an edit that was refused depends on another one. */
function searchCall(text: string, what: string): WorstCaseCall {
  const { bytes } = stored(text);
  return (workOut) => workOut('isFoundAfterEdit', { bytes, searchText: what, region: null });
}

/** A text without a period that is as like itself, moved, as any can be: the hardest one for a search. */
function fibonacciWord(length: number): string {
  let [before, text] = ['a', 'ab'];
  while (text.length < length) [before, text] = [text, text + before];
  return text.slice(0, length);
}

const repeatLine = (word: string): string => `${word}\n`.repeat(MAX_BYTES / (word.length + 1));

const source = lines(50_000, (at) => `${'  '.repeat(at % 4)}const total${at} = price(${at});`).slice(0, MAX_BYTES);

const EVERY_TENTH_LINE = lines(20_000, (at) => (at % 10 === 0 ? `new ${at}` : `line ${at}`));

const LINE_COUNT = 24_900;

const NON_ASCII_LINES = `é\r\n${'a\r\n'.repeat(660_000)}`;

const INDENTED_LINES = lines(30_000, (at) => `  ${at}  x${at}\t\r`);

/** Calls that models make, and calls that were made up to keep the process busy. */
export const WORST_CASE_CALLS: readonly (readonly [name: string, call: WorstCaseCall])[] = [
  ['an edit of a line', editCall(source, 'total25001 =', 'sum =')],
  ['an edit that stands nowhere', editCall(source, 'const totals25001 = price(25001, 2);', 'x')],
  [
    '2,000 of 20,000 lines rewritten',
    writeCall(
      lines(20_000, (at) => `line ${at}`),
      EVERY_TENTH_LINE,
    ),
  ],
  [
    '20,000 lines, all different',
    writeCall(
      lines(20_000, (at) => `old ${at}`),
      lines(20_000, (at) => `new ${at}`),
    ),
  ],
  [
    'lines the other way round',
    writeCall(
      lines(LINE_COUNT, (at) => `${at}`),
      lines(LINE_COUNT, (at) => `${LINE_COUNT - at}`),
    ),
  ],
  [
    'lines mixed differently',
    writeCall(
      lines(LINE_COUNT, (at) => `${(at * 37) % 700}`),
      lines(LINE_COUNT, (at) => `${(at * 41) % 700}`),
    ),
  ],
  ['tiny lines over others', writeCall(repeatLine('a'), repeatLine('b'))],
  ['tiny lines in a file with CRLF', writeCall(repeatLine('a\r'), repeatLine('b').slice(0, 1_200_000))],
  ['an edit behind tiny lines', editCall(`${repeatLine('a')}bb\n`, 'bb', 'c')],
  [
    'two lines behind tiny lines with CRLF',
    editCall(`${repeatLine('a\r').slice(0, -12)}bb\r\ncc\r\n`, 'bb\ncc', 'd\ne'),
  ],
  ['line feeds replaced', editCall('\n'.repeat(MAX_BYTES), '\n', 'a', true)],
  ['overlapping matches', editCall('a'.repeat(MAX_BYTES), 'aa', 'b')],
  ['half of one letter repeated', editCall('a'.repeat(MAX_BYTES), 'a'.repeat(MAX_BYTES / 2), 'b')],
  ['a periodic text but for its end', editCall('ab'.repeat(MAX_BYTES / 2), `${'ab'.repeat(MAX_BYTES / 4)}c`, 'd')],
  ['tiny lines but for their end', editCall(repeatLine('a'), `${repeatLine('a').slice(0, MAX_BYTES / 2)}bb`, 'd')],
  [
    'tiny lines with CRLF but for their end',
    editCall(repeatLine('a\r'), `${repeatLine('a').slice(0, MAX_BYTES / 2)}bb`, 'd\ne'),
  ],
  [
    'a text that repeats itself at ever greater length',
    editCall(fibonacciWord(MAX_BYTES), `${fibonacciWord(MAX_BYTES / 2)}c`, 'd'),
  ],
  ['every short line replaced', editCall('some words\n'.repeat(LINE_COUNT), 'words', 'others', true)],
  ['letters of one line replaced', editCall('ab'.repeat(50_000), 'a', 'c', true)],
  ['a long text in many places', editCall('a\r\n'.repeat(LINE_COUNT), 'a', 'x\ny'.repeat(4000), true)],
  ['what resembles a million letters', editCall(source, source.slice(0, 1_000_000).replaceAll('total', 'totl'), 'x')],
  ['blanks before short lines', editCall('x\n', `${' '.repeat(400_000)}ab\n${'c\n'.repeat(29_000)}`, 'y')],
  [
    'lines that all end like the first',
    editCall(`x\n${repeatLine('xx')}z\n`, `x\n${repeatLine('xx')}z\n`, `y\n${repeatLine('xx')}z\n`),
  ],
  ['many lines with CRLF replaced', editCall('a\r\nb\r\n'.repeat(50_000), 'a\n', 'c\nd\n', true)],
  [
    'tiny lines with CRLF replaced by others',
    editCall(repeatLine('a\r'), repeatLine('a').slice(0, MAX_BYTES / 2), repeatLine('b').slice(0, MAX_BYTES / 2)),
  ],
  ['a line added behind each of many with CRLF', editCall('a\r\nb\r\n'.repeat(50_000), 'a\n', 'a\nd\n', true)],
  ['each of many lines with CRLF doubled', editCall('a\r\n'.repeat(50_000), 'a\n', 'a\na\n', true)],
  [
    'what resembles one of 100,000 tiny lines',
    editCall(
      lines(100_000, (at) => `${at % 97}`),
      '98x\n',
      'y',
    ),
  ],
  [
    'what resembles lines with CRLF and many blanks',
    editCall(`${INDENTED_LINES}y\r\n`, `${INDENTED_LINES.slice(0, 400_000)}x`, 'y'),
  ],
  ['tiny lines with CRLF behind a letter beyond ASCII', editCall(NON_ASCII_LINES, 'é\n', 'é\nx\n')],
  [
    'the same written anew but for one line',
    writeCall(NON_ASCII_LINES, `é\n${repeatLine('a').slice(0, 1_320_000 - 2)}b\n`),
  ],
  ['tiny lines read', readCall(repeatLine('a'))],
  ['a file of 20 MB moved', moveCall('é\r\n'.repeat(4_900_000))],
  ['what an edit depends on', searchCall('a'.repeat(MAX_BYTES), `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`)],
  ...LOCATION_CALLS,
];
