import { expect, it } from 'vitest';
import { simulate } from '../../src/simulation/simulate.ts';

it('S95: cases in which GitHub’s commits know an older head than it tells hold too, and there are some', async () => {
  // How many cases it takes depends on every call that is made; as a rule some fifty.
  let cases = 0;
  for (let found = 0, seed = 101; found === 0 && seed <= 500; seed += 1, cases += 1) {
    const { failures, faults } = await simulate([seed]);
    expect(failures).toEqual([]);
    found = faults['stale-head'] ?? 0;
  }
  expect(cases).toBeLessThan(400);
}, 240_000);
