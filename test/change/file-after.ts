import { blobSha } from '../../src/change/blob.ts';
import type { Change } from '../../src/change/change.ts';
import { applyRegion } from '../../src/change/region.ts';
import { decodeText, encodeText } from '../../src/change/text.ts';

/**
 * The bytes that a change makes of the file it was built on (null: there was none). They come from the stored
 * region alone. Throws where base or result are not the blobs that were recorded: something was tampered with.
 */
export function fileAfter(baseBytes: Uint8Array | null, change: Change): Uint8Array {
  const base = baseBytes === null ? null : blobSha(baseBytes);
  if (base !== (change.base?.blob ?? null))
    throw new Error(`${change.path} is not the file that the change was built on.`);
  if (change.region === null || change.result === null)
    throw new Error(`The change of ${change.path} holds no new text.`);
  const decoded = decodeText(baseBytes ?? new Uint8Array());
  if (decoded.kind !== 'text') throw new Error(`${change.path} is not text.`);
  const bytes = encodeText(applyRegion(decoded.text, change.region));
  if (blobSha(bytes) !== change.result.blob)
    throw new Error(`The change of ${change.path} does not give the bytes that were shown.`);
  return bytes;
}
