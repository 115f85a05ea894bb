import { describe, expect, it } from 'vitest';
import { checkTrailers } from '../../../../src/cli/verify/check-trailers.ts';
import type { ChangedFileContents } from '../../../../src/cli/verify/file-versions.ts';
import { createLineTable } from '../../../../src/core/edits/text/line-table.ts';
import { parseTrailerGroups } from '../../../../src/core/policy/commit-message.ts';
import { digest, trailers } from './history.ts';

const MANY = 300;

const WRONG = '0'.repeat(64);

function version(text: string): ChangedFileContents['before'] {
  return { mode: '100644', blob: text.slice(0, 40), lines: createLineTable(text) };
}

function deleted(path: string, text: string): ChangedFileContents {
  return { path, before: version(text), after: null };
}

function added(path: string, text: string): ChangedFileContents {
  return { path, before: null, after: version(text) };
}

function linesOf(count: number, name: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}\n`);
}

function times<Value>(make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: MANY }, (_, index) => make(index));
}

/** Each with a range of its own. */
function forgedGroups(range: (index: number) => string): string {
  return times((index) => trailers((0xa000 + index).toString(16), WRONG, range(index))).join('');
}

function problemsOf(message: string, files: readonly ChangedFileContents[]): ReadonlySet<string | null> {
  return new Set(checkTrailers(parseTrailerGroups(message), files).groups.map(({ problem }) => problem));
}

/** Comparing every group with every pair of files would take hours here. */
describe('forged commits with many ranges and files', () => {
  it('a move with a changed text is found among many, by what is around its range', () => {
    const body = linesOf(2000, 'line');
    const files = times((index) => {
      const from = [`file ${index}\n`, ...body];
      return [deleted(`a/${index}`, from.join('')), added(`b/${index}`, [...from.slice(0, -1), 'new\n'].join(''))];
    }).flat();
    const shown = { after: [], before: body.slice(-4, -1), new: ['new\n'], old: body.slice(-1) };
    const real = times((index) =>
      trailers(
        (0xa000 + index).toString(16),
        digest('move', `b/${index}`, shown, { from: `a/${index}` }),
        '2001,1 2001,1',
      ),
    );
    expect(checkTrailers(parseTrailerGroups(real.join('')), files)).toMatchObject({
      groups: times((index) => ({ path: `b/${index}`, problem: null })),
      unexplained: [],
    });
    const forged = forgedGroups((index) => `${index + 2},1 ${index + 2},1`);
    expect(problemsOf(forged, files)).toEqual(new Set(['no change of this commit has this digest']));
  });

  it('equal files moved to equal files are told apart by their paths alone', () => {
    const [before, after] = [linesOf(2000, 'same').join(''), ['new\n', ...linesOf(2000, 'same').slice(1)].join('')];
    const files = times((index) => [deleted(`a/${index}`, before), added(`b/${index}`, after)]).flat();
    const shown = { after: linesOf(4, 'same').slice(1), before: [], new: ['new\n'], old: ['same 0\n'] };
    const message = trailers('aa11', digest('move', 'b/7', shown, { from: 'a/3' }), '1,1 1,1');
    expect(checkTrailers(parseTrailerGroups(message), files).groups).toMatchObject([{ path: 'b/7', problem: null }]);
    expect(
      problemsOf(
        forgedGroups(() => '1,1 1,1'),
        files,
      ),
    ).toEqual(new Set(['no change of this commit has this digest']));
  });

  it('short ranges that fit every pair of files end the search too', () => {
    const [before, after] = ['a\n'.repeat(400), 'a\n'.repeat(401)];
    const files = times((index) => [deleted(`a/${index}`, before), added(`b/${index}`, after)]).flat();
    const forged = forgedGroups((index) => `${index},0 ${index + 1},1`);
    expect(problemsOf(forged, files)).toEqual(new Set(['the ranges of this commit fit too many of its files']));
  });

  it('ranges that fit every file end the search with a problem, not with an approval', () => {
    const [before, after] = [version(linesOf(4000, 'old').join('')), version(linesOf(4000, 'new').join(''))];
    const files = times((index) => ({ path: `f/${index}`, before, after }));
    const forged = forgedGroups((index) => `1,${4000 - index} 1,${4000 - index}`);
    expect(problemsOf(forged, files)).toEqual(new Set(['the ranges of this commit fit too many of its files']));
  });
});
