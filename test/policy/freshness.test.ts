import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change, Region } from '../../src/change/change.ts';
import { changeDigest } from '../../src/change/digest.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { placesWithContext, sidesOf } from '../../src/change/locate.ts';
import { composeFile, rangeOf } from '../../src/change/range.ts';
import { applyRegion, regionBetween, regionsCollide } from '../../src/change/region.ts';
import { judge, recognise, type Verdict } from '../../src/policy/freshness.ts';
import type { OwnEdit } from '../../src/policy/own-history.ts';
import { editOf, rewriteOf, stored } from '../change/samples.ts';
import { cpuSeconds } from '../cpu-time.ts';

const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
const base = lines.join('');

function at(text: string, mode = '100644') {
  return { blob: stored(text).ref.blob, mode, text };
}

/** One commit of the run itself, or of strangers where `own` is false. */
function ownEdits(own: boolean, from: string, to: string): readonly OwnEdit[] {
  const region = own ? regionBetween(from, to) : null;
  return region === null
    ? []
    : [{ before: stored(from).ref.blob, after: stored(to).ref.blob, ranges: [rangeOf(region)] }];
}

function verdict(change: Change, text: string, own = false, from = base): Verdict {
  return judge({ change, file: at(text), ownEdits: ownEdits(own, from, text) });
}

/** What the head becomes where a verdict lets the change through. */
function made(change: Change, text: string, own = false, from = base): string | null {
  const found = verdict(change, text, own, from);
  return found.kind === 'applies' ? applyRegion(text, found.region) : null;
}

function replace(line: number, text: string): string {
  return lines.with(line - 1, text).join('');
}

const tenth = editOf(base, 'line 10\n', 'LINE 10\n');

describe('judge', () => {
  it('S94: on the blob it was built on the change stands as it was shown', () => {
    expect(verdict(tenth, base)).toEqual({ kind: 'applies', region: tenth.region, sameDigest: true });
  });

  it('S94, B4, B21: follows its lines where unrelated lines moved', () => {
    const moved = `new\nnew\n${base}`;
    expect(verdict(tenth, moved)).toMatchObject({ kind: 'applies', sameDigest: true, region: { oldStart: 12 } });
    expect(made(tenth, moved)).toBe(moved.replace('line 10\n', 'LINE 10\n'));
  });

  it('S94, B1: the same lines changed by others, or their context, is stale', () => {
    expect(verdict(tenth, replace(10, 'theirs\n')).kind).toBe('stale');
    expect(verdict(tenth, replace(12, 'theirs\n')).kind).toBe('stale');
    expect(verdict(tenth, replace(14, 'theirs\n')).kind).toBe('applies');
  });

  it('S94, B4: what stands twice is never guessed at', () => {
    expect(verdict(tenth, base + base).kind).toBe('stale');
  });

  it('B21, S95: our own commit never makes another change of the file stale, however the lines repeat', () => {
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
        if (first == null || second == null || regionsCollide(first, second)) return;
        judged += 1;
        const standsOnce = placesWithContext(lineTable(text.join('')), sidesOf(second), 'old').length === 1;
        const change: Change = {
          ...tenth,
          base: stored(from).ref,
          region: second,
          digest: digestOf(second),
          standsOnce,
        };
        const after = applyRegion(from, first);
        expect(made(change, after, true, from)).toBe(composeFile(from, [first, second]).text);
      }),
      { numRuns: 3000 },
    );
    expect(judged).toBeGreaterThan(500);
  });

  it('B4: one of two equal blocks is never taken for the other when the other goes', () => {
    const block = ['open\n', 'a\n', 'b\n', 'c\n', 'close\n'];
    const twins = [...block, 'between\n', ...block].join('');
    const region = regionBetween(twins, twins.replace('b\n', 'B\n'));
    if (region === null) throw new Error('no change');
    const ref = stored(twins).ref;
    const change: Change = { ...tenth, base: ref, region, digest: digestOf({ ...region }), standsOnce: false };
    const firstGone = twins.replace('a\n', 'theirs\n');
    expect(verdict(change, twins, false, twins).kind).toBe('applies');
    expect(verdict(change, firstGone, false, twins).kind).toBe('stale');
    const ours = twins.replace('open\n', 'ours\n');
    expect(verdict(change, ours, true, twins)).toMatchObject({ kind: 'applies', region: { oldStart: 3 } });
  });

  it('S94: a context that ended with the file counts only where it still does', () => {
    const last = editOf(base, 'line 20\n', 'LINE 20\n');
    expect(verdict(last, `new\n${base}`).kind).toBe('applies');
    expect(verdict(last, `${base}more\n`).kind).toBe('stale');
  });

  it('S94, B21: where only this run changed the context, the lines are found where its commits moved them', () => {
    const text = replace(12, 'ours\n');
    const found = verdict(tenth, text, true);
    expect(found).toMatchObject({
      kind: 'applies',
      sameDigest: false,
      region: { oldStart: 10, after: ['line 11\n', 'ours\n', 'line 13\n'] },
    });
    expect(made(tenth, text, true)).toBe(text.replace('line 10\n', 'LINE 10\n'));
    expect(verdict(tenth, replace(10, 'ours\n'), true).kind).toBe('stale');
  });

  it('S50: the change that is there already is recognised', () => {
    expect(verdict(tenth, replace(10, 'LINE 10\n')).kind).toBe('already-there');
    expect(verdict(tenth, `x\n${replace(10, 'LINE 10\n')}`).kind).toBe('already-there');
    expect(verdict(tenth, `x\n${replace(10, 'LINE 10\r\n')}`).kind).toBe('already-there');
  });

  it('S93, K13: a write holds only on its blob', () => {
    const write = rewriteOf(base, replace(10, 'X\n'));
    if (write === null) throw new Error('no change');
    expect(verdict(write, base).kind).toBe('applies');
    expect(verdict(write, `new\n${base}`, true).kind).toBe('stale');
    expect(verdict(write, replace(10, 'X\n')).kind).toBe('already-there');
  });

  it('S93: an edit with several places holds on its blob, or where only this run changed the file', () => {
    const text = replace(15, 'line 10\n');
    const several = editOf(text, 'line 10', 'X', true);
    expect(several.places).toBe(2);
    expect(verdict(several, text).kind).toBe('applies');
    expect(verdict(several, `new\n${text}`).kind).toBe('stale');
    expect(made(several, `new\n${text}`, true, text)).toBe(`new\n${text.replaceAll('line 10\n', 'X\n')}`);
  });

  it('S93, E5: a file that is gone or has another mode is stale', () => {
    expect(judge({ change: tenth, file: null, ownEdits: [] }).kind).toBe('stale');
    expect(judge({ change: tenth, file: at(base, '100755'), ownEdits: [] }).kind).toBe('stale');
    expect(judge({ change: tenth, file: { ...at(base), blob: 'f'.repeat(40), text: null }, ownEdits: [] }).kind).toBe(
      'stale',
    );
  });

  it('S92: wherever an edit is let through by others, people saw exactly its digest', () => {
    const word = fc.constantFrom('a\n', 'b\n', 'c\n');
    const texts = fc.array(word, { maxLength: 10 });
    let moved = 0;
    fc.assert(
      fc.property(texts, texts, texts, word, fc.nat({ max: 9 }), fc.boolean(), (text, head, tail, fresh, line, own) => {
        if (text.length === 0) return;
        const after = text.with(line % text.length, fresh);
        const region = regionBetween(text.join(''), after.join(''));
        if (region === null) return;
        const standsOnce = placesWithContext(lineTable(text.join('')), sidesOf(region), 'old').length === 1;
        const ref = stored(text.join('')).ref;
        const change: Change = { ...tenth, base: ref, region, digest: digestOf(region), standsOnce };
        const now = [...head, ...text, ...tail].join('');
        const found = judge({ change, file: at(now), ownEdits: ownEdits(own, text.join(''), now) });
        if (found.kind !== 'applies') return;
        moved += 1;
        const result = applyRegion(now, found.region);
        expect(found.region).toEqual(regionBetween(now, result));
        expect(found.region.old).toEqual(region.old);
        expect(found.region.new).toEqual(region.new);
        expect(digestOf(found.region) === change.digest).toBe(found.sameDigest);
        if (!own) expect(found.sameDigest).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(moved).toBeGreaterThan(100);
  });
});

function digestOf(region: Region): string {
  const body = { kind: 'region', region } as const;
  return changeDigest({ op: 'edit', path: 'file.txt', fromPath: null, oldMode: '100644', newMode: '100644', body });
}

describe('recognise', () => {
  const pending = [3, 7, 12, 18].map((line) => editOf(base, `line ${line}\n`, `LINE ${line}\nmore\n`));

  it('S50, B10: every non-empty subset is recognised as exactly itself', () => {
    for (let bits = 1; bits < 2 ** pending.length; bits += 1) {
      const chosen = pending.filter((_, index) => bits & (1 << index));
      const { text } = composeFile(
        base,
        chosen.flatMap(({ region }) => region ?? []),
      );
      expect(recognise({ baseText: base, headText: text, changes: pending })).toEqual({
        kind: 'subset',
        applied: chosen,
      });
      const windows = text.replaceAll('more\n', 'more\r\n');
      expect(recognise({ baseText: base, headText: windows, changes: pending })).toEqual({
        kind: 'subset',
        applied: chosen,
      });
      expect(recognise({ baseText: base, headText: `${text}x`, changes: pending }).kind).toBe('other');
    }
  });

  it('S50: nothing done, the file gone, or a file moved on is no subset', () => {
    expect(recognise({ baseText: base, headText: base, changes: pending }).kind).toBe('other');
    expect(recognise({ baseText: base, headText: null, changes: pending }).kind).toBe('other');
    expect(recognise({ baseText: base, headText: '', changes: pending }).kind).toBe('other');
  });

  it('S50: a base that has moved since the changes were built', () => {
    const moved = `one\ntwo\n${base}`;
    const headText = moved.replace('line 7\n', 'LINE 7\nmore\n');
    expect(recognise({ baseText: moved, headText, changes: pending })).toEqual({
      kind: 'subset',
      applied: [pending[1]],
    });
  });

  it('S50: a new file that a person pushed as it was proposed', () => {
    const fresh = { region: regionBetween('', 'a\nb\n') };
    expect(recognise({ baseText: null, headText: 'a\nb\n', changes: [fresh] })).toEqual({
      kind: 'subset',
      applied: [fresh],
    });
  });

  it('S50: in repetitive files too, what is recognised is what happened', () => {
    const word: fc.Arbitrary<string> = fc.constantFrom('a\n', 'b\n');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat({ max: 11 }), word, fc.boolean()), { maxLength: 5 }),
        (text, wishes) => {
          const regions: { region: Region; taken: boolean }[] = [];
          for (const [line, fresh, taken] of wishes) {
            if (line >= text.length) continue;
            const region = regionBetween(text.join(''), text.toSpliced(line, 1, fresh, 'x\n').join(''));
            if (region !== null && regions.every((other) => !regionsCollide(other.region, region)))
              regions.push({ region, taken });
          }
          const taken = regions.filter((one) => one.taken);
          const headText = composeFile(
            text.join(''),
            taken.map(({ region }) => region),
          ).text;
          const found = recognise({ baseText: text.join(''), headText, changes: regions });
          if (found.kind === 'other') expect(taken).toHaveLength(0);
          else
            expect(found.applied.toSorted((left, right) => left.region.oldStart - right.region.oldStart)).toEqual(
              taken.toSorted((left, right) => left.region.oldStart - right.region.oldStart),
            );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('S50: a repetitive file with many changes ends in time', () => {
    const text = 'a\n'.repeat(20_000);
    const changes = Array.from({ length: 20 }, (_, index) => ({
      region: { oldStart: index * 900, newStart: index * 900 + 1, before: [], old: [], new: ['a\n'], after: [] },
    }));
    const judge = () => expect(recognise({ baseText: text, headText: `${text}a\n`, changes }).kind).toBe('other');
    expect(cpuSeconds(judge)).toBeLessThan(8);
  });
});
