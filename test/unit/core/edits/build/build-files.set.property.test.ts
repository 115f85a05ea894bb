import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSet, type TouchedPath } from '../../../../../src/core/edits/build/build-files.ts';
import type { FileChange } from '../../../../../src/core/edits/change.ts';
import { recomputedDigest, setDigest } from '../../../../../src/core/edits/digest.ts';
import { applyRegion, composeFile } from '../../../../../src/core/edits/region.ts';
import { stored } from '../samples.ts';

const PATHS = ['a.txt', 'b.txt', 'c/d.txt', 'e.txt'];

type Tree = ReadonlyMap<string, string>;

const anyText = fc
  .array(fc.constantFrom('one', 'two', 'three', '', 'x\r', 'é'), { maxLength: 30 })
  .chain((lines) => fc.boolean().map((isTerminated) => lines.join('\n') + (isTerminated ? '\n' : '')));

type Step =
  | { readonly op: 'write'; readonly path: string; readonly text: string }
  | { readonly op: 'line'; readonly path: string; readonly at: number; readonly text: string }
  | { readonly op: 'delete'; readonly path: string }
  | { readonly op: 'move'; readonly path: string; readonly to: string };

const anyPath = fc.constantFrom(...PATHS);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constant('write' as const), path: anyPath, text: anyText }),
  fc.record({ op: fc.constant('line' as const), path: anyPath, at: fc.nat(30), text: fc.constantFrom('', 'new\n') }),
  fc.record({ op: fc.constant('delete' as const), path: anyPath }),
  fc.record({ op: fc.constant('move' as const), path: anyPath, to: anyPath }),
);

type Draft = { readonly text: string; readonly origin: string | null };

/** Makes the steps in order, as far as they are possible. */
function play(head: Tree, steps: readonly Step[]): readonly TouchedPath[] {
  const files = new Map<string, Draft | null>([...head].map(([path, text]) => [path, { text, origin: path }]));
  for (const step of steps) {
    const file = files.get(step.path) ?? null;
    if (step.op === 'write') files.set(step.path, { text: step.text, origin: file?.origin ?? null });
    else if (file === null) continue;
    else if (step.op === 'delete') files.set(step.path, null);
    else if (step.op === 'move' && (files.get(step.to) ?? null) === null) files.set(step.path, null).set(step.to, file);
    else if (step.op === 'line') {
      const lines = file.text.split(/(?<=\n)/);
      lines.splice(step.at, 1, step.text);
      files.set(step.path, { ...file, text: lines.join('') });
    }
  }
  return [...files].map(([path, file]) => {
    const before = head.get(path);
    return {
      path,
      before: before === undefined ? null : stored(before),
      after: file === null ? null : stored(file.text),
      origin: file?.origin ?? null,
    };
  });
}

/** Applies members to the head, each as it is committed. */
function applied(head: Tree, members: readonly FileChange[]): Tree {
  const files = new Map(head);
  for (const { op, path, from, region } of members) {
    if (op === 'delete') files.delete(path);
    const source = head.get(from ?? path) ?? '';
    if (op === 'move') files.delete(from ?? '');
    if (op === 'move' || op === 'write') files.set(path, region === null ? source : applyRegion(source, region));
  }
  const edits = members.filter(({ op }) => op === 'edit');
  for (const [path, ofPath] of Map.groupBy(edits, (member) => member.path))
    files.set(
      path,
      composeFile(
        head.get(path) ?? '',
        ofPath.flatMap(({ region }) => region ?? []),
      ).text,
    );
  return files;
}

const anyHead = fc
  .tuple(...PATHS.map((path) => fc.option(anyText).map((text) => [path, text] as const)))
  .map((files): Tree => new Map(files.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const]))));

describe('the members of a set', () => {
  it('applied to the head are what the calls leave, in any order of calls (S146)', () => {
    let sets = 0;
    fc.assert(
      fc.property(anyHead, fc.array(anyStep, { minLength: 1, maxLength: 8 }), (head, steps) => {
        const touched = play(head, steps);
        const built = buildSet({ summary: 'all', repositoryName: 'shop', touched });
        const left = new Map(
          touched.flatMap(({ path, after }) => (after === null ? [] : [[path, textOf(after.bytes)]])),
        );
        if (built.kind === 'refused') {
          expect(built.output).toContain('No changes');
          expect(left).toEqual(head);
          return;
        }
        const members = built.change.members;
        if (members.length > 1) sets += 1;
        expect(new Map([...applied(head, members)].toSorted())).toEqual(new Map([...left].toSorted()));
        expect(recomputedDigest(built.change)).toBe(built.change.digest);
      }),
      { numRuns: 400 },
    );
    expect(sets).toBeGreaterThan(200);
  });

  it('all count for the digest: another, a missing or a further one, or another order changes it (S146)', () => {
    const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
    fc.assert(
      fc.property(fc.uniqueArray(digest, { minLength: 3, maxLength: 6 }), fc.nat(5), (all, at) => {
        const [other = '', ...digests] = all;
        const index = at % digests.length;
        const whole = setDigest(digests);
        expect(setDigest(digests.with(index, other))).not.toBe(whole);
        expect(setDigest(digests.toSpliced(index, 1))).not.toBe(whole);
        expect(setDigest([...digests, other])).not.toBe(whole);
        expect(setDigest(digests.toReversed())).not.toBe(whole);
      }),
    );
  });
});

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
