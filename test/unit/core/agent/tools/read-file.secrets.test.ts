import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { formatFileContent } from '../../../../../src/core/agent/tools/read-file.ts';
import { buildEdit, buildWrite } from '../../../../../src/core/edits/build/build-text.ts';
import { applyRegion } from '../../../../../src/core/edits/region.ts';
import { encodeText } from '../../../../../src/core/edits/text/characters.ts';
import { literal, searched } from './literal-query.ts';

const ref = { blob: 'b'.repeat(40), mode: '100644' } as const;

/** Two secrets of one form, assembled so that scanners do not report this file. */
const [SECRET, OTHER_SECRET] = ['aB3d', 'Zz9x'].map((piece) => `ghp_${piece.repeat(9)}`) as [string, string];

/** Text that a file or the model can have; the model can also guess parts of the secret. */
const piece = fc.constantFrom(SECRET, ' ', '\n', '\r\n', "'", 'x = ', 'y', '[redacted]');

const guess = fc.constantFrom(
  SECRET,
  SECRET.slice(0, 8),
  SECRET.slice(4, 6),
  ...['3', '[redacted]', "'", ' ', '\n', 'x = ', 'y'],
);

const textOf = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(parts, { maxLength }).map((pieces) => pieces.join(''));

/** A file or a call with the other secret in place of the first. */
const withOther = (text: string) => text.replaceAll(SECRET, OTHER_SECRET);

/** Everything that the model learns from its tools about a file. */
function told(file: string, oldString: string, newString: string): readonly string[] {
  const bytes = encodeText(file);
  const input = { path: 'a.ts', repositoryName: 'shop', file: { ref, bytes } };
  const edited = buildEdit({ ...input, edits: [{ oldString, newString, replaceAll: false }] });
  const written = buildWrite({ ...input, content: newString, lastReadBlob: ref.blob });
  const pattern = { ...literal(`${RE2JS.quote(oldString)}[a-z0-9]+`), regex: true, context: 1 };
  return [
    formatFileContent({ path: 'a.ts', blob: ref.blob, bytes, start: null, end: null }).text,
    formatFileContent({ path: 'a.ts', blob: ref.blob, bytes, start: 2, end: 3 }).text,
    searched(literal(oldString || 'x'), { path: 'a.ts', bytes }),
    searched(pattern, { path: 'a.ts', bytes }),
    edited.kind === 'refused' ? edited.output : 'a change',
    written.kind === 'refused' && !written.output.startsWith('No changes') ? written.output : 'a change',
  ];
}

describe('a secret in a file (X10)', () => {
  it('the results of tools depend only on its form, for any guess of the model (X10)', () => {
    fc.assert(
      fc.property(textOf(piece, 8), textOf(guess, 3), textOf(guess, 3), (file, oldString, newString) => {
        expect(told(withOther(file), oldString, newString)).toEqual(told(file, oldString, newString));
      }),
      { numRuns: 400 },
    );
  });

  it('no edit changes, moves over or copies it: all of its bytes stay (X10)', () => {
    let changes = 0;
    fc.assert(
      fc.property(
        textOf(piece, 8),
        textOf(guess, 2),
        textOf(guess, 2),
        fc.boolean(),
        (file, oldString, newString, all) => {
          const input = { path: 'a.ts', repositoryName: 'shop', file: { ref, bytes: encodeText(file) } };
          const built = buildEdit({ ...input, edits: [{ oldString, newString, replaceAll: all }] });
          if (built.kind === 'refused' || built.change.region === null) return;
          changes += 1;
          const after = applyRegion(file, built.change.region);
          const secrets = (text: string) => text.split(SECRET).length;
          if (!newString.includes('ghp_')) expect(secrets(after)).toBe(secrets(file));
        },
      ),
      { numRuns: 400 },
    );
    expect(changes).toBeGreaterThan(10);
  });

  it('a file is shown with the placeholder and a note, and keeps its lines (X10)', () => {
    const bytes = encodeText(`one\r\nkey = '${SECRET}'\r\nthree`);
    const input = { path: 'a.ts', blob: ref.blob, bytes, end: null };
    expect(formatFileContent({ ...input, start: null }).text).toBe(
      "File a.ts: lines 1 to 3 of 3; blob bbbbbbb; line endings are CRLF, shown as LF; no newline at the end of the file; in 1 line [redacted] stands for a secret, which is not shown and cannot be edited. Its text begins on the next line.\none\nkey = '[redacted]'\nthree",
    );
    expect(formatFileContent({ ...input, start: 3 }).text).not.toContain('redacted');
  });

  it('lines from the middle of a private key show none of it (X10)', () => {
    const key = Array.from({ length: 20 }, (_, at) => String.fromCharCode(65 + at).repeat(64));
    const text = ['-----BEGIN PRIVATE KEY-----', ...key, '-----END PRIVATE KEY-----', 'after', ''].join('\n');
    const shown = formatFileContent({ path: 'a', blob: ref.blob, bytes: encodeText(text), start: 5, end: 23 }).text;
    expect(shown.split('\n').slice(1)).toEqual([...Array.from({ length: 18 }, () => '[redacted]'), 'after', '']);
    expect(searched(literal('FFFF'), { path: 'a', bytes: encodeText(text) })).toContain('No line contains');
  });

  it('lines that also occur in a private key do not count as unique (X10, S94)', () => {
    const lines = Array.from({ length: 7 }, (_, at) => `${String.fromCharCode(65 + at).repeat(64)}\n`);
    const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('')}-----END PRIVATE KEY-----\n`;
    const edited = (text: string) => {
      const file = { ref, bytes: encodeText(text) };
      const oldString = 'D'.repeat(64);
      return buildEdit({
        path: 'a',
        repositoryName: 'shop',
        file,
        edits: [{ oldString, newString: 'x', replaceAll: false }],
      });
    };
    expect(edited(lines.join(''))).toMatchObject({ kind: 'change', change: { uniqueInBase: true } });
    expect(edited(key + lines.join(''))).toMatchObject({
      kind: 'change',
      change: { uniqueInBase: false, placeCount: 1 },
    });
  });

  it('a search result has the placeholder and a note (X10)', () => {
    expect(searched(literal('key'), { path: 'a', bytes: encodeText(`key = '${SECRET}'\n`) })).toBe(
      '1 line contains "key" (1 file):\na:1:key = \'[redacted]\'\n[redacted] stands for a secret, which is not shown and cannot be edited.',
    );
  });
});
