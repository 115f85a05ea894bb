import { describe, expect, it } from 'vitest';
import { buildDelete } from '../../src/change/build-delete.ts';
import { buildMove } from '../../src/change/build-move.ts';
import { restorationOf } from '../../src/change/build-restore.ts';
import type { BlobRef, Change } from '../../src/change/change.ts';
import type { Signing, StandingFiles } from '../../src/policy/signing.ts';
import { writeDeletion, writeMove, writeRestored } from '../../src/policy/write-whole.ts';
import { changeOf, stored } from '../change/samples.ts';
import { proposal } from '../render/sample.ts';

const TEXT = 'a\nb\n';
const { ref } = stored(TEXT);
const deletion = changeOf(buildDelete({ path: 'old.ts', sandbox: 'shop', file: stored(TEXT) }));
const move = changeOf(buildMove({ from: 'old.ts', to: 'new.ts', sandbox: 'shop', file: stored(TEXT) }));
const executable = { ...ref, mode: '100755' } as const;
const restored = restorationOf({ path: 'logo.png', sandbox: 'shop', ref: executable, bytes: 4 });
const signing = (change: Change): Signing => ({ proposal: proposal(change), region: change.region, permissions: {} });
const standing = (text: string | null = TEXT, mode: BlobRef['mode'] = '100644', target: string | null = null) => {
  const of = (one: string) => ({ ref: stored(one, mode).ref, text: one });
  return new Map([
    ['old.ts', text === null ? null : of(text)],
    ['new.ts', target === null ? null : of(target)],
  ]);
};

describe('what a signed deletion, move or return does', () => {
  it('S93, S73: takes the file away, and names its lines', () => {
    const { writes, files, ranges } = writeDeletion(signing(deletion), standing());
    expect(writes).toEqual([{ path: 'old.ts', mode: '100644', content: { kind: 'gone' } }]);
    expect(files).toMatchObject([{ path: 'old.ts', before: ref.blob, after: null }]);
    expect(ranges.get('k7q2')).toEqual({ oldStart: 1, oldLines: 2, newStart: 0, newLines: 0 });
  });

  it('E5, S93: gives the same blob another path and names no lines', () => {
    const { writes, ranges } = writeMove(signing(move), standing());
    expect(writes).toEqual([
      { path: 'old.ts', mode: '100644', content: { kind: 'gone' } },
      { path: 'new.ts', mode: '100644', content: { kind: 'blob', sha: ref.blob } },
    ]);
    expect(ranges.size).toBe(0);
  });

  const REFUSED: readonly (readonly [string, Change, StandingFiles])[] = [
    ['another text', deletion, standing('a\nc\n')],
    ['another mode', deletion, standing(TEXT, '100755')],
    ['nothing there', deletion, standing(null)],
    ['no plain file', deletion, new Map()],
    ['fewer lines than the file has', { ...deletion, region: shorter(deletion) }, standing()],
    ['lines that are kept from people', { ...deletion, region: null }, standing()],
    ['a result', { ...deletion, result: ref }, standing()],
  ];
  it.each(REFUSED)('B3, S92, S93: a deletion is refused where it would meet %s', (_, change, files) => {
    expect(() => writeDeletion(signing(change), files)).toThrow();
  });

  const REFUSED_MOVES: readonly (readonly [string, Change, StandingFiles])[] = [
    ['another text', move, standing('a\nc\n')],
    ['another mode', move, standing(TEXT, '100755')],
    ['a file at its target', move, standing(TEXT, '100644', 'mine\n')],
    ['what may not be written at its target', move, new Map([['old.ts', standing().get('old.ts') ?? null]])],
    ['other bytes than it promised', { ...move, result: stored('x').ref }, standing()],
    ['another mode than it promised', { ...move, result: { ...ref, mode: '100755' } }, standing()],
    ['no source', { ...move, from: null }, standing()],
  ];
  it.each(REFUSED_MOVES)('B3, S92, S93: a move is refused where it would meet %s', (_, change, files) => {
    expect(() => writeMove(signing(change), files)).toThrow();
  });

  it('E5, S72, S73: brings a file back as its blob, with its mode, and names no lines', () => {
    const { writes, files, ranges } = writeRestored(signing(restored), new Map([['logo.png', null]]));
    expect(writes).toEqual([{ path: 'logo.png', mode: '100755', content: { kind: 'blob', sha: ref.blob } }]);
    expect(files).toEqual([{ path: 'logo.png', before: null, after: ref.blob, ranges: [] }]);
    expect(ranges.size).toBe(0);
  });

  const REFUSED_RETURNS: readonly (readonly [string, Change, StandingFiles])[] = [
    ['a file in its place', restored, new Map([['logo.png', { ref, text: TEXT }]])],
    ['what may not be written in its place', restored, new Map()],
    ['lines', { ...restored, region: deletion.region }, new Map([['logo.png', null]])],
    ['a file that it was to replace', { ...restored, base: ref }, new Map([['logo.png', null]])],
    ['no result', { ...restored, result: null }, new Map([['logo.png', null]])],
  ];
  it.each(REFUSED_RETURNS)('B3, S92, S93: a return is refused where it would meet %s', (_, change, files) => {
    expect(() => writeRestored(signing(change), files)).toThrow();
  });
});

function shorter({ region }: Change): Change['region'] {
  return region === null ? null : { ...region, old: region.old.slice(0, 1) };
}
