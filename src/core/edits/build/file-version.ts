import type { BlobRef, FileMode, StoredFile } from '../change.ts';
import { blobSha, decodeText, encodeText } from '../text/characters.ts';
import { MAX_FILE_BYTES } from '../text/limits.ts';

/** The result of a tool call that the model gets instead of a change. */
export type Refusal = { readonly kind: 'refused'; readonly output: string };

export function refuse(output: string): Refusal {
  return { kind: 'refused', output };
}

/** A file on one side of a change. `text` is null unless it is text; `bytes` is its size. */
export type FileVersion = { readonly ref: BlobRef; readonly text: string | null; readonly bytes: number };

export function versionOf({ ref, bytes }: StoredFile): FileVersion {
  const decoded = decodeText(bytes);
  return { ref, text: decoded.kind === 'text' ? decoded.text : null, bytes: bytes.length };
}

type TextVersion = { readonly kind: 'version'; readonly version: FileVersion & { readonly text: string } } | Refusal;

const LFS_POINTER_PREFIX = 'version https://git-lfs.github.com/spec/';

/** A stored file whose text can be changed, or a refusal. */
export function editableVersion(path: string, { ref, bytes }: StoredFile): TextVersion {
  if (bytes.length > MAX_FILE_BYTES) return refuse(fileTooLarge(path, 'has', bytes.length));
  const decoded = decodeText(bytes);
  switch (decoded.kind) {
    case 'text':
      return decoded.text.startsWith(LFS_POINTER_PREFIX)
        ? refuse(
            `Not proposed: ${path} is a Git LFS pointer; its content is not in the repository and cannot be changed here.`,
          )
        : { kind: 'version', version: { ref, text: decoded.text, bytes: bytes.length } };
    case 'binary':
      return refuse(`Not proposed: ${path} is a binary file (it holds NUL bytes); only text in UTF-8 can be changed.`);
    case 'not-utf8':
      return refuse(`Not proposed: ${path} is not valid UTF-8; only text in UTF-8 can be changed.`);
  }
}

/** A new text as the content of a file, or a refusal. */
export function textVersion(path: string, text: string, mode: FileMode): TextVersion {
  if (text.includes('\0'))
    return refuse(`Not proposed: the new text of ${path} holds a NUL character, which would make the file binary.`);
  if (!text.isWellFormed())
    return refuse(`Not proposed: the new text of ${path} holds half of a surrogate pair, which has no UTF-8 form.`);
  const bytes = encodeText(text);
  if (bytes.length > MAX_FILE_BYTES) return refuse(fileTooLarge(path, 'would have', bytes.length));
  return { kind: 'version', version: { ref: { blob: blobSha(bytes), mode }, text, bytes: bytes.length } };
}

export function fileTooLarge(path: string, verb: string, bytes: number): string {
  return `Not proposed: ${path} ${verb} ${bytes} bytes and at most ${MAX_FILE_BYTES} bytes can be edited or written.`;
}
