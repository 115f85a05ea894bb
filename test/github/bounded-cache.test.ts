import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openBoundedCache } from '../../src/github/bounded-cache.ts';

it('keeps at most its capacity, and of that what was used last', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), weight: fc.integer({ min: 1, max: 6 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const cache = openBoundedCache<number>(10, (weight) => weight);
      // The plain model: newest last.
      let kept: { key: string; weight: number }[] = [];
      for (const { key, weight } of steps) {
        cache.set(key, weight);
        kept = [...kept.filter((entry) => entry.key !== key), { key, weight }];
        while (kept.reduce((sum, entry) => sum + entry.weight, 0) > 10) kept.shift();
      }
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        expect(cache.get(key)).toBe(kept.find((entry) => entry.key === key)?.weight);
      }
    }),
    { numRuns: 300 },
  );
});

it('reading counts as use, and what is too heavy is not kept', () => {
  const cache = openBoundedCache<number>(3, (weight) => weight);
  cache.set('old', 1);
  cache.set('new', 1);
  cache.get('old');
  cache.set('third', 2);
  expect([cache.get('old'), cache.get('new'), cache.get('third')]).toEqual([1, undefined, 2]);
  cache.set('third', 9);
  expect([cache.get('old'), cache.get('third')]).toEqual([1, undefined]);
});
