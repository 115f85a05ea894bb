import { describe, expect, it } from 'vitest';
import { selectDiffs } from '../../../src/core/agent/context/diff-excerpt.ts';
import { formatPullDiff } from '../../../src/core/agent/tools/pull-diff.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/state/settings.ts';
import { redactDiff } from '../../../src/lib/redaction.ts';

/** Both texts with which the model gets a diff. */
function shownDiffs(patch: string): string {
  const facts = { path: 'config/app.conf', previousPath: null, status: 'modified', added: 1, removed: 1 } as const;
  const files = [{ ...facts, patch }];
  const rules = DEFAULT_SETTINGS;
  return JSON.stringify([selectDiffs(files, 32_000, rules), formatPullDiff({ files, path: null, rules })]);
}

const keyRow = (n: number): string =>
  `MIIEowIBAAKCAQEA${String(n).padStart(4, '0')}abcdefghijABCDEFGHIJ0123456789+/abcdefghij`.slice(0, 64);

describe('a secret in a hunk (X10)', () => {
  it.each([
    ['an AWS key', 'export PRODUCTION_DEPLOYMENT_AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY99'],
    ['a password', 'primary_database_address_of_the_shop = postgres://admin:correct-horse-battery@db.example'],
  ])('%s does not reach the model by the heading, which git cuts after 80 bytes (X10)', (_, line) => {
    const shown = shownDiffs(`@@ -10,3 +10,3 @@ ${line.slice(0, 80)}\n a=1\n-b=1\n+b=2\n c=1`);
    expect(shown).not.toMatch(/wJalr|correct-horse/);
    expect(shown).toContain('@@ -10,3 +10,3 @@\\n a=1\\n-b=1\\n+b=2');
  });

  it('rows in the middle of a private key are masked, and keep their signs (X10)', () => {
    const [above, below] = [
      [1, 2, 3],
      [5, 6, 7],
    ].map((numbers) => numbers.map((n) => ` ${keyRow(n)}`));
    const patch = ['@@ -10,7 +10,7 @@', ...(above ?? []), `-${keyRow(4)}`, `+${keyRow(14)}`, ...(below ?? [])];
    expect(shownDiffs(patch.join('\n'))).not.toContain('MIIEowIBAAKCAQEA');
    expect(
      redactDiff(patch.join('\n'))
        .split('\n')
        .map((row) => row.slice(0, 1)),
    ).toEqual([...'@   -+   ']);
  });

  it.each([64, 70, 76])(
    'a single row of a private key is masked: %i letters, which only such rows have (X10)',
    (length) => {
      const row = `Qw7${keyRow(1)}${keyRow(2)}`.slice(0, length);
      for (const sign of ['-', '+', ' '])
        for (const end of ['', '\r']) {
          const patch = ['@@ -3,2 +3,2 @@', '-old: 1', `${sign}  ${row}${end}`, ' a: 1'].join('\n');
          expect(redactDiff(patch)).toBe(patch.replace(`  ${row}${end}`, '[redacted]'));
        }
      const name = `${'GoogleCloudDocumentV1'.repeat(2)}${'GroundTruthLabelingOptionsOfTheProcessor'}`.slice(0, length);
      expect(redactDiff(`@@ -3 +3 @@\n-${name}\n+a\n`)).toContain(name);
      expect(redactDiff(`@@ -3 +3 @@\n-${`${row.slice(0, -2)}==`}\n+a\n`)).toBe('@@ -3 +3 @@\n-[redacted]\n+a\n');
    },
  );

  it('two rows of base64, and digests in hexadecimal, stay (X10)', () => {
    const digest = (n: number): string => `+${String(n).repeat(8)}${'0f'.repeat(28)}`;
    const patch = ['@@ -1 +1,6 @@', `+${keyRow(1)}`, `+${keyRow(2)}`, ' a', ...[1, 2, 3, 4].map(digest)].join('\n');
    expect(redactDiff(patch)).toBe(patch);
  });
});
