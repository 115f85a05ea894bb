import { describe, expect, it } from 'vitest';
import type { BuildResult } from '../../../../src/core/edits/build/build-change.ts';
import { buildDelete, buildMove } from '../../../../src/core/edits/build/build-files.ts';
import { buildEdit, buildWrite } from '../../../../src/core/edits/build/build-text.ts';
import { summarizeChange } from '../../../../src/core/edits/describe-change.ts';
import { changeOf, stored } from './samples.ts';

const path = 'src/total.ts';

const repositoryName = 'shop';

function edit(text: string, oldString: string, newString: string, replaceAll = false): BuildResult {
  return buildEdit({ path, repositoryName, file: stored(text), edits: [{ oldString, newString, replaceAll }] });
}

describe('descriptions and summaries', () => {
  it.each([
    ['a\nb\n', 'a\n', 'a\nx\n', 'add 1 line at line 2', 'Added 1 line at line 2.'],
    ['a\nb', 'b', 'b\nc', 'add 1 line at line 3', 'Added 1 line at line 3.'],
    ['a\nb\nc\n', 'b\n', '', 'delete 1 line at line 2', 'Deleted 1 line at line 2.'],
    ['a\nb\nc\n', 'a\nb', 'x\ny', 'replace 2 lines', 'Replaced 2 lines at line 1.'],
    ['a\nb\nc\n', 'b', 'x\ny', 'replace 1 line with 2', 'Replaced 1 line with 2 at line 2.'],
    [
      'a\nb',
      'b',
      'b\n',
      'change the line ending at the end of line 2',
      'Changed the line ending at the end of line 2.',
    ],
  ])('%j, %j to %j (S27, T2)', (text, oldString, newString, imperative, pastTense) => {
    const change = changeOf(edit(text, oldString, newString));
    expect(change.payload.description).toBe(`Edit src/total.ts: ${imperative}`);
    expect(summarizeChange(change).summary).toBe(pastTense);
  });

  it('linesChanged sums the larger side of each place (S2, S6)', () => {
    const one = changeOf(edit('a\nb\nc\n', 'b', 'x\ny'));
    expect(summarizeChange(one)).toMatchObject({ linesChanged: 2, replacements: 1 });
    expect(summarizeChange(changeOf(edit(`a\n${'1\n'.repeat(7)}a\n`, 'a', 'x\ny', true)))).toMatchObject({
      linesChanged: 4,
      replacements: 2,
      summary: 'Replaced text in 2 places.',
    });
    const twice = changeOf(edit('a a\n', 'a', 'b', true));
    expect(summarizeChange(twice)).toMatchObject({ linesChanged: 1, replacements: 2 });
  });

  it('describes each kind of change in one line (S27)', () => {
    const written = (content: string) =>
      buildWrite({ path: 'src/a.ts', repositoryName, file: null, content, lastReadBlob: null });
    const built = [
      written('a\n'.repeat(150)),
      written('a\n'),
      buildDelete({ path: 'src/a.ts', repositoryName, file: stored('a') }),
      buildMove({ from: 'src/a.ts', to: 'src/b.ts', repositoryName, file: stored('a') }),
    ];
    expect(built.map((one) => changeOf(one).payload.description)).toEqual([
      'Write 150 lines to src/a.ts',
      'Write 1 line to src/a.ts',
      'Delete src/a.ts',
      'Move src/a.ts to src/b.ts',
    ]);
  });
});
