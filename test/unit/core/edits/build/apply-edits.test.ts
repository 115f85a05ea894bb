import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../../src/core/edits/build/apply-edits.ts';
import { buildEdit } from '../../../../../src/core/edits/build/build-edit.ts';
import { applyRegion } from '../../../../../src/core/edits/region.ts';
import { createLineTable } from '../../../../../src/core/edits/text/line-table.ts';
import { stored } from '../samples.ts';

const line = fc.constantFrom('a', 'b', 'c', 'ab', '');

const piece = fc.constantFrom('a', 'b', 'a\n', '\nb', 'b\nc', 'x', '');

const edit = fc.record({ oldString: piece, newString: piece, replaceAll: fc.boolean() });

describe('several edits of one file', () => {
  it('come to the same text as one after the other, as lines that do not touch (S145)', () => {
    let made = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(edit, { minLength: 2, maxLength: 5 }), (lines, edits) => {
        const text = lines.map((one) => `${one}\n`).join('');
        const result = applyEdits(createLineTable(text), edits);
        const expected = edits.reduce<string | null>(
          (before, one) => (before === null ? null : after(before, one)),
          text,
        );
        if (result.kind === 'refused') return;
        expect(expected).not.toBeNull();
        expect(rewritten(text, result.spans)).toBe(expected);
        expect(rewritten(text, [result.combinedSpan])).toBe(expected);
        for (const [index, span] of result.spans.entries())
          expect(span.start).toBeGreaterThan(result.spans[index - 1]?.end ?? -1);
        const built = buildEdit({ path: 'a', repositoryName: 'shop', file: stored(text), edits });
        if (built.kind !== 'change' || built.change.region === null) return;
        made += 1;
        expect(applyRegion(text, built.change.region)).toBe(expected);
      }),
      { numRuns: 1500 },
    );
    expect(made).toBeGreaterThan(20);
  });

  it('cannot take away the signs of a secret and then quote it (S145)', () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const file = stored(`token = "${secret}"\nnext\n`);
    const edits = [
      { oldString: 'token', newString: 'other', replaceAll: false },
      { oldString: 'nxt', newString: 'x', replaceAll: false },
    ];
    const built = buildEdit({ path: 'a', repositoryName: 'shop', file, edits });
    expect(built).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(built)).not.toContain(secret);
  });
});

/** The text after an edit that can be made; null if it cannot. */
function after(
  text: string,
  { oldString, newString, replaceAll }: { oldString: string; newString: string; replaceAll: boolean },
): string | null {
  const result = applyEdits(createLineTable(text), [{ oldString, newString, replaceAll }]);
  return result.kind === 'edited' ? rewritten(text, result.spans) : null;
}

function rewritten(text: string, spans: readonly { start: number; end: number; text: string }[]): string {
  let [result, at] = ['', 0];
  for (const span of spans) {
    result += text.slice(at, span.start) + span.text;
    at = span.end;
  }
  return result + text.slice(at);
}
