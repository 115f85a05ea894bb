import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BuildResult } from '../../../../../src/core/edits/build/build-change.ts';
import { buildEdit } from '../../../../../src/core/edits/build/build-text.ts';
import { ChangePayloadSchema, MAX_DIFF_BYTES } from '../../../../../src/core/edits/change.ts';
import { createRegionPattern, findWithContext } from '../../../../../src/core/edits/locate-region.ts';
import { decodeText } from '../../../../../src/core/edits/text/characters.ts';
import { createLineTable } from '../../../../../src/core/edits/text/line-table.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { fileAfter } from '../file-after.ts';
import { changeOf, editOf, stored } from '../samples.ts';
import { edit, output, path, repositoryName, write } from './total-file.ts';

describe('buildEdit', () => {
  it('has the payload of an edit (S19, S22, K15)', () => {
    const text = 'import os\nimport sys\n\ndef helper():\n    pass\n';
    const { payload } = changeOf(edit(text, 'import os\nimport sys', 'import os\nimport sys\nimport json'));
    expect(payload).toEqual({
      type: 'edit',
      description: 'Edit src/total.ts: add 1 line at line 3',
      path,
      sandbox: repositoryName,
      old_string: 'import os\nimport sys',
      new_string: 'import os\nimport sys\nimport json',
      replace_all: false,
      unified_diff:
        '--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,5 +1,6 @@\n import os\n import sys\n+import json\n \n def helper():\n     pass\n',
      diff_lines: 9,
      match_line: 1,
      match_count: 1,
      context_before: '',
      context_after: '\ndef helper():\n    pass',
      file_lines: 5,
      file_bytes: 45,
    });
    expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
  });

  it('the error about a missing text is exact, with and without a suggestion (T6, S5, K16)', () => {
    expect(output(edit('let total = 0\n', 'let totl = 0', 'x'))).toBe(
      'old_string not found in src/total.ts. File contains 1 lines. Did you mean: "let total = 0" (line 1)?',
    );
    expect(output(edit('a\nb\n', 'qqqqqq', 'b'))).toBe(
      'old_string not found in src/total.ts. File contains 2 lines. new_string is already present at line 2.',
    );
  });

  it.each([
    ['a no-break space', 'const price\u{A0}= 12;\n', 'const price = 12;', 'const price\\u00a0= 12;'],
    ['a zero-width space', 'const pri\u{200B}ce = 12;\n', 'const price = 12;', 'const pri\\u200bce = 12;'],
    ['a combining character', 'drink cafe\u{301} noir\n', 'drink caf\u{E9} noir', 'drink cafe\\u0301 noir'],
    ['an invisible surrogate pair', 'const a\u{E0061} = 12;\n', 'const a = 12;', 'const a\\udb40\\udc61 = 12;'],
    ['nothing of a family emoji', 'say 👩‍👧 loudly ❤️\n', 'say 👩‍👧 loudly', 'say 👩‍👧 loudly ❤️'],
  ])('a suggestion escapes %s, so that the next call finds it (S5)', (_, text, oldString, shown) => {
    const refused = output(edit(text, `${oldString}\nx`, 'y'));
    const [, suggestion = ''] = /Did you mean: (".*") \(line 1\)/.exec(refused) ?? [];
    expect(suggestion).toBe(`"${shown}"`);
    expect(edit(text, JSON.parse(suggestion), 'y').kind).toBe('change');
  });

  it('refuses files and texts that cannot be edited (S15, E10, E12)', () => {
    const of = (bytes: Uint8Array) =>
      output(
        buildEdit({
          path,
          repositoryName,
          file: { ...stored(''), bytes },
          edits: [{ oldString: 'a', newString: 'b', replaceAll: false }],
        }),
      );
    expect(of(new Uint8Array([0x61, 0]))).toContain('binary');
    expect(of(new Uint8Array([0xe9]))).toContain('UTF-8');
    expect(of(new Uint8Array(512_001).fill(0x61))).toMatch(/512001 bytes.*512000 bytes/);
    expect(output(edit('version https://git-lfs.github.com/spec/v1\noid a\n', 'a', 'b'))).toContain('LFS');
    expect(output(edit(`a${'é'.repeat(255_990)}`, 'a', 'b'.repeat(21)))).toMatch(/would have 512001 bytes/);
    expect(output(edit('a', 'a', '\0'))).toContain('NUL');
    expect(output(edit('a', 'a', '\u{DC00}'))).toContain('surrogate');
  });

  const tiny = (word: string, count: number) => `${word}\n`.repeat(count);
  const lines = (count: number, word: string) =>
    Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
  it.each<[string, () => BuildResult]>([
    ['20,000 lines, all different', () => write(lines(20_000, 'old line'), lines(20_000, 'new line'))],
    ['every line by replace_all', () => edit(tiny('some words', 24_000), 'words', 'others', true)],
    ['as many lines by an edit', () => edit(tiny('', 200_000), tiny('', 200_000), tiny('x', 200_000))],
    ['lines with CRLF by replace_all', () => edit(tiny('y\r', 90_000), 'y\ny\n', 'x\nx\n', true)],
  ])('%s are more than people can review (S15, T16)', (_name, build) => {
    expect(output(build())).toMatch(/ is \d+ kB and at most 55 kB can be reviewed/);
  });

  it.each([
    ['plain', 'a\n'.repeat(50_000), 'x'.repeat(20_000), 1_000_050_000],
    ['with CRLF', 'a\r\n'.repeat(5000), 'x\ny'.repeat(4000), 60_010_000],
  ])(
    'refuses a result that would be too large without building it: %s (S15, H6)',
    (_name, text, newString, characters) => {
      expect(output(edit(text, 'a', newString, true))).toContain(
        `would have at least ${characters} bytes and at most 512000`,
      );
    },
  );

  it('counts the byte order mark of the file only once (S11, S15)', () => {
    const text = `\u{FEFF}${'a\n'.repeat(10_000)}`;
    const built = edit(text, 'a', `\u{FEFF}${'b'.repeat(48)}`, true);
    expect(output(built)).toMatch(/^Not proposed: the diff/);
  });

  it('a match with a byte order mark proves nothing about the text below (S11, S94)', () => {
    const twice = '\u{FEFF}a\nb\nc\nd\n'.repeat(2);
    expect(changeOf(edit(twice, '\u{FEFF}a', 'x')).uniqueInBase).toBe(false);
    expect(changeOf(edit(`${twice}e\n`, 'd\ne', 'd\nf')).uniqueInBase).toBe(true);
  });

  it('uniqueInBase is true exactly if the lines with their context occur once (S94, B4)', () => {
    const few = fc.array(fc.constantFrom('a', 'b', 'ab', ''), { maxLength: 9 }).map((lines) => lines.join('\n'));
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(few, few, few, fc.boolean(), (text, oldString, newString, all) => {
        const built = edit(text, oldString, newString, all);
        if (built.kind === 'refused' || built.change.region === null) return;
        const places = findWithContext(createLineTable(text), createRegionPattern(built.change.region), 'old');
        expect(built.change.uniqueInBase).toBe(places.length === 1);
        seen.add(built.change.uniqueInBase);
      }),
      { numRuns: 1_000, examples: [[`b\n${'a\n'.repeat(8)}`, 'b\na', 'b\na\na', false]] },
    );
    expect(seen.size).toBe(2);
  });

  it('a change is refused from one byte above the limit (T16, B16)', () => {
    const common = '--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,1 +1,5 @@\n-a\n+\n+\n+\n+\n+\n'.length;
    const quarter = `${'b'.repeat(10_000)}\n`.repeat(4);
    const fits = quarter + 'b'.repeat(MAX_DIFF_BYTES - common - 4 * 10_000);
    expect(edit('a\n', 'a', fits).kind).toBe('change');
    const most = MAX_DIFF_BYTES / 1000;
    expect(output(edit('a\n', 'a', `${fits}b`))).toBe(
      `Not proposed: the diff of src/total.ts is ${most + 1} kB and at most ${most} kB can be reviewed. Split it into smaller changes.`,
    );
  });

  it('the bytes come from the stored region; a tampered one is refused (B3, S92)', () => {
    const change = editOf('a\nb\nc\n', 'b', 'B');
    const { bytes } = stored('a\nb\nc\n');
    expect(decodeText(fileAfter(bytes, change))).toEqual({ kind: 'text', text: 'a\nB\nc\n' });
    const { region } = change;
    if (region === null) throw new Error('no region');
    expect(() => fileAfter(bytes, { ...change, region: { ...region, new: ['b!\n'] } })).toThrow();
    expect(() => fileAfter(bytes, { ...change, region: { ...region, oldStart: 1 } })).toThrow();
    expect(() => fileAfter(stored('a\nb\nd\n').bytes, change)).toThrow();
    expect(() => fileAfter(null, change)).toThrow();
  });

  it('a file keeps its mode (E5)', () => {
    const file = stored('a\n', '100755');
    const change = changeOf(
      buildEdit({ path, repositoryName, file, edits: [{ oldString: 'a', newString: 'b', replaceAll: false }] }),
    );
    expect([change.base?.mode, change.result?.mode]).toEqual(['100755', '100755']);
  });

  it('an edit of a large file costs little more than reading it', () => {
    const text = Array.from({ length: 15_000 }, (_, index) => `const value${index} = ${index};\n`).join('');
    const build = () => expect(edit(text, 'const value14000 = 14000;', 'const value = 1;').kind).toBe('change');
    expect(cpuSeconds(build)).toBeLessThan(6);
  });

  it('leading spaces are not measured again for each of many short lines (H6)', () => {
    const oldString = `${' '.repeat(400_000)}ab\n${'c\n'.repeat(29_000)}`;
    const build = () => expect(output(edit('d\n', oldString, 'x'))).toContain('not found');
    expect(cpuSeconds(build)).toBeLessThan(4);
  });
});
