import { describe, expect, it } from 'vitest';
import { buildDelete, buildMove, buildSet, type TouchedPath } from '../../../../src/core/edits/build/build-files.ts';
import { type Change, singleChange } from '../../../../src/core/edits/change.ts';
import { EMPTY_REGION } from '../../../../src/core/edits/region.ts';
import { isRevertOfUserEdit, repeatsResult } from '../../../../src/core/policy/earlier-changes.ts';
import { changeOf, editOf, rewriteOf, stored } from '../edits/samples.ts';

const BEFORE = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join('');
const AFTER = BEFORE.replace('line 5\n', 'five\n').replace('line 30\n', 'thirty\n');

function setOf(...touched: readonly TouchedPath[]): Change {
  const built = buildSet({ summary: 'Name numbers.', repositoryName: 'shop', touched });
  if (built.kind === 'refused') throw new Error(built.output);
  return built.change;
}

function touch(path: string, before: string | null, after: string | null, origin: string | null = path): TouchedPath {
  return {
    path,
    before: before === null ? null : stored(before),
    after: after === null ? null : stored(after),
    origin: before === null && origin === path ? null : origin,
  };
}

const set = setOf(touch('file.txt', BEFORE, AFTER));
const rewrite = rewriteOf(BEFORE, AFTER) ?? editOf(BEFORE, 'line 1\n', 'one\n');
const whole = singleChange(rewrite);

describe('a repeated change in another form', () => {
  it('is known by the file that all its places leave together, in both directions (S108)', () => {
    expect(set.members).toHaveLength(2);
    expect(repeatsResult(set, whole)).toBe(true);
    expect(repeatsResult(whole, set)).toBe(true);
  });

  it('is another change if one place or the mode differs (S108)', () => {
    const other = setOf(touch('file.txt', BEFORE, AFTER.replace('line 20\n', 'twenty\n')));
    expect(repeatsResult(other, whole)).toBe(false);
    expect(repeatsResult(singleChange(editOf(BEFORE, 'line 5\n', 'five\n')), set)).toBe(false);
    const result = rewrite.result === null ? null : { ...rewrite.result, mode: '100755' as const };
    expect(repeatsResult(singleChange({ ...rewrite, result }), set)).toBe(false);
  });

  it('is known if a move does what a deletion and a new file did, and the reverse (S108)', () => {
    const file = { repositoryName: 'shop', file: stored('x\n') };
    const move = singleChange(changeOf(buildMove({ from: 'a.txt', to: 'b.txt', ...file })));
    const replaced = setOf(touch('a.txt', 'x\n', null), touch('b.txt', null, 'x\n'));
    expect(repeatsResult(move, replaced)).toBe(true);
    expect(repeatsResult(replaced, move)).toBe(true);
    const elsewhere = setOf(touch('a.txt', 'x\n', null), touch('b.txt', null, 'y\n'));
    expect(repeatsResult(elsewhere, move)).toBe(false);
    const deletion = singleChange(changeOf(buildDelete({ path: 'a.txt', ...file })));
    expect(repeatsResult(deletion, move)).toBe(false);
    expect(repeatsResult(move, deletion)).toBe(false);
    expect(repeatsResult(deletion, deletion)).toBe(true);
  });

  it('is known by one of the files that a denied set would leave (S108)', () => {
    const both = setOf(touch('a.txt', 'x\n', 'y\n'), touch('file.txt', BEFORE, AFTER));
    expect(repeatsResult(setOf(touch('a.txt', 'x\n', 'y\n')), both)).toBe(true);
    expect(repeatsResult(setOf(touch('b.txt', 'x\n', 'y\n')), both)).toBe(false);
  });

  it('is known if several places together restore the text that a person replaced with their own (S109)', () => {
    const own = BEFORE.replace('line 5\n', 'FIVE\n');
    const userEdit = { originalChange: whole, revertRegion: EMPTY_REGION };
    const restoring = setOf(touch('file.txt', own, AFTER));
    expect(restoring.members).toHaveLength(2);
    expect(isRevertOfUserEdit(restoring, userEdit)).toBe(true);
    const further = setOf(touch('file.txt', own, own.replace('line 30\n', 'thirty\n')));
    expect(isRevertOfUserEdit(further, userEdit)).toBe(false);
  });
});
