import { lineTable, placesOfLines } from '../src/change/line-table.ts';
import { placeByNeighbours } from '../src/change/locate.ts';
import { judge, recognise } from '../src/policy/freshness.ts';
import { editOf } from '../test/change/samples.ts';

/** As many lines as a region may have on one side, and a file of such lines that is as large as one may be. */
const MANY = 24_900;
const TINY = 'a\r\n'.repeat(660_000);

function looked(text: string, sought: readonly string[]): () => unknown {
  return () => placesOfLines(lineTable(text), sought, 2);
}

function tiny(count: number): string[] {
  return new Array<string>(count).fill('a\r\n');
}

/** A region of so many such lines with their neighbours. */
function regionOf(count: number) {
  const some = tiny(3);
  return { oldStart: 4, newStart: 4, before: some, old: tiny(count), new: [...tiny(count - 1), 'b\r\n'], after: some };
}

/** A change of many lines in a file above which somebody else has added a line since. */
function moved(): () => unknown {
  const between = 'b\n'.repeat(MANY - 2);
  const text = `${'a\r\n'.repeat(500_000)}x\n${between}y\n${'a\r\n'.repeat(9)}`;
  const change = editOf(text, `x\n${between}y\n`, `v\n${between}w\n`);
  const file = { blob: '0', mode: '100644', text: `z\r\n${text}` };
  return () => judge({ change, file, ownEdits: [] });
}

/** A push that made one change of such a file. */
function pushed(): () => unknown {
  const baseText = `x\r\n${TINY}x\r\n`;
  const region = editOf(baseText, `x\n${'a\n'.repeat(3)}`, 'y\n').region;
  const headText = baseText.replaceAll('\r\n', '\n').replace('x\na\na\na\n', 'y\n');
  return () => recognise({ baseText, headText, changes: [{ region }] });
}

/** Lines looked for in files of many tiny ones that end with CRLF: when a change is built, and when a head has moved. */
export const PLACE_CALLS: readonly (readonly [name: string, call: () => unknown])[] = [
  ['tiny lines with CRLF that stand nowhere', looked(TINY, [...tiny(MANY), 'b\r\n'])],
  ['tiny lines with CRLF around one that stands nowhere', looked(TINY, [...tiny(12_000), 'b\r\n', ...tiny(12_000)])],
  [
    'tiny lines with CRLF that all but stand in many places',
    looked(`${'a\r\n'.repeat(24_000)}b\r\n`.repeat(27), ['b\r\n', ...tiny(24_000), 'b\r\n', ...tiny(800), 'c\r\n']),
  ],
  ['tiny lines with CRLF that stand everywhere', () => ({ place: placeByNeighbours(lineTable(TINY), regionOf(MANY)) })],
  ['a change of many lines judged where they moved', moved()],
  ['a push read in a file of tiny lines with CRLF', pushed()],
];
