import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWrite } from '../../../../../src/core/edits/build/build-text.ts';
import { formatUnifiedDiff, refineBlock } from '../../../../../src/core/edits/build/unified-diff.ts';
import { regionBetween, regionIndex } from '../../../../../src/core/edits/region.ts';
import { parseHunks } from '../../../../../src/core/edits/text/hunks.ts';
import { createLineTable } from '../../../../../src/core/edits/text/line-table.ts';
import { fileAfter } from '../file-after.ts';
import { anyLine, anyText, changeOf, editOf, rewriteOf, rewritten, shownDiff, stored } from '../samples.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unified-diff-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The file after a tool applied the diff; `before` is null for a new file. */
function applied(tool: 'patch' | 'git', before: string | null, diff: string, path = 'file.txt'): string {
  const target = join(folder, path);
  rmSync(target, { force: true });
  if (before !== null) writeFileSync(target, before);
  const options: ExecFileSyncOptions = { cwd: folder, input: diff, stdio: ['pipe', 'ignore', 'pipe'] };
  if (tool === 'git') execFileSync('git', ['apply', '--whitespace=nowarn', '-p1'], options);
  else execFileSync('patch', ['-p1', '--quiet', '--fuzz=0', '--no-backup-if-mismatch'], options);
  return readFileSync(target, 'utf8');
}

/** The diff between two texts, including line endings; null if they are equal. */
function rewriteExactly(before: string, after: string): string | null {
  const region = regionBetween(before, after);
  if (region === null) return null;
  const blocks = refineBlock({ index: regionIndex(region), old: region.old, new: region.new });
  return formatUnifiedDiff({ path: 'file.txt', existedBefore: true, base: createLineTable(before), blocks });
}

const base = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join('');

describe('unified_diff', () => {
  it('distant places have separate hunks, near ones share one (S23)', () => {
    const text = base.replaceAll(/line (?:2|5|25)\n/g, 'same\n');
    const change = editOf(text, 'same', 'other', true);
    expect(parseHunks(shownDiff(change))).toHaveLength(2);
    expect(applied('patch', text, shownDiff(change))).toBe(text.replaceAll('same', 'other'));
  });

  it.each(['patch', 'git'] as const)('a new file comes from /dev/null (%s) (S23)', (tool) => {
    const built = buildWrite({
      path: 'my file.txt',
      repositoryName: 'shop',
      file: null,
      content: 'a\nb',
      lastReadBlob: null,
    });
    const diff = shownDiff(changeOf(built));
    expect(diff).toBe('--- /dev/null\n+++ b/my file.txt\t\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n');
    expect(applied(tool, null, diff, 'my file.txt')).toBe('a\nb');
  });

  it.each(['patch', 'git'] as const)('applies to the base and gives the stored bytes (%s) (S23)', (tool) => {
    fc.assert(
      fc.property(rewritten(anyText), ({ before, after }) => {
        const change = before === '' ? null : rewriteOf(before, after);
        if (change === null) return;
        const result = new TextDecoder('utf-8', { ignoreBOM: true }).decode(fileAfter(stored(before).bytes, change));
        expect(applied(tool, before, shownDiff(change))).toBe(result);
      }),
      { numRuns: 20 },
    );
  });

  it.each(['patch', 'git'] as const)(
    'applies in both directions with any line endings and without a final newline (%s) (S23, E11)',
    (tool) => {
      const line = fc.tuple(anyLine, fc.constantFrom('\n', '\r\n', '\r', '\r\r\n')).map((pieces) => pieces.join(''));
      const lines = fc.tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom('', 'end', 'end\r'));
      const whole = lines.map(([before, end]) => before.join('') + end);
      fc.assert(
        fc.property(whole, whole, (one, other) => {
          for (const [before, after] of [
            [one, other],
            [other, one],
          ] as const) {
            const change = rewriteExactly(before, after);
            if (change !== null) expect(applied(tool, before, change)).toBe(after);
          }
        }),
        { numRuns: 20 },
      );
    },
  );

  it.each([
    ['\n', '\n'],
    ['\r\n', '\r\n'],
    ['\r', '\n'],
    ['\n', '\r\n'],
  ])('a large file rewritten here and there, lines ending in %j and %j (S23, E11)', (ending, other) => {
    const text = (word: string, end: string) =>
      Array.from(
        { length: 6_000 },
        (_, at) => `${at % 50 === 0 ? `${word} ` : ''}line ${at % 900}${at % 5 === 0 ? other : ending}`,
      ).join('') + end;
    const [before, after] = [text('old', 'last'), text('new', '')];
    for (const [from, to] of [
      [before, after],
      [after, before],
    ] as const) {
      const diff = rewriteExactly(from, to);
      expect(diff).not.toBeNull();
      for (const tool of ['patch', 'git'] as const) expect(applied(tool, from, diff ?? '') === to).toBe(true);
    }
  });

  it('can be parsed again', () => {
    const [hunk] = parseHunks(shownDiff(editOf(base, 'line 10\n', '@@ -1,1 +1,1 @@\n--- a\n')));
    expect(hunk).toMatchObject({ oldStart: 7, oldLines: 7, newStart: 7, newLines: 8 });
    expect(hunk?.lines.filter(({ kind }) => kind === 'added').map(({ text }) => text)).toEqual([
      '@@ -1,1 +1,1 @@',
      '--- a',
    ]);
  });
});
