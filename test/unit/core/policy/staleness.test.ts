import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileChange, Region } from '../../../../src/core/edits/change.ts';
import { changeDigest } from '../../../../src/core/edits/digest.ts';
import { createRegionPattern, findWithContext } from '../../../../src/core/edits/locate-region.ts';
import {
  applyRegion,
  areRegionsTouching,
  composeFile,
  regionBetween,
  regionRange,
} from '../../../../src/core/edits/region.ts';
import { createLineTable } from '../../../../src/core/edits/text/line-table.ts';
import { assessChange, findAppliedChanges } from '../../../../src/core/policy/staleness.ts';
import type { StalenessVerdict } from '../../../../src/core/state/head-changes.ts';
import type { AppCommit } from '../../../../src/core/state/run.ts';
import { editOf, rewriteOf, stored } from '../edits/samples.ts';

const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);

const base = lines.join('');

function at(text: string, mode = '100644') {
  return { blob: stored(text).ref.blob, mode, text };
}

/** One commit of the run itself, or none if `own` is false. */
function appCommitsOf(own: boolean, from: string, to: string): readonly AppCommit[] {
  const region = own ? regionBetween(from, to) : null;
  return region === null
    ? []
    : [{ blobBefore: stored(from).ref.blob, blobAfter: stored(to).ref.blob, ranges: [regionRange(region)] }];
}

function verdict(change: FileChange, text: string, own = false, from = base): StalenessVerdict {
  return assessChange({ change, file: at(text), appCommits: appCommitsOf(own, from, text) });
}

/** The head after the change is applied, or null if it does not apply. */
function applied(change: FileChange, text: string, own = false, from = base): string | null {
  const found = verdict(change, text, own, from);
  return found.kind === 'applies' ? applyRegion(text, found.region) : null;
}

function replace(line: number, text: string): string {
  return lines.with(line - 1, text).join('');
}

const tenth = editOf(base, 'line 10\n', 'LINE 10\n');

describe('assessChange', () => {
  it('on the blob that it was built on, the change applies as shown (S94)', () => {
    const expected = { kind: 'applies', region: tenth.region, sameDigest: true };
    expect(verdict(tenth, base)).toEqual(expected);
  });

  it('the change is stale if others changed its lines or their context (S94, B1)', () => {
    expect(verdict(tenth, replace(10, 'theirs\n')).kind).toBe('stale');
    expect(verdict(tenth, replace(12, 'theirs\n')).kind).toBe('stale');
    expect(verdict(tenth, replace(14, 'theirs\n')).kind).toBe('applies');
  });

  it('an ambiguous match is stale (S94, B4)', () => {
    expect(verdict(tenth, base + base).kind).toBe('stale');
  });

  it('a commit by the App never makes another change of the file stale, even with repeated lines (B21, S95)', () => {
    const word = fc.constantFrom<string>('a\n', 'b\n', '\n');
    const edit = fc.record({
      at: fc.nat({ max: 30 }),
      cut: fc.nat({ max: 3 }),
      fresh: fc.array(fc.constantFrom('x\n', 'a\n'), { maxLength: 3 }),
    });
    let judged = 0;
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), edit, edit, (text, one, two) => {
        const from = text.join('');
        const [first, second] = [one, two].map(({ at: start, cut, fresh }) =>
          regionBetween(from, text.toSpliced(start % text.length, cut, ...fresh).join('')),
        );
        if (first == null || second == null || areRegionsTouching(first, second)) return;
        judged += 1;
        const uniqueInBase =
          findWithContext(createLineTable(text.join('')), createRegionPattern(second), 'old').length === 1;
        const change: FileChange = {
          ...tenth,
          base: stored(from).ref,
          region: second,
          digest: digestOf(second),
          uniqueInBase,
        };
        const after = applyRegion(from, first);
        expect(applied(change, after, true, from)).toBe(composeFile(from, [first, second]).text);
      }),
      { numRuns: 1_000 },
    );
    expect(judged).toBeGreaterThan(300);
  });

  it('if only this run changed the context, the lines are found where its commits moved them (S94, B21)', () => {
    const text = replace(12, 'ours\n');
    const found = verdict(tenth, text, true);
    expect(found).toMatchObject({
      kind: 'applies',
      sameDigest: false,
      region: { oldStart: 10, after: ['line 11\n', 'ours\n', 'line 13\n'] },
    });
    expect(applied(tenth, text, true)).toBe(text.replace('line 10\n', 'LINE 10\n'));
    expect(verdict(tenth, replace(10, 'ours\n'), true).kind).toBe('stale');
  });

  it('an already applied change is recognized (S50)', () => {
    expect(verdict(tenth, replace(10, 'LINE 10\n')).kind).toBe('already-applied');
    expect(verdict(tenth, `x\n${replace(10, 'LINE 10\n')}`).kind).toBe('already-applied');
    expect(verdict(tenth, `x\n${replace(10, 'LINE 10\r\n')}`).kind).toBe('already-applied');
  });

  it('a write applies only on its blob (S93, K13)', () => {
    const write = rewriteOf(base, replace(10, 'X\n'));
    if (write === null) throw new Error('no change');
    expect(verdict(write, base).kind).toBe('applies');
    expect(verdict(write, `new\n${base}`, true).kind).toBe('stale');
    expect(verdict(write, replace(10, 'X\n')).kind).toBe('already-applied');
  });

  it('an edit with several places applies on its blob, or if only this run changed the file (S93)', () => {
    const text = replace(18, 'line 10\n');
    const several = editOf(text, 'line 10', 'X', true);
    expect(several.placeCount).toBe(2);
    expect(verdict(several, text).kind).toBe('applies');
    expect(verdict(several, `new\n${text}`).kind).toBe('stale');
    expect(applied(several, `new\n${text}`, true, text)).toBe(`new\n${text.replaceAll('line 10\n', 'X\n')}`);
  });

  it('a change of a deleted file or of one with another mode is stale (S93, E5)', () => {
    expect(assessChange({ change: tenth, file: null, appCommits: [] }).kind).toBe('stale');
    expect(assessChange({ change: tenth, file: at(base, '100755'), appCommits: [] }).kind).toBe('stale');
    expect(
      assessChange({ change: tenth, file: { ...at(base), blob: 'f'.repeat(40), text: null }, appCommits: [] }).kind,
    ).toBe('stale');
  });

  it('an edit that applies after others changed the file has exactly the digest that people saw (S92)', () => {
    const word = fc.constantFrom('a\n', 'b\n', 'c\n');
    const texts = fc.array(word, { maxLength: 10 });
    let moved = 0;
    fc.assert(
      fc.property(texts, texts, texts, word, fc.nat({ max: 9 }), fc.boolean(), (text, head, tail, fresh, line, own) => {
        if (text.length === 0) return;
        const after = text.with(line % text.length, fresh);
        const region = regionBetween(text.join(''), after.join(''));
        if (region === null) return;
        const uniqueInBase =
          findWithContext(createLineTable(text.join('')), createRegionPattern(region), 'old').length === 1;
        const ref = stored(text.join('')).ref;
        const change: FileChange = { ...tenth, base: ref, region, digest: digestOf(region), uniqueInBase };
        const now = [...head, ...text, ...tail].join('');
        const found = assessChange({ change, file: at(now), appCommits: appCommitsOf(own, text.join(''), now) });
        if (found.kind !== 'applies') return;
        moved += 1;
        const result = applyRegion(now, found.region);
        expect(found.region).toEqual(regionBetween(now, result));
        expect(found.region.old).toEqual(region.old);
        expect(found.region.new).toEqual(region.new);
        expect(digestOf(found.region) === change.digest).toBe(found.sameDigest);
        if (!own) expect(found.sameDigest).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(moved).toBeGreaterThan(100);
  });
});

function digestOf(region: Region): string {
  const body = { kind: 'region', region } as const;
  return changeDigest({ op: 'edit', path: 'file.txt', fromPath: null, oldMode: '100644', newMode: '100644', body });
}

describe('findAppliedChanges', () => {
  const pending = [3, 7, 12, 18].map((line) => editOf(base, `line ${line}\n`, `LINE ${line}\nmore\n`));

  it('recognizes every non-empty subset exactly (S50, B10)', () => {
    for (let bits = 1; bits < 2 ** pending.length; bits += 1) {
      const chosen = pending.filter((_, index) => bits & (1 << index));
      const { text } = composeFile(
        base,
        chosen.flatMap(({ region }) => region ?? []),
      );
      expect(findAppliedChanges({ baseText: base, headText: text, changes: pending })).toEqual({
        kind: 'subset',
        applied: chosen,
      });
      const windows = text.replaceAll('more\n', 'more\r\n');
      expect(findAppliedChanges({ baseText: base, headText: windows, changes: pending })).toEqual({
        kind: 'subset',
        applied: chosen,
      });
      expect(findAppliedChanges({ baseText: base, headText: `${text}x`, changes: pending }).kind).toBe('other');
    }
  });

  it('an unchanged, deleted or otherwise changed file is no subset (S50)', () => {
    expect(findAppliedChanges({ baseText: base, headText: base, changes: pending }).kind).toBe('other');
    expect(findAppliedChanges({ baseText: base, headText: null, changes: pending }).kind).toBe('other');
    expect(findAppliedChanges({ baseText: base, headText: '', changes: pending }).kind).toBe('other');
  });

  it('works on a base that moved since the changes were built (S50)', () => {
    const moved = `one\ntwo\n${base}`;
    const headText = moved.replace('line 7\n', 'LINE 7\nmore\n');
    expect(findAppliedChanges({ baseText: moved, headText, changes: pending })).toEqual({
      kind: 'subset',
      applied: [pending[1]],
    });
  });

  it('recognizes a new file that a person pushed as proposed (S50)', () => {
    const fresh = { region: regionBetween('', 'a\nb\n') };
    expect(findAppliedChanges({ baseText: null, headText: 'a\nb\n', changes: [fresh] })).toEqual({
      kind: 'subset',
      applied: [fresh],
    });
  });
});
