import { describe, expect, it } from 'vitest';
import { buildWrite } from '../../../../../src/core/edits/build/build-text.ts';
import { ChangePayloadSchema } from '../../../../../src/core/edits/change.ts';
import { splitLines } from '../../../../../src/core/edits/text/lines.ts';
import { fileAfter } from '../file-after.ts';
import { changeOf, shownDiff, stored } from '../samples.ts';
import { edit, output, path, repositoryName, write } from './total-file.ts';

describe('buildWrite', () => {
  it('has the payload of a new file (S20, S21, S27)', () => {
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
    expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
    expect(changeOf(write(null, 'a\n')).payload).toMatchObject({ preview: 'a\n', preview_truncated: false });
  });

  it('replaces an existing file with its size and a diff (S20, S32)', () => {
    const change = changeOf(write('a\nb\nc\n', 'a\nB\nc\n'));
    expect(change.payload).toMatchObject({ file_exists: true, existing_lines: 3, existing_bytes: 6 });
    expect(shownDiff(change)).toContain('-b\n+B\n');
  });

  it('requires that the run has read the current version of an existing file (S16)', () => {
    expect(output(write('a\n', 'b\n', false))).toContain('Read it with read_file first');
    expect(
      output(buildWrite({ path, repositoryName, file: stored('a\n'), content: 'b', lastReadBlob: 'f'.repeat(40) })),
    ).toContain('read_file');
  });

  it('rejects content that the file already has (S7)', () => {
    expect(output(write('a\n', 'a\n'))).toMatch(/^No changes/);
  });

  it('accepts at most 512 kB (S15)', () => {
    expect(output(write(null, 'a'.repeat(512_001)))).toMatch(/512001 bytes.*512000 bytes/);
  });

  it('keeps the bytes of unchanged lines after the change, with mixed endings and without a final newline (E11)', () => {
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
