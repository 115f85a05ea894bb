import { renderOpen } from '../src/render/proposal.ts';
import { showsExactly } from '../src/render/shows-exactly.ts';
import { NOTHING_FOUND, searchFile } from '../src/tools/search-result.ts';
import { type WorkOut, workOutHere } from '../src/worker/work-out.ts';
import { edit, inConversation, proposal, view, write } from '../test/render/sample.ts';
import { longestKept } from './beside.ts';
import { PARSED_CALLS, parsed } from './hostile-arguments.ts';
import { cost, type Row } from './measure.ts';

const BEFORE = Array.from({ length: 12_000 }, (_, index) => `${index}\n`).join('');
const CHANGE = write('src/a.ts', BEFORE, BEFORE.replaceAll('\n', 'x\n'));
const MANY = Buffer.from('a\n'.repeat(995_000));
const LONG = Buffer.from('a'.repeat(1_990_000));

/** A new file of nothing but fences, and one line changed in a file of a million: both cost most to be read back. */
const FENCES = write('src/a.md', null, '```\n'.repeat(45_000));
const TINY = 'a\n'.repeat(990_000);
const ONE = edit('src/a.ts', `${TINY}b\n`, 'b', 'c');

function page(change = CHANGE): NonNullable<ReturnType<typeof renderOpen>> {
  const comments = renderOpen(view(proposal(change), inConversation));
  if (comments === null) throw new Error('It cannot be shown.');
  return comments;
}

function readBack(change: typeof CHANGE, baseText: string): () => void {
  const comments = page(change);
  return () => {
    const meant = { change, placement: inConversation, baseText };
    if (!showsExactly(comments, meant)) throw new Error('The page does not show the change.');
  };
}

const READ_BACK = [readBack(CHANGE, BEFORE), readBack(FENCES, ''), readBack(ONE, `${TINY}b\n`)];

function search(bytes: Uint8Array): number {
  return searchFile(NOTHING_FOUND, { path: 'src/a.ts', bytes, pattern: 'a' }).total;
}

const READINGS = PARSED_CALLS.map(
  ([, written]) =>
    (workOut: WorkOut) =>
      parsed(written, workOut),
);

function drafted(change: typeof CHANGE, baseText: string): (workOut: WorkOut) => unknown {
  const { links, warnings, writable, proposal: drafting } = view(proposal(change), inConversation);
  const ground = { about: { warnings, writable }, links, baseText, file: undefined };
  return (workOut) => workOut('pageAt', { proposal: drafting, placement: inConversation, ground });
}

const DRAFTS = [drafted(CHANGE, BEFORE), drafted(FENCES, '')];

/** What the longest of these takes where it is worked out (ms). */
function worked(calls: readonly ((workOut: WorkOut) => unknown)[]): number {
  return longest(calls.map((call) => () => call(workOutHere)));
}

function longest(works: readonly (() => unknown)[]): number {
  return Math.max(...works.map(cost));
}

/**
 * What comes before and after a change is worked out: arguments are read, files searched, pages written and read back.
 */
export const PAGE_ROWS: readonly Row[] = [
  {
    name: `the longest of ${READINGS.length} readings of arguments of up to 6,000,000 letters: what this process's own thread has to do (H6, goal: 50)`,
    unit: 'ms',
    sample: () => longestKept(READINGS),
  },
  { name: 'the same read, in the thread beside it', unit: 'ms', sample: () => worked(READINGS) },
  {
    name: 'a pattern on every line, or everywhere in one line, of 2 MB (H6, goal: 50)',
    unit: 'ms',
    sample: () => longest([() => search(MANY), () => search(LONG)]),
  },
  {
    name: "diffs of 24,000 short lines and of 45,000 fences made into comments: what this process's own thread has to do (goal: 50)",
    unit: 'ms',
    sample: () => longestKept(DRAFTS),
  },
  { name: 'the same made and read back, in the thread beside it', unit: 'ms', sample: () => worked(DRAFTS) },
  {
    name: 'the longest of these, and of one line in a million, read back as GitHub reads them (goal: 50)',
    unit: 'ms',
    sample: () => longest(READ_BACK),
  },
];
