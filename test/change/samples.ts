import fc from 'fast-check';
import { blobSha } from '../../src/change/blob.ts';
import { type Built, buildEdit } from '../../src/change/build-edit.ts';
import { buildWrite } from '../../src/change/build-write.ts';
import type { BlobRef, Change } from '../../src/change/change.ts';
import type { Place } from '../../src/change/edit.ts';
import { diffOf } from '../../src/change/payload.ts';
import { encodeText } from '../../src/change/text.ts';

/** The bytes and the place in git of a text. */
export function stored(text: string, mode: BlobRef['mode'] = '100644'): { ref: BlobRef; bytes: Uint8Array } {
  const bytes = encodeText(text);
  return { ref: { blob: blobSha(bytes), mode }, bytes };
}

export function changeOf(built: Built): Change {
  if (built.kind === 'refused') throw new Error(built.output);
  return built.change;
}

/** The text with one place written anew. */
export function rewrite(text: string, { start, end, text: fresh }: Place): string {
  return text.slice(0, start) + fresh + text.slice(end);
}

/** The diff that a change shows; empty where it has none in lines. */
export function shownDiff({ payload }: Change): string {
  return diffOf(payload) ?? '';
}

/** The change that an edit of one place makes of a file at `file.txt`. */
export function editOf(text: string, oldString: string, newString: string, replaceAll = false): Change {
  return changeOf(
    buildEdit({ path: 'file.txt', sandbox: 'shop', file: stored(text), oldString, newString, replaceAll }),
  );
}

/** The change that writes one text over another exactly; null where they are the same. */
export function rewriteOf(before: string, after: string): Change | null {
  const file = stored(before);
  const built = buildWrite({ path: 'file.txt', sandbox: 'shop', file, content: after, seenBlob: file.ref.blob });
  return built.kind === 'change' ? built.change : null;
}

/** Lines of all the kinds that make trouble; few of them, so that they repeat. */
export const anyLine = fc.constantFrom(
  'a',
  'b',
  '',
  'c d',
  '```',
  '+x',
  '-y',
  '@@ -1 +1 @@',
  '\\ No newline',
  '😀',
  ' ',
);

/** Texts of few different lines, with and without a newline at the end. */
export const plainText = fc
  .tuple(fc.array(anyLine, { maxLength: 14 }), fc.boolean())
  .map(([lines, closed]) => lines.join('\n') + (closed && lines.length > 0 ? '\n' : ''));

/** The same with CRLF, mixed endings, lone CRs and byte order marks. */
export const anyText = fc
  .tuple(plainText, fc.infiniteStream(fc.constantFrom('\n', '\n', '\r\n')), fc.constantFrom('', '', '\u{FEFF}'))
  .map(([text, endings, mark]) => mark + text.replace(/\n/g, () => endings.next().value ?? '\n'));

/** A text and what became of it by replacing one run of its lines. */
export function rewritten(text: fc.Arbitrary<string>): fc.Arbitrary<{ before: string; after: string }> {
  return fc
    .tuple(text, fc.nat({ max: 14 }), fc.nat({ max: 3 }), fc.array(anyLine, { maxLength: 3 }), fc.boolean())
    .map(([before, at, removed, added, closed]) => {
      const lines = before.split('\n');
      const after = [...lines.slice(0, at), ...added, ...lines.slice(at + removed)].join('\n');
      return { before, after: closed ? after : after.replace(/\n$/, '') };
    });
}
