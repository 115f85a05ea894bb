import { describe, expect, it } from 'vitest';
import { buildDelete, buildMove } from '../../../../src/core/edits/build/build-file-ops.ts';
import { buildSet, type TouchedPath } from '../../../../src/core/edits/build/build-set.ts';
import { type Change, membersOf } from '../../../../src/core/edits/change.ts';
import { resultsOf } from '../../../../src/core/edits/change-set.ts';
import { EMPTY_REGION } from '../../../../src/core/edits/region.ts';
import { isRepeatOfDenied, isRevertOfUserEdit } from '../../../../src/core/policy/earlier-changes.ts';
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

function repeats(change: Change, denied: Change): boolean {
  return repeatTogether([change], denied);
}

function repeatTogether(changes: readonly Change[], denied: Change): boolean {
  return isRepeatOfDenied(changes, denied, () => []);
}

const set = setOf(touch('file.txt', BEFORE, AFTER));
const whole = rewriteOf(BEFORE, AFTER) ?? editOf(BEFORE, 'line 1\n', 'one\n');

describe('a repeated change in another form', () => {
  it('is known by the file that all its places leave together, in both directions (S108)', () => {
    expect(membersOf(set)).toHaveLength(2);
    expect(repeats(set, whole)).toBe(true);
    expect(repeats(whole, set)).toBe(true);
  });

  it('is another change if one place or the mode differs (S108)', () => {
    const other = setOf(touch('file.txt', BEFORE, AFTER.replace('line 20\n', 'twenty\n')));
    expect(repeats(other, whole)).toBe(false);
    expect(repeats(editOf(BEFORE, 'line 5\n', 'five\n'), set)).toBe(false);
    const result = whole.result === null ? null : { ...whole.result, mode: '100755' as const };
    expect(repeats({ ...whole, result }, set)).toBe(false);
  });

  it('is known if a move does what a deletion and a new file did, and the reverse (S108)', () => {
    const paths = { path: 'a.txt', repositoryName: 'shop' };
    const move = changeOf(buildMove({ from: 'a.txt', to: 'b.txt', repositoryName: 'shop', file: stored('x\n') }));
    const replaced = setOf(touch('a.txt', 'x\n', null), touch('b.txt', null, 'x\n'));
    expect(repeats(move, replaced)).toBe(true);
    expect(repeats(replaced, move)).toBe(true);
    const elsewhere = setOf(touch('a.txt', 'x\n', null), touch('b.txt', null, 'y\n'));
    expect(repeats(elsewhere, move)).toBe(false);
    const deletion = changeOf(buildDelete({ ...paths, file: stored('x\n') }));
    expect(repeats(deletion, move)).toBe(false);
    expect(repeats(move, deletion)).toBe(false);
    expect(repeats(setOf(touch('a.txt', 'x\n', null), touch('c.txt', null, 'z\n')), deletion)).toBe(true);
  });

  it('is known if several changes together leave its files, in any order and with others between them (S108)', () => {
    const both = setOf(touch('a.txt', 'x\n', 'y\n'), touch('file.txt', BEFORE, AFTER), touch('new.txt', null, 'n\n'));
    const parts = [
      setOf(touch('new.txt', null, 'n\n')),
      whole,
      setOf(touch('a.txt', 'x\n', 'y\n')),
      setOf(touch('b.txt', 'x\n', 'y\n')),
    ];
    expect(repeatTogether(parts, both)).toBe(true);
    expect(repeatTogether(parts.toReversed(), both)).toBe(true);
    expect(repeatTogether(membersOf(both), both)).toBe(true);
    for (const left of parts.slice(0, 3))
      expect(
        repeatTogether(
          parts.filter((one) => one !== left),
          both,
        ),
      ).toBe(false);
    const other = setOf(touch('a.txt', 'x\n', 'z\n'));
    expect(repeatTogether([...parts.slice(0, 2), other], both)).toBe(false);
  });

  it('compares places alone where a set was stored without what it leaves (S108)', () => {
    const { results, ...older } = set.op === 'set' ? set : { ...set, results: undefined };
    expect(results).toHaveLength(1);
    const denied: Change = older;
    expect(resultsOf(denied)).toBeNull();
    expect(repeats(set, denied)).toBe(true);
    expect(repeats(whole, denied)).toBe(false);
  });

  it('is known if several places together restore the text that a person replaced with their own (S109)', () => {
    const own = BEFORE.replace('line 5\n', 'FIVE\n');
    const change = rewriteOf(BEFORE, own) ?? whole;
    const userEdit = { change, originalChange: whole, revertRegion: EMPTY_REGION };
    const restoring = setOf(touch('file.txt', own, AFTER));
    expect(membersOf(restoring)).toHaveLength(2);
    expect(isRevertOfUserEdit(restoring, userEdit, () => [])).toBe(true);
    const further = setOf(touch('file.txt', own, own.replace('line 30\n', 'thirty\n')));
    expect(isRevertOfUserEdit(further, userEdit, () => [])).toBe(false);
  });
});
