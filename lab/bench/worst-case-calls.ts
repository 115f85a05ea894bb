import type { ParsedCall } from '../../src/core/agent/tools/parse-call.ts';
import { createRegionPattern, locateRegion } from '../../src/core/edits/locate-region.ts';
import { createLineRun, createLineTable, findLineRuns } from '../../src/core/edits/text/line-table.ts';
import { toAssessable } from '../../src/core/policy/staleness.ts';
import type { FileAtHead } from '../../src/core/state/head-changes.ts';
import type { Offload } from '../../src/worker/offload/offload.ts';
import { editOf, stored } from '../../test/unit/core/edits/samples.ts';

const MAX_ARGUMENT_LENGTH = 5_900_000;

const contentArgument = (json: string): string => `{"path":"a","content":${json}}`;

const repeatedText = (escaped: string): string =>
  contentArgument(`"${escaped.repeat(Math.floor(MAX_ARGUMENT_LENGTH / escaped.length))}"`);

/** The JSON arguments of `write_file`, normal and hostile. */
export const WORST_CASE_ARGUMENTS: readonly (readonly [name: string, json: string])[] = [
  ['source code', contentArgument(JSON.stringify('const total = price(order);\n'.repeat(71_000)))],
  ['line feeds', repeatedText('\\n')],
  ['quotes', repeatedText('\\"')],
  ['backslashes', repeatedText('\\\\')],
  ['escaped characters', repeatedText('\\u00e9')],
  ['spaces', contentArgument(`${' '.repeat(MAX_ARGUMENT_LENGTH)}""`)],
  ['a long number', contentArgument('1'.repeat(MAX_ARGUMENT_LENGTH))],
  ['an unclosed string', `{"content":"${'a'.repeat(MAX_ARGUMENT_LENGTH)}`],
  ['nested lists', contentArgument('['.repeat(MAX_ARGUMENT_LENGTH / 2) + ']'.repeat(MAX_ARGUMENT_LENGTH / 2))],
  ['a long list', contentArgument(`[${'[],'.repeat(MAX_ARGUMENT_LENGTH / 3)}[]]`)],
  ['long keys', `{${Array.from({ length: 300 }, (_, at) => `"${'k'.repeat(18_000)}${at}":0`).join(',')}}`],
  ['many keys', `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":0`).join(',')}}`],
];

export function parseWorstCase(json: string, offload: Offload): Promise<ParsedCall> {
  return offload('parseCall', { name: 'write_file', arguments: json });
}

/** The bytes of a file just below the size limit. */
export const MAX_FILE_BYTES = 1_990_000;

/** The lines of one side of a region just below its limit. */
export const MAX_REGION_LINES = 24_900;

const TINY_LINE_FILE = 'a\r\n'.repeat(660_000);

function findLines(text: string, lines: readonly string[]): () => unknown {
  return () => findLineRuns(createLineTable(text), createLineRun(lines), 2);
}

function tinyLines(count: number): string[] {
  return new Array<string>(count).fill('a\r\n');
}

/** A region of `count` tiny lines with its context lines. */
function createRegion(count: number) {
  const context = tinyLines(3);
  return {
    oldStart: 4,
    newStart: 4,
    before: context,
    old: tinyLines(count),
    new: [...tinyLines(count - 1), 'b\r\n'],
    after: context,
  };
}

/** A computation, done with `offload` where the App offloads it. */
type WorstCaseCall = (offload: Offload) => unknown;

function fileAtHead(blob: string, text: string): FileAtHead {
  return { blob, mode: '100644', text };
}

/** A change of many lines that a new line at the top of the file has moved. */
function movedChange(): WorstCaseCall {
  const between = 'b\n'.repeat(MAX_REGION_LINES - 2);
  const text = `${'a\r\n'.repeat(500_000)}x\n${between}y\n${'a\r\n'.repeat(9)}`;
  const change = editOf(text, `x\n${between}y\n`, `v\n${between}w\n`);
  const pending = [{ id: 'k7q2', change: toAssessable(change) }];
  return (offload) => offload('assessFile', { file: fileAtHead('0', `z\r\n${text}`), pending, appCommits: [] });
}

/** A push that contains one change of a file of tiny lines. */
function pushedChange(): WorstCaseCall {
  const baseText = `x\r\n${TINY_LINE_FILE}x\r\n`;
  const pending = [{ id: 'k7q2', change: toAssessable(editOf(baseText, `x\n${'a\n'.repeat(3)}`, 'y\n')) }];
  const headText = baseText.replaceAll('\r\n', '\n').replace('x\na\na\na\n', 'y\n');
  const push = {
    before: fileAtHead('0', baseText),
    after: fileAtHead('1', headText),
    pending,
    appCommits: [],
  };
  return (offload) => offload('assessPush', push);
}

/** A push to a file with ten pending changes of many lines. It contains each of them, or removed their lines. */
function pushedManyChanges(containsChanges: boolean): WorstCaseCall {
  const sides = Array.from({ length: 10 }, (_, change) => {
    const old = Array.from({ length: MAX_REGION_LINES }, (_line, index) => `a${(index + change) % 7}\r\n`);
    return { old, new: [...old.slice(1), `b${change}\r\n`] };
  });
  const context = ['x\r\n', 'y\r\n', 'z\r\n'];
  const textOf = (side: 'old' | 'new') =>
    sides.map((lines) => [...context, ...lines[side], ...context].join('')).join('');
  const anyChange = toAssessable(editOf('a\nb\n', 'a', 'c'));
  const pending = sides.map((lines, index) => {
    const start = 4 + index * (MAX_REGION_LINES + 2 * context.length);
    const region = { oldStart: start, newStart: start, before: context, ...lines, after: context };
    return { id: `k7q${index}`, change: { ...anyChange, region } };
  });
  const before = fileAtHead('0', containsChanges ? textOf('old') : TINY_LINE_FILE);
  const after = fileAtHead('1', containsChanges ? textOf('new') : `${TINY_LINE_FILE}x\n`);
  return (offload) => offload('assessPush', { before, after, pending, appCommits: [] });
}

/** Searches for lines in files of many tiny lines with CRLF, when a change is built and after a push. */
const LOCATION_CALLS: readonly (readonly [name: string, call: WorstCaseCall])[] = [
  ['tiny lines with CRLF that do not occur', findLines(TINY_LINE_FILE, [...tinyLines(MAX_REGION_LINES), 'b\r\n'])],
  [
    'tiny lines with CRLF around one that does not occur',
    findLines(TINY_LINE_FILE, [...tinyLines(12_000), 'b\r\n', ...tinyLines(12_000)]),
  ],
  [
    'tiny lines with CRLF that almost occur in many places',
    findLines(`${'a\r\n'.repeat(24_000)}b\r\n`.repeat(27), [
      'b\r\n',
      ...tinyLines(24_000),
      'b\r\n',
      ...tinyLines(800),
      'c\r\n',
    ]),
  ],
  [
    'tiny lines with CRLF that occur everywhere',
    () => ({
      location: locateRegion(createLineTable(TINY_LINE_FILE), createRegionPattern(createRegion(MAX_REGION_LINES))),
    }),
  ],
  ['a change of many lines that has moved', movedChange()],
  ['a push to a file of tiny lines with CRLF', pushedChange()],
  ['a push that removed the lines of ten changes of many lines', pushedManyChanges(false)],
  ['a push that contains ten changes of many lines', pushedManyChanges(true)],
];

const [path, repositoryName] = ['src/a.ts', 'shop'];

function lines(count: number, lineAt: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${lineAt(index)}\n`).join('');
}

function editCall(text: string, oldString: string, newString: string, replaceAll = false): WorstCaseCall {
  const file = stored(text);
  const steps = [{ kind: 'edits', edits: [{ oldString, newString, replaceAll }] }] as const;
  return (offload) => offload('buildText', { path, repositoryName, file, steps, lastReadBlob: null });
}

function writeCall(text: string, content: string): WorstCaseCall {
  const file = stored(text);
  const steps = [{ kind: 'content', content }] as const;
  return (offload) => offload('buildText', { path, repositoryName, file, steps, lastReadBlob: file.ref.blob });
}

function readCall(text: string): WorstCaseCall {
  const { ref, bytes } = stored(text);
  return (offload) => offload('formatFileContent', { path, blob: ref.blob, bytes, start: null, end: null });
}

function moveCall(text: string): WorstCaseCall {
  const file = stored(text);
  return (offload) => offload('buildMove', { from: path, to: 'src/b.ts', repositoryName, file });
}

/** Checks whether a refused edit depends on a pending one. */
function dependencyCall(text: string, searchText: string): WorstCaseCall {
  const { bytes } = stored(text);
  return (offload) => offload('isFoundAfterEdit', { bytes, searchText, region: null });
}

/** A text without a period that resembles itself at many offsets: the hardest one to search. */
function fibonacciWord(length: number): string {
  let [previous, text] = ['a', 'ab'];
  while (text.length < length) [previous, text] = [text, text + previous];
  return text.slice(0, length);
}

const repeatLine = (line: string): string => `${line}\n`.repeat(MAX_FILE_BYTES / (line.length + 1));

const source = lines(50_000, (index) => `${'  '.repeat(index % 4)}const total${index} = price(${index});`).slice(
  0,
  MAX_FILE_BYTES,
);

const EVERY_TENTH_LINE = lines(20_000, (index) => (index % 10 === 0 ? `new ${index}` : `line ${index}`));

const NON_ASCII_LINES = `é\r\n${'a\r\n'.repeat(660_000)}`;

const INDENTED_LINES = lines(30_000, (index) => `  ${index}  x${index}\t\r`);

/** Normal tool calls, and hostile ones that take as long as possible. */
export const WORST_CASE_CALLS: readonly (readonly [name: string, call: WorstCaseCall])[] = [
  ['an edit of a line', editCall(source, 'total25001 =', 'sum =')],
  ['an edit whose text does not occur', editCall(source, 'const totals25001 = price(25001, 2);', 'x')],
  [
    '2,000 of 20,000 lines rewritten',
    writeCall(
      lines(20_000, (index) => `line ${index}`),
      EVERY_TENTH_LINE,
    ),
  ],
  [
    '20,000 lines, all changed',
    writeCall(
      lines(20_000, (index) => `old ${index}`),
      lines(20_000, (index) => `new ${index}`),
    ),
  ],
  [
    'lines in reverse order',
    writeCall(
      lines(MAX_REGION_LINES, (index) => `${index}`),
      lines(MAX_REGION_LINES, (index) => `${MAX_REGION_LINES - index}`),
    ),
  ],
  [
    'lines in another order',
    writeCall(
      lines(MAX_REGION_LINES, (index) => `${(index * 37) % 700}`),
      lines(MAX_REGION_LINES, (index) => `${(index * 41) % 700}`),
    ),
  ],
  ['tiny lines replaced by others', writeCall(repeatLine('a'), repeatLine('b'))],
  ['tiny lines in a file with CRLF', writeCall(repeatLine('a\r'), repeatLine('b').slice(0, 1_200_000))],
  ['an edit after tiny lines', editCall(`${repeatLine('a')}bb\n`, 'bb', 'c')],
  [
    'two lines after tiny lines with CRLF',
    editCall(`${repeatLine('a\r').slice(0, -12)}bb\r\ncc\r\n`, 'bb\ncc', 'd\ne'),
  ],
  ['line feeds replaced', editCall('\n'.repeat(MAX_FILE_BYTES), '\n', 'a', true)],
  ['overlapping matches', editCall('a'.repeat(MAX_FILE_BYTES), 'aa', 'b')],
  ['half of a repeated character', editCall('a'.repeat(MAX_FILE_BYTES), 'a'.repeat(MAX_FILE_BYTES / 2), 'b')],
  [
    'a periodic text except for its end',
    editCall('ab'.repeat(MAX_FILE_BYTES / 2), `${'ab'.repeat(MAX_FILE_BYTES / 4)}c`, 'd'),
  ],
  [
    'tiny lines except for their end',
    editCall(repeatLine('a'), `${repeatLine('a').slice(0, MAX_FILE_BYTES / 2)}bb`, 'd'),
  ],
  [
    'tiny lines with CRLF except for their end',
    editCall(repeatLine('a\r'), `${repeatLine('a').slice(0, MAX_FILE_BYTES / 2)}bb`, 'd\ne'),
  ],
  [
    'a text that repeats itself at increasing lengths',
    editCall(fibonacciWord(MAX_FILE_BYTES), `${fibonacciWord(MAX_FILE_BYTES / 2)}c`, 'd'),
  ],
  ['every short line replaced', editCall('some words\n'.repeat(MAX_REGION_LINES), 'words', 'others', true)],
  ['characters of one line replaced', editCall('ab'.repeat(50_000), 'a', 'c', true)],
  ['a long text inserted in many places', editCall('a\r\n'.repeat(MAX_REGION_LINES), 'a', 'x\ny'.repeat(4000), true)],
  [
    'near matches of a million characters',
    editCall(source, source.slice(0, 1_000_000).replaceAll('total', 'totl'), 'x'),
  ],
  ['spaces before short lines', editCall('x\n', `${' '.repeat(400_000)}ab\n${'c\n'.repeat(29_000)}`, 'y')],
  [
    'lines that all end like the first one',
    editCall(`x\n${repeatLine('xx')}z\n`, `x\n${repeatLine('xx')}z\n`, `y\n${repeatLine('xx')}z\n`),
  ],
  ['many lines with CRLF replaced', editCall('a\r\nb\r\n'.repeat(50_000), 'a\n', 'c\nd\n', true)],
  [
    'half of the tiny lines with CRLF replaced by others',
    editCall(
      repeatLine('a\r'),
      repeatLine('a').slice(0, MAX_FILE_BYTES / 2),
      repeatLine('b').slice(0, MAX_FILE_BYTES / 2),
    ),
  ],
  ['a line added after each of many with CRLF', editCall('a\r\nb\r\n'.repeat(50_000), 'a\n', 'a\nd\n', true)],
  ['each of many lines with CRLF doubled', editCall('a\r\n'.repeat(50_000), 'a\n', 'a\na\n', true)],
  [
    'near matches of one of 100,000 tiny lines',
    editCall(
      lines(100_000, (index) => `${index % 97}`),
      '98x\n',
      'y',
    ),
  ],
  [
    'near matches of lines with CRLF and much whitespace',
    editCall(`${INDENTED_LINES}y\r\n`, `${INDENTED_LINES.slice(0, 400_000)}x`, 'y'),
  ],
  ['tiny lines with CRLF after a non-ASCII character', editCall(NON_ASCII_LINES, 'é\n', 'é\nx\n')],
  [
    'a rewrite of such a file that changes one line',
    writeCall(NON_ASCII_LINES, `é\n${repeatLine('a').slice(0, 1_320_000 - 2)}b\n`),
  ],
  ['tiny lines read', readCall(repeatLine('a'))],
  ['a file of 20 MB moved', moveCall('é\r\n'.repeat(4_900_000))],
  [
    'the edits that an edit depends on',
    dependencyCall('a'.repeat(MAX_FILE_BYTES), `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`),
  ],
  ...LOCATION_CALLS,
];
