import { describe, expect, it, vi } from 'vitest';
import { rememberTexts } from '../../../src/lib/remember-texts.ts';

const lengthOf = () => vi.fn((text: string) => ({ length: text.length }));

describe('results of a text that are remembered', () => {
  it('are computed once, and shared', () => {
    const compute = lengthOf();
    const remembered = rememberTexts(compute, { maxCharacters: 1_000 });
    expect(remembered('one')).toBe(remembered('one'));
    expect(remembered('three')).toEqual({ length: 5 });
    expect(compute).toHaveBeenCalledTimes(2);
  });

  it('are forgotten when they are too many together, those first that nobody asked for the longest', () => {
    const compute = lengthOf();
    const remembered = rememberTexts(compute, { maxCharacters: 1_000 });
    const [a, b, c] = ['a'.repeat(400), 'b'.repeat(400), 'c'.repeat(400)];
    for (const text of [a, b, a, c]) remembered(text);
    compute.mockClear();
    remembered(a);
    expect(compute).not.toHaveBeenCalled();
    remembered(b);
    expect(compute).toHaveBeenCalledTimes(1);
  });

  it('are not kept for a text that is longer than all that fits, and it displaces nothing', () => {
    const compute = lengthOf();
    const remembered = rememberTexts(compute, { maxCharacters: 1_000 });
    const long = 'x'.repeat(1_000);
    for (const text of ['short', long, long, 'short']) remembered(text);
    expect(compute).toHaveBeenCalledTimes(3);
  });
});
