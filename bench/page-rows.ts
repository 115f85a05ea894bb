import { renderOpen } from '../src/render/proposal.ts';
import { showsExactly } from '../src/render/shows-exactly.ts';
import { NOTHING_FOUND, searchFile } from '../src/tools/search-result.ts';
import { inConversation, proposal, view, write } from '../test/render/sample.ts';
import { PARSED_CALLS, parsed } from './hostile-arguments.ts';
import { cost, type Row } from './measure.ts';

const BEFORE = Array.from({ length: 12_000 }, (_, index) => `${index}\n`).join('');
const CHANGE = write('src/a.ts', BEFORE, BEFORE.replaceAll('\n', 'x\n'));
const MANY = Buffer.from('a\n'.repeat(995_000));
const LONG = Buffer.from('a'.repeat(1_990_000));

function page(): NonNullable<ReturnType<typeof renderOpen>> {
  const comments = renderOpen(view(proposal(CHANGE), inConversation));
  if (comments === null) throw new Error('It cannot be shown.');
  return comments;
}

const COMMENTS = page();

function readBack(): void {
  const meant = { change: CHANGE, placement: inConversation, baseText: BEFORE };
  if (!showsExactly(COMMENTS, meant)) throw new Error('The page does not show the change.');
}

function search(bytes: Uint8Array): number {
  return searchFile(NOTHING_FOUND, { path: 'src/a.ts', bytes, pattern: 'a' }).total;
}

function longest(works: readonly (() => unknown)[]): number {
  return Math.max(...works.map(cost));
}

/**
 * What comes before and after a change is worked out: arguments are read, files searched, pages written and read back.
 */
export const PAGE_ROWS: readonly Row[] = [
  {
    name: `the longest of ${PARSED_CALLS.length} readings of arguments of up to 6,000,000 letters (H6, goal: 50)`,
    unit: 'ms',
    sample: () =>
      longest(
        PARSED_CALLS.map(
          ([, written]) =>
            () =>
              parsed(written),
        ),
      ),
  },
  {
    name: 'a pattern on every line, or everywhere in one line, of 2 MB (H6, goal: 50)',
    unit: 'ms',
    sample: () => longest([() => search(MANY), () => search(LONG)]),
  },
  { name: 'a diff of 24,000 short lines made into comments (goal: 50)', unit: 'ms', sample: () => cost(page) },
  { name: 'the same read back as GitHub reads it (goal: 50)', unit: 'ms', sample: () => cost(readBack) },
];
