import { expect, it } from 'vitest';
import { runCases } from '../../../lab/simulation/simulate.ts';

it('some cases have commits that see an older head than GitHub’s responses, and they pass (S95)', async () => {
  // About 50 cases are needed. The exact number changes whenever the App makes other calls.
  let cases = 0;
  for (let found = 0, seed = 101; found === 0 && seed <= 500; seed += 1, cases += 1) {
    const { failures, faults } = await runCases([seed]);
    expect(failures).toEqual([]);
    found = faults['stale-head'] ?? 0;
  }
  expect(cases).toBeLessThan(400);
}, 240_000);
