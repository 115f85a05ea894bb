import { expect, it } from 'vitest';
import { formatPullDiff } from '../../../../../src/core/agent/tools/pull-diff.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';

const RULES = { rules: [], operatorRules: [] };

it.each(['plain text of a row', 'ein Satz über Größe', 'この頁の一行です'])(
  'the diff of one long file uses all of its 48 kB, and ends with a whole row: %s (S144)',
  (row) => {
    const added = 3_000;
    const patch = `@@ -0,0 +1,${added} @@\n${Array.from({ length: added }, () => `+${row}`).join('\n')}`;
    const file = { path: 'a.txt', previousPath: null, status: 'added', added, removed: 0, patch } as const;
    const output = formatPullDiff({ files: [file], path: 'a.txt', rules: RULES });
    const [last = '', , note = ''] = output.split('\n').slice(-3);
    expect(last.endsWith(`\t+${row}`)).toBe(true);
    expect(note).toMatch(/^The diff is too long; for the rest read a\.txt with read_file\.$/);
    expect(byteLength(output)).toBeGreaterThan(46_000);
    expect(byteLength(output)).toBeLessThan(65_000);
  },
);
