import { describe, expect, it } from 'vitest';
import { selectDiffs } from '../../../../../src/core/agent/context/diff-excerpt.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

const HIDDEN = '\u{200B}';

describe('hidden characters, which take time to escape', () => {
  it('are escaped only in a few patches of a pull request, and the others are named (S139)', () => {
    const patch = `@@ -0,0 +1 @@\n+${HIDDEN.repeat(10_000)}`;
    const files = Array.from({ length: 600 }, (_, index) => {
      return { path: `a${index}`, previousPath: null, status: 'added', added: 1, removed: 0, patch };
    });
    const used = cpuSeconds(() => expect(selectDiffs(files, 32_000, DEFAULT_SETTINGS).omitted).toHaveLength(600));
    expect(used).toBeLessThan(1);
  });
});
