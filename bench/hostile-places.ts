import { lineTable, placesOfLines, stretchOf } from '../src/change/line-table.ts';
import { locateRegion, sidesOf } from '../src/change/locate.ts';
import { type FileAtHead, judgeable } from '../src/policy/freshness.ts';
import type { WorkOut } from '../src/worker/work-out.ts';
import { editOf } from '../test/change/samples.ts';

/** As many lines as a region may have on one side, and a file of such lines that is as large as one may be. */
const MANY = 24_900;
const TINY = 'a\r\n'.repeat(660_000);

function looked(text: string, sought: readonly string[]): () => unknown {
  return () => placesOfLines(lineTable(text), stretchOf(sought), 2);
}

function tiny(count: number): string[] {
  return new Array<string>(count).fill('a\r\n');
}

/** A region of so many such lines with their neighbours. */
function regionOf(count: number) {
  const some = tiny(3);
  return { oldStart: 4, newStart: 4, before: some, old: tiny(count), new: [...tiny(count - 1), 'b\r\n'], after: some };
}

/** What is worked out of a head that moved. */
type Judged = (workOut: WorkOut) => unknown;

function fileOf(blob: string, text: string): FileAtHead {
  return { blob, mode: '100644', text };
}

/** A change of many lines in a file above which somebody else has added a line since. */
function moved(): Judged {
  const between = 'b\n'.repeat(MANY - 2);
  const text = `${'a\r\n'.repeat(500_000)}x\n${between}y\n${'a\r\n'.repeat(9)}`;
  const change = editOf(text, `x\n${between}y\n`, `v\n${between}w\n`);
  const waiting = [{ id: 'k7q2', change: judgeable(change) }];
  return (workOut) => workOut('judgeFile', { file: fileOf('0', `z\r\n${text}`), waiting, ownEdits: [] });
}

/** A push that made one change of such a file. */
function pushed(): Judged {
  const baseText = `x\r\n${TINY}x\r\n`;
  const waiting = [{ id: 'k7q2', change: judgeable(editOf(baseText, `x\n${'a\n'.repeat(3)}`, 'y\n')) }];
  const headText = baseText.replaceAll('\r\n', '\n').replace('x\na\na\na\n', 'y\n');
  const push = { before: fileOf('0', baseText), now: fileOf('1', headText), waiting, ownEdits: [] };
  return (workOut) => workOut('judgePush', push);
}

/** A push to a file for which ten changes of so many lines wait: none of them stands there any more, or each was made. */
function pushedFor(made: boolean): Judged {
  const sides = Array.from({ length: 10 }, (_, which) => {
    const old = Array.from({ length: MANY }, (_line, at) => `a${(at + which) % 7}\r\n`);
    return { old, new: [...old.slice(1), `b${which}\r\n`] };
  });
  const some = ['x\r\n', 'y\r\n', 'z\r\n'];
  const textOf = (side: 'old' | 'new') => sides.map((one) => [...some, ...one[side], ...some].join('')).join('');
  const change = judgeable(editOf('a\nb\n', 'a', 'c'));
  const waiting = sides.map((one, which) => {
    const start = 4 + which * (MANY + 2 * some.length);
    const region = { oldStart: start, newStart: start, before: some, ...one, after: some };
    return { id: `k7q${which}`, change: { ...change, region } };
  });
  const before = fileOf('0', made ? textOf('old') : TINY);
  const now = fileOf('1', made ? textOf('new') : `${TINY}x\n`);
  return (workOut) => workOut('judgePush', { before, now, waiting, ownEdits: [] });
}

/** Lines looked for in files of many tiny ones that end with CRLF: when a change is built, and when a head has moved. */
export const PLACE_CALLS: readonly (readonly [name: string, call: Judged])[] = [
  ['tiny lines with CRLF that stand nowhere', looked(TINY, [...tiny(MANY), 'b\r\n'])],
  ['tiny lines with CRLF around one that stands nowhere', looked(TINY, [...tiny(12_000), 'b\r\n', ...tiny(12_000)])],
  [
    'tiny lines with CRLF that all but stand in many places',
    looked(`${'a\r\n'.repeat(24_000)}b\r\n`.repeat(27), ['b\r\n', ...tiny(24_000), 'b\r\n', ...tiny(800), 'c\r\n']),
  ],
  [
    'tiny lines with CRLF that stand everywhere',
    () => ({ place: locateRegion(lineTable(TINY), sidesOf(regionOf(MANY))) }),
  ],
  ['a change of many lines judged where they moved', moved()],
  ['a push read in a file of tiny lines with CRLF', pushed()],
  ['a push where none of ten changes of many lines stands any more', pushedFor(false)],
  ['a push that made ten changes of many lines', pushedFor(true)],
];
