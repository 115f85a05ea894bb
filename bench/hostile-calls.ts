import type { WorkOut } from '../src/worker/work-out.ts';
import { stored } from '../test/change/samples.ts';
import { PLACE_CALLS } from './hostile-places.ts';

const MOST = 1_990_000;
const [path, sandbox] = ['src/a.ts', 'shop'];

function lines(count: number, word: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${word(index)}\n`).join('');
}

/** Something that is worked out in this way, or at once where it always is. */
export type HostileCall = (workOut: WorkOut) => unknown;

function edit(text: string, oldString: string, newString: string, replaceAll = false): HostileCall {
  const file = stored(text);
  return (workOut) => workOut('buildEdit', { path, sandbox, file, oldString, newString, replaceAll });
}

function write(text: string, content: string): HostileCall {
  const file = stored(text);
  return (workOut) => workOut('buildWrite', { path, sandbox, file, content, seenBlob: file.ref.blob });
}

function read(text: string): HostileCall {
  const { ref, bytes } = stored(text);
  return (workOut) => workOut('readResult', { path, blob: ref.blob, bytes, start: null, end: null });
}

function move(text: string): HostileCall {
  const file = stored(text);
  return (workOut) => workOut('buildMove', { from: path, to: 'src/b.ts', sandbox, file });
}

/** Whether an edit that was refused depends on another one. */
function sought(text: string, what: string): HostileCall {
  const { bytes } = stored(text);
  return (workOut) => workOut('standsAfter', { bytes, sought: what, region: null });
}

/** A text without a period that is as like itself, moved, as any can be: the hardest one for a search. */
function fibonacci(length: number): string {
  let [before, text] = ['a', 'ab'];
  while (text.length < length) [before, text] = [text, text + before];
  return text.slice(0, length);
}

const tiny = (word: string): string => `${word}\n`.repeat(MOST / (word.length + 1));
const source = lines(50_000, (at) => `${'  '.repeat(at % 4)}const total${at} = price(${at});`).slice(0, MOST);
const tenth = lines(20_000, (at) => (at % 10 === 0 ? `new ${at}` : `line ${at}`));
const LINES = 24_900;
const WIDE = `é\r\n${'a\r\n'.repeat(660_000)}`;
const blanks = lines(30_000, (at) => `  ${at}  x${at}\t\r`);

/** Calls that models make, and calls that were made up to keep the process busy. */
export const HOSTILE_CALLS: readonly (readonly [name: string, call: HostileCall])[] = [
  ['an edit of a line', edit(source, 'total25001 =', 'sum =')],
  ['an edit that stands nowhere', edit(source, 'const totals25001 = price(25001, 2);', 'x')],
  [
    '2,000 of 20,000 lines rewritten',
    write(
      lines(20_000, (at) => `line ${at}`),
      tenth,
    ),
  ],
  [
    '20,000 lines, all different',
    write(
      lines(20_000, (at) => `old ${at}`),
      lines(20_000, (at) => `new ${at}`),
    ),
  ],
  [
    'lines the other way round',
    write(
      lines(LINES, (at) => `${at}`),
      lines(LINES, (at) => `${LINES - at}`),
    ),
  ],
  [
    'lines mixed differently',
    write(
      lines(LINES, (at) => `${(at * 37) % 700}`),
      lines(LINES, (at) => `${(at * 41) % 700}`),
    ),
  ],
  ['tiny lines over others', write(tiny('a'), tiny('b'))],
  ['tiny lines in a file with CRLF', write(tiny('a\r'), tiny('b').slice(0, 1_200_000))],
  ['an edit behind tiny lines', edit(`${tiny('a')}bb\n`, 'bb', 'c')],
  ['two lines behind tiny lines with CRLF', edit(`${tiny('a\r').slice(0, -12)}bb\r\ncc\r\n`, 'bb\ncc', 'd\ne')],
  ['line feeds replaced', edit('\n'.repeat(MOST), '\n', 'a', true)],
  ['overlapping matches', edit('a'.repeat(MOST), 'aa', 'b')],
  ['half of one letter repeated', edit('a'.repeat(MOST), 'a'.repeat(MOST / 2), 'b')],
  ['a periodic text but for its end', edit('ab'.repeat(MOST / 2), `${'ab'.repeat(MOST / 4)}c`, 'd')],
  ['tiny lines but for their end', edit(tiny('a'), `${tiny('a').slice(0, MOST / 2)}bb`, 'd')],
  ['tiny lines with CRLF but for their end', edit(tiny('a\r'), `${tiny('a').slice(0, MOST / 2)}bb`, 'd\ne')],
  ['a text that repeats itself at ever greater length', edit(fibonacci(MOST), `${fibonacci(MOST / 2)}c`, 'd')],
  ['every short line replaced', edit('some words\n'.repeat(LINES), 'words', 'others', true)],
  ['letters of one line replaced', edit('ab'.repeat(50_000), 'a', 'c', true)],
  ['a long text in many places', edit('a\r\n'.repeat(LINES), 'a', 'x\ny'.repeat(4000), true)],
  ['what resembles a million letters', edit(source, source.slice(0, 1_000_000).replaceAll('total', 'totl'), 'x')],
  ['blanks before short lines', edit('x\n', `${' '.repeat(400_000)}ab\n${'c\n'.repeat(29_000)}`, 'y')],
  ['lines that all end like the first', edit(`x\n${tiny('xx')}z\n`, `x\n${tiny('xx')}z\n`, `y\n${tiny('xx')}z\n`)],
  ['many lines with CRLF replaced', edit('a\r\nb\r\n'.repeat(50_000), 'a\n', 'c\nd\n', true)],
  [
    'tiny lines with CRLF replaced by others',
    edit(tiny('a\r'), tiny('a').slice(0, MOST / 2), tiny('b').slice(0, MOST / 2)),
  ],
  ['a line added behind each of many with CRLF', edit('a\r\nb\r\n'.repeat(50_000), 'a\n', 'a\nd\n', true)],
  ['each of many lines with CRLF doubled', edit('a\r\n'.repeat(50_000), 'a\n', 'a\na\n', true)],
  [
    'what resembles one of 100,000 tiny lines',
    edit(
      lines(100_000, (at) => `${at % 97}`),
      '98x\n',
      'y',
    ),
  ],
  ['what resembles lines with CRLF and many blanks', edit(`${blanks}y\r\n`, `${blanks.slice(0, 400_000)}x`, 'y')],
  ['tiny lines with CRLF behind a letter beyond ASCII', edit(WIDE, 'é\n', 'é\nx\n')],
  ['the same written anew but for one line', write(WIDE, `é\n${tiny('a').slice(0, 1_320_000 - 2)}b\n`)],
  ['tiny lines read', read(tiny('a'))],
  ['a file of 20 MB moved', move('é\r\n'.repeat(4_900_000))],
  ['what an edit depends on', sought('a'.repeat(MOST), `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`)],
  ...PLACE_CALLS,
];
