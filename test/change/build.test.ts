import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Built, buildEdit } from '../../src/change/build-edit.ts';
import { buildWrite } from '../../src/change/build-write.ts';
import { fenceFor } from '../../src/change/fence.ts';
import { hiddenCharacters, showHidden } from '../../src/change/hidden.ts';
import { MOST_DIFF_BYTES, MOST_PART_BYTES } from '../../src/change/limits.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { placesWithContext, sidesOf } from '../../src/change/locate.ts';
import { outcomeOf } from '../../src/change/outcome.ts';
import { Payload } from '../../src/change/payload.ts';
import { decodeText } from '../../src/change/text.ts';
import { diffParts } from '../../src/render/diff-parts.ts';
import { viewDiff } from '../../src/render/diff-view.ts';
import { cpuSeconds } from '../cpu-time.ts';
import { fileAfter } from './file-after.ts';
import { changeOf, editOf, shownDiff, stored } from './samples.ts';

const path = 'src/total.ts';
const sandbox = 'shop';

function edit(text: string, oldString: string, newString: string, replaceAll = false): Built {
  return buildEdit({ path, sandbox, file: stored(text), oldString, newString, replaceAll });
}

function write(existing: string | null, content: string, seen = true): Built {
  const file = existing === null ? null : stored(existing);
  return buildWrite({ path, sandbox, file, content, seenBlob: seen ? (file?.ref.blob ?? null) : null });
}

function output(built: Built): string {
  return built.kind === 'refused' ? built.output : 'not refused';
}

describe('buildEdit', () => {
  it('S19, S22, K15: the payload of an edit', () => {
    const text = 'import os\nimport sys\n\ndef helper():\n    pass\n';
    const { payload } = changeOf(edit(text, 'import os\nimport sys', 'import os\nimport sys\nimport json'));
    expect(payload).toEqual({
      type: 'edit',
      description: 'Edit src/total.ts: add 1 line at line 3',
      path,
      sandbox,
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
    expect(Payload.parse(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
  });

  it('S4: T5 to the letter', () => {
    expect(output(edit('a\nb\na\n', 'a', 'c'))).toBe(
      'Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 3',
    );
  });

  it('S5, K16: T6 with a suggestion, and without one', () => {
    expect(output(edit('let total = 0\n', 'let totl = 0', 'x'))).toBe(
      'old_string not found in src/total.ts. File contains 1 lines. Did you mean: "let total = 0" (line 1)?',
    );
    expect(output(edit('a\nb\n', 'qqqqqq', 'b'))).toBe(
      'old_string not found in src/total.ts. File contains 2 lines. new_string is already present at line 2.',
    );
  });

  it.each([
    ['a blank that is none', 'const price\u{A0}= 12;\n', 'const price = 12;', 'const price\\u00a0= 12;'],
    ['a space of no width', 'const pri\u{200B}ce = 12;\n', 'const price = 12;', 'const pri\\u200bce = 12;'],
    ['a letter in two parts', 'drink cafe\u{301} noir\n', 'drink caf\u{E9} noir', 'drink cafe\\u0301 noir'],
    ['an invisible letter of two units', 'const a\u{E0061} = 12;\n', 'const a = 12;', 'const a\\udb40\\udc61 = 12;'],
    ['what stands in every emoji of a family', 'say 👩‍👧 loudly ❤️\n', 'say 👩‍👧 loudly', 'say 👩‍👧 loudly ❤️'],
  ])('S5: a suggestion writes out %s, so that the next call finds it', (_, text, sought, shown) => {
    const refused = output(edit(text, `${sought}\nx`, 'y'));
    const [, suggestion = ''] = /Did you mean: (".*") \(line 1\)/.exec(refused) ?? [];
    expect(suggestion).toBe(`"${shown}"`);
    expect(edit(text, JSON.parse(suggestion), 'y').kind).toBe('change');
  });

  it('S7, S8, S17: what changes nothing or looks for nothing is refused before anybody is asked', () => {
    expect(output(edit('a', 'a', 'a'))).toMatch(/^No changes/);
    expect(output(edit('a', '', 'b'))).toContain('write_file');
  });

  it('S15, E10, E12: what is no text of ours to edit', () => {
    const of = (bytes: Uint8Array) =>
      output(
        buildEdit({ path, sandbox, file: { ...stored(''), bytes }, oldString: 'a', newString: 'b', replaceAll: false }),
      );
    expect(of(new Uint8Array([0x61, 0]))).toContain('binary');
    expect(of(new Uint8Array([0xe9]))).toContain('UTF-8');
    expect(of(new Uint8Array(2_000_001).fill(0x61))).toMatch(/2000001 bytes.*2000000 bytes/);
    expect(output(edit('version https://git-lfs.github.com/spec/v1\noid a\n', 'a', 'b'))).toContain('LFS');
    expect(output(edit('a', 'a', '\0'))).toContain('NUL');
    expect(output(edit('a', 'a', '\u{DC00}'))).toContain('surrogate');
  });

  const tiny = (word: string, count = 900_000) => `${word}\n`.repeat(count);
  const lines = (count: number, word: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${word(index)}\n`).join('');
  const [tooLong, tooFar] = [
    /^Not proposed: the diff of src\/total\.ts is at least \d{3,4} kB /,
    /^Not proposed: from the /,
  ];

  it.each<[string, () => Built, RegExp]>([
    ['a new file of short lines', () => write(null, tiny('x')), tooLong],
    ['short lines over blank ones', () => write(tiny(''), tiny('x')), tooLong],
    ['short lines over others', () => write(tiny('y'), tiny('x')), tooFar],
    ['the same in a file with CRLF', () => write(tiny('y\r', 600_000), tiny('x', 600_000)), tooFar],
    ['its first and its last line', () => write(`a\n${tiny('x')}a\n`, `b\n${tiny('x')}b\n`), tooFar],
    [
      '20,000 lines, all different',
      () =>
        write(
          lines(20_000, (at) => `old line ${at}`),
          lines(20_000, (at) => `new line ${at}`),
        ),
      tooLong,
    ],
    [
      'short lines by an edit in a file with CRLF',
      () => edit(tiny('y\r', 600_000), tiny('y', 600_000), tiny('x', 600_000)),
      /at least 1200000 lines before and after, and at most 50000 in all/,
    ],
    [
      'lines with CRLF by replace_all',
      () => edit(tiny('y\r', 90_000), 'y\ny\n', 'x\nx\n', true),
      /at least 180000 lines before and after, and at most 50000 in all/,
    ],
    ['as many by an edit', () => edit(tiny('', 200_000), tiny('', 200_000), tiny('x', 200_000)), tooFar],
    ['every line by replace_all', () => edit(tiny('some words', 24_000), 'words', 'others', true), tooLong],
    [
      'blank lines by replace_all',
      () => edit(tiny('', 1_900_000), '\n', 'x', true),
      /replacing more than 50000 matches/,
    ],
    [
      'overlapping matches',
      () => edit('a'.repeat(1_900_000), 'aa', 'b'),
      /^Found more than 100000 matches .* and more$/,
    ],
  ])('B16, H6: %s: refused before lines are paired or become strings of their own', (_name, build, words) => {
    expect(output(build())).toMatch(words);
  });

  it.each([
    ['plain', 'a\n'.repeat(50_000), 'x'.repeat(20_000), 1_000_050_000],
    ['with CRLF', 'a\r\n'.repeat(5000), 'x\ny'.repeat(4000), 60_010_000],
  ])('S15, H6: a text that replacements make too large is not even made: %s', (_name, text, fresh, letters) => {
    expect(output(edit(text, 'a', fresh, true))).toContain(`would have at least ${letters} bytes and at most 2000000`);
  });

  it('S11, S15: a byte order mark that the file keeps is not counted again for each replacement', () => {
    const text = `\u{FEFF}${'a\n'.repeat(40_000)}`;
    const built = edit(text, 'a', `\u{FEFF}${'b'.repeat(48)}`, true);
    expect(output(built)).toMatch(/^Not proposed: (the diff|from the first)/);
  });

  it('S11, S94: lines found by a byte order mark at the beginning may stand again where another file was put behind', () => {
    const twice = '\u{FEFF}a\nb\nc\nd\n'.repeat(2);
    expect(changeOf(edit(twice, '\u{FEFF}a', 'x')).standsOnce).toBe(false);
    expect(changeOf(edit(`${twice}e\n`, 'd\ne', 'd\nf')).standsOnce).toBe(true);
  });

  it('S94, B4: is known to stand once exactly where its lines with their context do', () => {
    const few = fc.array(fc.constantFrom('a', 'b', 'ab', ''), { maxLength: 9 }).map((lines) => lines.join('\n'));
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(few, few, few, fc.boolean(), (text, sought, fresh, all) => {
        const built = edit(text, sought, fresh, all);
        if (built.kind === 'refused' || built.change.region === null) return;
        const places = placesWithContext(lineTable(text), sidesOf(built.change.region), 'old');
        expect(built.change.standsOnce).toBe(places.length === 1);
        seen.add(built.change.standsOnce);
      }),
      { numRuns: 3000, examples: [[`b\n${'a\n'.repeat(8)}`, 'b\na', 'b\na\na', false]] },
    );
    expect(seen.size).toBe(2);
  });

  it('B16: T16 one byte above the most that can be reviewed, and not below', () => {
    const common = '--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,1 +1,5 @@\n-a\n+\n+\n+\n+\n+\n'.length;
    const quarter = `${'b'.repeat(48_000)}\n`.repeat(4);
    const fits = quarter + 'b'.repeat(MOST_DIFF_BYTES - common - 4 * 48_000);
    expect(edit('a\n', 'a', fits).kind).toBe('change');
    const most = MOST_DIFF_BYTES / 1000;
    expect(output(edit('a\n', 'a', `${fits}b`))).toBe(
      `Not proposed: the diff of src/total.ts is ${most + 1} kB and at most ${most} kB can be reviewed. Split it into smaller changes.`,
    );
  });

  it.each([
    ['a line', (room: number) => 'x'.repeat(room - 1 - 6)],
    ['backticks, whose fence is as long', (room: number) => `${'`'.repeat((room - 4) / 3)}`],
    ['what is written out', (room: number) => `${'\u202E'.repeat(1_000)}${'x'.repeat(room - 1 - 6 - 8_000)}`],
    ['letters of three bytes', (room: number) => '한'.repeat((room - 1 - 6) / 3)],
  ])('S26, B16: %s that no comment could hold is refused here, and not one that fits', (_, lineOf) => {
    const room = MOST_PART_BYTES - 2;
    const fits = lineOf(room);
    for (const built of [
      edit('a\nb\n', 'a\n', `${fits}\n`),
      edit(`a\n\n\n${fits}\n`, 'a', 'b'),
      edit(`${fits}\nb\n`, `${fits}\n`, ''),
      write(null, `${fits}\n`),
    ]) {
      const diff = viewDiff(shownDiff(changeOf(built)));
      expect(diffParts(diff)).not.toBeNull();
    }
    const over = `${fits}${fits.slice(0, 1)}${fits.slice(-1)}x`;
    for (const built of [
      edit('a\nb\n', 'a\n', `${over}\n`),
      edit(`a\n\n\n${over}\n`, 'a', 'b'),
      edit(`${over}\nb\n`, `${over}\n`, ''),
      edit(`a\n${over}\n`, `a\n`, 'c\n', true),
      write(null, over),
      write(over, 'a\n'),
    ]) {
      expect(output(built)).toMatch(
        /^Not proposed: a line of the diff of src\/total\.ts takes 5\d kB where it is shown and at most 57 kB fit a comment\. /,
      );
    }
    expect(edit(`a\n\n\n\n${over}\n`, 'a', 'b').kind).toBe('change');
  });

  it('B3, S92: the bytes come from the stored region, and a tampered one is refused', () => {
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

  it('E5: a file keeps its mode', () => {
    const file = stored('a\n', '100755');
    const change = changeOf(buildEdit({ path, sandbox, file, oldString: 'a', newString: 'b', replaceAll: false }));
    expect([change.base?.mode, change.result?.mode]).toEqual(['100755', '100755']);
  });

  it('an edit of a large file costs little more than reading it', () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `const value${index} = ${index};\n`).join('');
    const build = () => expect(edit(text, 'const value59000 = 59000;', 'const value = 1;').kind).toBe('change');
    expect(cpuSeconds(build)).toBeLessThan(6);
  });

  it('H6: blanks before many short lines that are looked for are not counted anew for each of them', () => {
    const sought = `${' '.repeat(400_000)}ab\n${'c\n'.repeat(29_000)}`;
    const build = () => expect(output(edit('d\n', sought, 'x'))).toContain('not found');
    expect(cpuSeconds(build)).toBeLessThan(4);
  });
});

describe('descriptions and summaries', () => {
  it.each([
    ['a\nb\n', 'a\n', 'a\nx\n', 'add 1 line at line 2', 'Added 1 line at line 2.'],
    ['a\nb', 'b', 'b\nc', 'add 1 line at line 3', 'Added 1 line at line 3.'],
    ['a\nb\nc\n', 'b\n', '', 'delete 1 line at line 2', 'Deleted 1 line at line 2.'],
    ['a\nb\nc\n', 'a\nb', 'x\ny', 'replace 2 lines', 'Replaced 2 lines at line 1.'],
    ['a\nb\nc\n', 'b', 'x\ny', 'replace 1 line with 2', 'Replaced 1 line with 2 at line 2.'],
    [
      'a\nb',
      'b',
      'b\n',
      'change the line ending at the end of line 2',
      'Changed the line ending at the end of line 2.',
    ],
  ])('S27, T2: %j, %j to %j', (text, oldString, newString, plan, done) => {
    const change = changeOf(edit(text, oldString, newString));
    expect(change.payload.description).toBe(`Edit src/total.ts: ${plan}`);
    expect(outcomeOf(change).summary).toBe(done);
  });

  it('S2, S6: lines changed are the larger side, summed over places', () => {
    expect(outcomeOf(changeOf(edit('a\nb\nc\n', 'b', 'x\ny')))).toMatchObject({ linesChanged: 2, replacements: 1 });
    expect(outcomeOf(changeOf(edit('a\n1\n2\n3\na\n', 'a', 'x\ny', true)))).toMatchObject({
      linesChanged: 4,
      replacements: 2,
      summary: 'Replaced text in 2 places.',
    });
    expect(outcomeOf(changeOf(edit('a a\n', 'a', 'b', true)))).toMatchObject({ linesChanged: 1, replacements: 2 });
  });
});

describe('buildWrite', () => {
  it('S20, S21, S27: the payload of a new file', () => {
    const content = Array.from({ length: 51 }, (_, index) => `${index}\n`).join('');
    const { payload, base, result } = changeOf(write(null, content));
    expect(base).toBeNull();
    expect(result?.mode).toBe('100644');
    expect(payload).toMatchObject({
      type: 'write',
      description: 'Write 51 lines to src/total.ts',
      content,
      content_lines: 51,
      content_bytes: 143,
      preview: splitLines(content).slice(0, 50).join(''),
      preview_truncated: true,
      file_exists: false,
      existing_lines: null,
      existing_bytes: null,
    });
    expect(Payload.parse(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
    expect(changeOf(write(null, 'a\n')).payload).toMatchObject({ preview: 'a\n', preview_truncated: false });
  });

  it('S20, S32: over an existing file with its size and a diff against it', () => {
    const change = changeOf(write('a\nb\nc\n', 'a\nB\nc\n'));
    expect(change.payload).toMatchObject({ file_exists: true, existing_lines: 3, existing_bytes: 6 });
    expect(shownDiff(change)).toContain('-b\n+B\n');
  });

  it('S16: an existing file must have been read as it stands', () => {
    expect(output(write('a\n', 'b\n', false))).toContain('Read it with read_file first');
    expect(
      output(buildWrite({ path, sandbox, file: stored('a\n'), content: 'b', seenBlob: 'f'.repeat(40) })),
    ).toContain('read_file');
  });

  it('S7: writing what is there already is no change', () => {
    expect(output(write('a\n', 'a\n'))).toMatch(/^No changes/);
  });

  it('S15: at most 2 MB', () => {
    expect(output(write(null, 'a'.repeat(2_000_001)))).toMatch(/2000001 bytes.*2000000 bytes/);
  });

  it('E11: a file with CRLF that is written with LF keeps the bytes of the lines that stay', () => {
    expect(changeOf(write('a\r\nb\r\nc\r\n', 'a\nx\nc\n')).region).toMatchObject({ old: ['b\r\n'], new: ['x\r\n'] });
    expect(changeOf(write('\u{FEFF}a\nb\n', 'a\nx\n')).region).toMatchObject({
      oldStart: 2,
      old: ['b\n'],
      new: ['x\n'],
    });
    expect(changeOf(write('a\nb\n', 'a\r\nb\r\n')).region).toMatchObject({ new: ['a\r\n', 'b\r\n'] });
  });

  it('E11: so do those behind a change where no newline ends the file, whatever endings they have and however many they are', () => {
    const mixed = 'a\n\nb\r\n\r\nc';
    expect(changeOf(write(mixed, 'x\na\n\nb\n\nc')).region).toMatchObject({ old: [], new: ['x\n'] });
    expect(changeOf(edit(mixed, 'a\n\nb\n\nc', 'x\na\n\nb\n\nc')).region).toMatchObject({ old: [], new: ['x\n'] });
    const below = 'line\r\n'.repeat(30_000);
    const built = write(`a\r\n${below}end`, `b\n${below.replaceAll('\r', '')}end`);
    expect(changeOf(built).region).toMatchObject({ old: ['a\r\n'], new: ['b\r\n'] });
  });

  it('a new file may be empty', () => {
    const change = changeOf(write(null, ''));
    expect(fileAfter(null, change)).toHaveLength(0);
    expect(change.payload).toMatchObject({ content_lines: 0 });
  });
});

describe('hidden characters', () => {
  it('C8: every ignorable and every direction control is found', () => {
    let points = 0;
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const letter = String.fromCodePoint(point);
      if (!/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(letter)) continue;
      points += 1;
      if (hiddenCharacters(`ab${letter}`).length !== 1) throw new Error(point.toString(16));
    }
    expect(points).toBeGreaterThan(4000);
  });

  it('S35: names the line, and shows what is there', () => {
    expect(hiddenCharacters('a\nb\u{202E}\n\u{E0041}')).toMatchObject([
      { codePoint: 0x202e, line: 2 },
      { codePoint: 0xe0041, line: 3 },
    ]);
    expect(showHidden('a\u{202E}b\u{E0041}c\u{0}')).toBe('a\\u{202E}b\\u{E0041}c\\u{0}');
  });

  it.each(['👩‍👩‍👧', '❤️', '1️⃣', '👍🏽', 'a\tb\r\nc', 'é'])('S35: %j is no warning', (text) => {
    expect(hiddenCharacters(text)).toEqual([]);
  });

  it('S35: what styles or joins an emoji is one where no emoji stands', () => {
    for (const text of ['x1\u{FE0F}', '#\u{FE0F} a', 'a\u{200D}b', '1\u{200D}2', 'a\u{AD}b', 'a\u{2800}b', 'a\rb'])
      expect(hiddenCharacters(text)).toHaveLength(1);
  });

  it('S35: a byte order mark is none at the start of a file only', () => {
    expect(hiddenCharacters('\u{FEFF}a', true)).toEqual([]);
    expect(hiddenCharacters('\u{FEFF}a')).toHaveLength(1);
    expect(hiddenCharacters('a\u{FEFF}', true)).toHaveLength(1);
  });
});

describe('fenceFor', () => {
  it('C1, S34: is longer than any run of backticks inside', () => {
    expect(fenceFor('a')).toBe('```');
    expect(fenceFor('a ```` b ``')).toBe('`````');
  });
});
