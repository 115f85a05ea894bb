import type { FileChange } from '../../../../src/core/edits/change.ts';
import { applyRegion } from '../../../../src/core/edits/region.ts';
import { blobSha, decodeText, encodeText } from '../../../../src/core/edits/text/characters.ts';

/**
 * The file after a change (`baseBytes` is null for a new file), from the stored region alone. Throws if base or result
 * are not the recorded blobs, because something was tampered with.
 */
export function fileAfter(baseBytes: Uint8Array | null, change: FileChange): Uint8Array {
  const base = baseBytes === null ? null : blobSha(baseBytes);
  if (base !== (change.base?.blob ?? null))
    throw new Error(`${change.path} is not the file that the change was built on.`);
  if (change.region === null || change.result === null)
    throw new Error(`The change of ${change.path} holds no new text.`);
  const decoded = decodeText(baseBytes ?? new Uint8Array());
  if (decoded.kind !== 'text') throw new Error(`${change.path} is not text.`);
  const bytes = encodeText(applyRegion(decoded.text, change.region));
  if (blobSha(bytes) !== change.result.blob)
    throw new Error(`The change of ${change.path} does not give the displayed bytes.`);
  return bytes;
}
