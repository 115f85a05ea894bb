import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundResults, MAX_RESULTS_BYTES } from '../../../../../src/core/agent/shared/response-size.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import type { CallResult } from '../../../../../src/core/step/signals.ts';

function output(callId: string, text: string): CallResult {
  return { turn: 1, callId, kind: 'output', output: text };
}

function outputsOf(results: readonly CallResult[]): readonly string[] {
  return results.flatMap((result) => (result.kind === 'output' ? [result.output] : []));
}

describe('the results of one response', () => {
  it('stay as they are while they fit together (S168)', () => {
    const results = [output('a', 'x'.repeat(64_000)), output('b', 'y'.repeat(32_000))];
    expect(boundResults(results, () => 'search')).toEqual(results);
  });

  it('are cut at the longest, at the end of a line, and the cut says how to get the rest (S168)', () => {
    const lines = Array.from({ length: 4000 }, (_, index) => `a line of the file with the number ${index + 1}\n`).join(
      '',
    );
    const reading = { path: 'a.ts', ref: 'head', blob: 'b', shown: [{ first: 101, last: 4100 }] } as const;
    const results: readonly CallResult[] = [
      output('short', 'ok'),
      { turn: 1, callId: 'read', kind: 'output', output: `File a.ts: lines\n${lines}`, reading },
      output('search', 'é\n'.repeat(40_000)),
    ];
    const [short, read, search] = boundResults(results, ({ callId }) => (callId === 'read' ? 'read_file' : 'search'));
    expect(short).toEqual(results[0]);
    const last = read?.kind === 'output' ? (read.reading?.shown[0]?.last ?? 0) : 0;
    expect(outputsOf(read === undefined ? [] : [read])[0]).toMatch(
      new RegExp(
        `\\na line of the file with the number ${last - 100}\\n\\[Cut: the results of one response have at most 96 kB together\\. For the rest call read_file with start ${last + 1} in your next response\\.\\]$`,
      ),
    );
    expect(search).toMatchObject({
      output: expect.stringMatching(/é\n\[Cut: .* search with a narrower glob or query/),
    });
  });

  it('a line that does not fit is shown in part and counts as not shown (S168)', () => {
    const reading = { path: 'a.ts', ref: 'head', blob: 'b', shown: [{ first: 1, last: 1 }] } as const;
    const text = `File\n${'é'.repeat(60_000)}`;
    const [first] = boundResults([{ turn: 1, callId: 'a', kind: 'output', output: text, reading }], () => null);
    expect(first).toMatchObject({
      output: expect.stringContaining('read_file with start 1 in'),
      reading: { shown: [] },
    });
  });

  it('of any lengths keep the limit together, and the shorter ones stay whole (S168)', () => {
    const text = fc.array(fc.constantFrom('é'.repeat(3000), '\n', '👍'.repeat(999), 'x'.repeat(20_000)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
        const results = texts.map((parts, index) => output(`${index}`, parts.join('')));
        const bounded = outputsOf(boundResults(results, () => 'list_files'));
        expect(bounded.reduce((sum, one) => sum + byteLength(one), 0)).toBeLessThanOrEqual(MAX_RESULTS_BYTES);
        for (const [index, one] of bounded.entries()) {
          expect(one.isWellFormed()).toBe(true);
          const whole = outputsOf(results)[index] ?? '';
          if (byteLength(whole) <= MAX_RESULTS_BYTES / texts.length) expect(one).toBe(whole);
        }
      }),
    );
  });
});
