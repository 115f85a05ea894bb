import fc from 'fast-check';
import type { BuildResult } from '../../../../src/core/edits/build/build-change.ts';
import { buildEdit, buildWrite } from '../../../../src/core/edits/build/build-text.ts';
import { type BlobRef, type FileChange, unifiedDiffOf } from '../../../../src/core/edits/change.ts';
import { blobSha, encodeText } from '../../../../src/core/edits/text/characters.ts';

/** A text as a stored file. */
export function stored(text: string, mode: BlobRef['mode'] = '100644'): { ref: BlobRef; bytes: Uint8Array } {
  const bytes = encodeText(text);
  return { ref: { blob: blobSha(bytes), mode }, bytes };
}

export function changeOf(built: BuildResult): FileChange {
  if (built.kind === 'refused') throw new Error(built.output);
  return built.change;
}

/** The unified diff of a change; empty if it has none. */
export function shownDiff({ payload }: FileChange): string {
  return unifiedDiffOf(payload) ?? '';
}

/** The change of an edit to `file.txt`. */
export function editOf(text: string, oldString: string, newString: string, replaceAll = false): FileChange {
  return changeOf(
    buildEdit({
      path: 'file.txt',
      repositoryName: 'shop',
      file: stored(text),
      edits: [{ oldString, newString, replaceAll }],
    }),
  );
}

/** The change that replaces one text with another; null if they are equal. */
export function rewriteOf(before: string, after: string): FileChange | null {
  const file = stored(before);
  const built = buildWrite({
    path: 'file.txt',
    repositoryName: 'shop',
    file,
    content: after,
    lastReadBlob: file.ref.blob,
  });
  return built.kind === 'change' ? built.change : null;
}

/** Lines that are hard for diffs and Markdown; few of them, so that they repeat. */
export const anyLine = fc.constantFrom(
  ...['a', 'b', '', 'c d', '```', '+x', '-y', '@@ -1 +1 @@', '\\ No newline', '😀', ' '],
);

/** Texts of few different lines, with and without a final newline. */
export const plainText = fc
  .tuple(fc.array(anyLine, { maxLength: 14 }), fc.boolean())
  .map(([lines, closed]) => lines.join('\n') + (closed && lines.length > 0 ? '\n' : ''));

/** Texts with CRLF, mixed endings, lone CRs and byte order marks. */
export const anyText = fc
  .tuple(plainText, fc.infiniteStream(fc.constantFrom('\n', '\n', '\r\n')), fc.constantFrom('', '', '\u{FEFF}'))
  .map(([text, endings, mark]) => mark + text.replace(/\n/g, () => endings.next().value ?? '\n'));

/** A text before and after the replacement of one run of lines. */
export function rewritten(text: fc.Arbitrary<string>): fc.Arbitrary<{ before: string; after: string }> {
  return fc
    .tuple(text, fc.nat({ max: 14 }), fc.nat({ max: 3 }), fc.array(anyLine, { maxLength: 3 }), fc.boolean())
    .map(([before, at, removed, added, closed]) => {
      const lines = before.split('\n');
      const after = [...lines.slice(0, at), ...added, ...lines.slice(at + removed)].join('\n');
      return { before, after: closed ? after : after.replace(/\n$/, '') };
    });
}
