import { describe, expect, it } from 'vitest';
import { buildChange } from '../../../../src/core/edits/build/build-change.ts';
import { buildDelete, buildMove } from '../../../../src/core/edits/build/build-files.ts';
import type { BlobRef, FileChange } from '../../../../src/core/edits/change.ts';
import {
  type HeadFiles,
  type MemberToCommit,
  type PlannedWrites,
  planWrites,
} from '../../../../src/core/policy/commit-plan.ts';
import { changeOf, stored } from '../edits/samples.ts';
import { proposal } from '../messages/sample.ts';

const TEXT = 'a\nb\n';

const { ref } = stored(TEXT);

const deletion = changeOf(buildDelete({ path: 'old.ts', repositoryName: 'shop', file: stored(TEXT) }));

const move = changeOf(buildMove({ from: 'old.ts', to: 'new.ts', repositoryName: 'shop', file: stored(TEXT) }));

const executable = { ...ref, mode: '100755' } as const;

const restored = changeOf(
  buildChange({
    op: 'write',
    path: 'logo.png',
    repositoryName: 'shop',
    before: null,
    after: { ref: executable, text: null, bytes: 4 },
  }),
);

const signing = (change: FileChange): MemberToCommit => ({
  proposalId: proposal(change).id,
  change,
  region: change.region,
});

const treeEntry = (text: string | null = TEXT, mode: BlobRef['mode'] = '100644', target: string | null = null) => {
  const of = (one: string) => ({ ref: stored(one, mode).ref, text: one });
  return new Map([
    ['old.ts', text === null ? null : of(text)],
    ['new.ts', target === null ? null : of(target)],
  ]);
};

function planOne(change: FileChange, files: HeadFiles): PlannedWrites {
  const [planned] = planWrites([signing(change)], files);
  if (planned === undefined) throw new Error('Nothing is planned');
  return planned;
}

describe('deletions, moves and restores', () => {
  it('a deletion removes the file and reports its lines (S93, S73)', () => {
    const { writes, files, ranges } = planOne(deletion, treeEntry());
    expect(writes).toEqual([{ path: 'old.ts', mode: '100644', content: { kind: 'deleted' } }]);
    expect(files).toMatchObject([{ path: 'old.ts', before: ref.blob, after: null }]);
    expect(ranges.get(deletion)).toEqual({ oldStart: 1, oldLines: 2, newStart: 0, newLines: 0 });
  });

  it('a move keeps the blob and reports no lines (E5, S93)', () => {
    const { writes, ranges } = planOne(move, treeEntry());
    expect(writes).toEqual([
      { path: 'old.ts', mode: '100644', content: { kind: 'deleted' } },
      { path: 'new.ts', mode: '100644', content: { kind: 'blob', sha: ref.blob } },
    ]);
    expect(ranges.size).toBe(0);
  });

  const REFUSED: readonly (readonly [string, FileChange, HeadFiles])[] = [
    ['another text', deletion, treeEntry('a\nc\n')],
    ['another mode', deletion, treeEntry(TEXT, '100755')],
    ['nothing there', deletion, treeEntry(null)],
    ['no plain file', deletion, new Map()],
    ['fewer lines than the file has', { ...deletion, region: shorter(deletion) }, treeEntry()],
    ['lines that are kept from people', { ...deletion, region: null }, treeEntry()],
    ['a result', { ...deletion, result: ref }, treeEntry()],
  ];
  it.each(REFUSED)('a deletion is refused on %s (B3, S92, S93)', (_, change, files) => {
    expect(() => planWrites([signing(change)], files)).toThrow();
  });

  const REFUSED_MOVES: readonly (readonly [string, FileChange, HeadFiles])[] = [
    ['another text', move, treeEntry('a\nc\n')],
    ['another mode', move, treeEntry(TEXT, '100755')],
    ['a file at its target', move, treeEntry(TEXT, '100644', 'mine\n')],
    ['an unsupported file at its target', move, new Map([['old.ts', treeEntry().get('old.ts') ?? null]])],
    ['other bytes than it promised', { ...move, result: stored('x').ref }, treeEntry()],
    ['another mode than it promised', { ...move, result: { ...ref, mode: '100755' } }, treeEntry()],
    ['no source', { ...move, from: null }, treeEntry()],
  ];
  it.each(REFUSED_MOVES)('a move is refused on %s (B3, S92, S93)', (_, change, files) => {
    expect(() => planWrites([signing(change)], files)).toThrow();
  });

  it('a restore writes the former blob and mode and reports no lines (E5, S72, S73)', () => {
    const { writes, files, ranges } = planOne(restored, new Map([['logo.png', null]]));
    expect(writes).toEqual([{ path: 'logo.png', mode: '100755', content: { kind: 'blob', sha: ref.blob } }]);
    expect(files).toEqual([{ path: 'logo.png', before: null, after: ref.blob, ranges: [] }]);
    expect(ranges.size).toBe(0);
  });

  const REFUSED_RESTORES: readonly (readonly [string, FileChange, HeadFiles])[] = [
    ['a file in its place', restored, new Map([['logo.png', { ref, text: TEXT }]])],
    ['an unsupported file in its place', restored, new Map()],
    ['lines', { ...restored, region: deletion.region }, new Map([['logo.png', null]])],
    ['a file that it was to replace', { ...restored, base: ref }, new Map([['logo.png', null]])],
    ['no result', { ...restored, result: null }, new Map([['logo.png', null]])],
  ];
  it.each(REFUSED_RESTORES)('a restore is refused on %s (B3, S92, S93)', (_, change, files) => {
    expect(() => planWrites([signing(change)], files)).toThrow();
  });
});

function shorter({ region }: FileChange): FileChange['region'] {
  return region === null ? null : { ...region, old: region.old.slice(0, 1) };
}
