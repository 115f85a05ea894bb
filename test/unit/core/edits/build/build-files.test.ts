import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDelete, buildMove } from '../../../../../src/core/edits/build/build-files.ts';
import {
  type BlobRef,
  ChangePayloadSchema,
  type FileChange,
  MAX_FILE_BYTES,
} from '../../../../../src/core/edits/change.ts';
import { summarizeChange } from '../../../../../src/core/edits/describe-change.ts';
import { changeDigest } from '../../../../../src/core/edits/digest.ts';
import { choosePlacement } from '../../../../../src/core/edits/placement.ts';
import { applyRegion, formatRange, regionRange } from '../../../../../src/core/edits/region.ts';
import { blobSha } from '../../../../../src/core/edits/text/characters.ts';
import { anyText, changeOf, shownDiff, stored } from '../samples.ts';

const bytesOf = (bytes: Uint8Array, mode: BlobRef['mode'] = '100644') => ({
  ref: { blob: blobSha(bytes), mode },
  bytes,
});

const deletion = (file: ReturnType<typeof bytesOf>): FileChange =>
  changeOf(buildDelete({ path: 'file.txt', repositoryName: 'shop', file }));

const moveOf = (file: ReturnType<typeof bytesOf>): FileChange =>
  changeOf(buildMove({ from: 'file.txt', to: 'b/new.txt', repositoryName: 'shop', file }));

const binary = Uint8Array.of(1, 0, 2, 0xff);

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whole-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('deletions', () => {
  it('patch deletes exactly the file, with any line endings (S20, S23)', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        if (text === '') return;
        const change = deletion(stored(text));
        const file = join(folder, 'file.txt');
        writeFileSync(file, text);
        execFileSync('patch', ['-p1', '--quiet', '--fuzz=0', '--binary'], { cwd: folder, input: shownDiff(change) });
        expect(existsSync(file)).toBe(false);
        expect(change.region === null ? null : applyRegion(text, change.region)).toBe('');
      }),
      { numRuns: 60 },
    );
  });

  it('a deleted text has all its lines, its mode and its size (S19, S20, S27)', () => {
    const change = deletion(stored('\u{FEFF}a\r\nb', '100755'));
    expect(change).toMatchObject({ op: 'delete', from: null, base: { mode: '100755' }, result: null });
    expect(change.payload).toEqual({
      type: 'delete',
      description: 'Delete file.txt',
      path: 'file.txt',
      sandbox: 'shop',
      unified_diff: '--- a/file.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-\u{FEFF}a\r\n-b\n\\ No newline at end of file\n',
      file_lines: 2,
      file_bytes: 7,
    });
    expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(change.payload)))).toEqual(change.payload);
    expect(summarizeChange(change)).toMatchObject({ linesChanged: 2, replacements: null, summary: '' });
    expect(change.region === null ? '' : formatRange(regionRange(change.region))).toBe('1,2 0,0');
  });

  it('the digest covers every line, or the blob of a file that is not text (S92)', () => {
    const mode = '100644' as const;
    const common = { op: 'delete', path: 'file.txt', fromPath: null, oldMode: mode, newMode: null } as const;
    const region = { oldStart: 1, newStart: 0, before: [], old: ['a\n', 'b'], new: [], after: [] };
    expect(deletion(stored('a\nb')).digest).toBe(changeDigest({ ...common, body: { kind: 'region', region } }));
    const body = { kind: 'blobs', oldBlob: blobSha(binary), newBlob: null } as const;
    expect(deletion(bytesOf(binary)).digest).toBe(changeDigest({ ...common, body }));
  });

  it('a file that is not text has neither lines nor a diff; an empty file is text (S15, S20)', () => {
    for (const bytes of [binary, Uint8Array.of(0x63, 0xe9)]) {
      const change = deletion(bytesOf(bytes));
      expect(change.region).toBeNull();
      expect(change.payload).toMatchObject({ unified_diff: null, file_lines: null, file_bytes: bytes.length });
    }
    const empty = deletion(stored(''));
    expect(empty.payload).toMatchObject({ file_lines: 0, unified_diff: '--- a/file.txt\n+++ /dev/null\n' });
    expect(empty.region === null ? '' : formatRange(regionRange(empty.region))).toBe('0,0 0,0');
  });

  it('refuses a text too long to store, but no large binary file (B16)', () => {
    const built = buildDelete({ path: 'file.txt', repositoryName: 'shop', file: stored('a\n'.repeat(MAX_FILE_BYTES)) });
    expect(built.kind === 'refused' ? built.output : '').toContain('at most 512000 bytes of text can be deleted');
    expect(deletion(bytesOf(new Uint8Array(3_000_000))).region).toBeNull();
  });
});

describe('moves', () => {
  it('a move keeps blob and mode; the digest has both paths (S19, S20, E5)', () => {
    for (const file of [stored('a\r\nb', '100755'), bytesOf(binary), stored('')]) {
      const change = moveOf(file);
      expect(change).toMatchObject({ op: 'move', path: 'b/new.txt', from: 'file.txt', region: null });
      expect([change.base, change.result]).toEqual([file.ref, file.ref]);
      expect(change.payload).toMatchObject({
        type: 'move',
        description: 'Move file.txt to b/new.txt',
        from: 'file.txt',
        file_lines: file.bytes === binary ? null : file.bytes.length === 0 ? 0 : 2,
        file_bytes: file.bytes.length,
      });
      expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(change.payload)))).toEqual(change.payload);
      expect(summarizeChange(change)).toEqual({ linesChanged: 0, replacements: null, summary: '' });
    }
  });
});

it('neither is ever a suggestion block; a move is posted at its source (S33)', () => {
  const patch = '@@ -0,0 +1,2 @@\n+a\n+b\n';
  const at = { baseText: 'a\nb\n', patch, inPullRequest: true };
  expect(choosePlacement({ change: deletion(stored('a\nb\n')), ...at })).toEqual({
    kind: 'file',
    path: 'file.txt',
  });
  expect(choosePlacement({ change: moveOf(stored('a\nb\n')), ...at })).toEqual({
    kind: 'file',
    path: 'file.txt',
  });
});
