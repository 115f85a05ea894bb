import { describe, expect, it } from 'vitest';
import { selectDiffs } from '../../../../../src/core/agent/context/diff-excerpt.ts';
import { boundLines } from '../../../../../src/core/agent/context/task-discussion.ts';
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

  it('are escaped only at the end of a hunk (S139)', () => {
    const hunk = `@@ -0,0 +1,240 @@\n${`+${HIDDEN.repeat(4_000)}\n`.repeat(239)}+the end\n`;
    const lines = { path: 'a', line: 1, startLine: null, side: 'RIGHT', hunk } as const;
    const used = cpuSeconds(() => {
      for (let time = 0; time < 10; time += 1) expect(boundLines(lines, 40).hunk).toMatch(/\+the end$/);
    });
    expect(used).toBeLessThan(2);
  });
});
