import { createHash } from 'node:crypto';

/** The SHA-1 in hex under which git stores these bytes as a blob. */
export function blobSha(bytes: Uint8Array): string {
  return blobOf([bytes]);
}

/** The same of bytes that stand in pieces, which are not copied. */
export function blobOf(pieces: readonly Uint8Array[]): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const sha = createHash('sha1').update(`blob ${length}\0`);
  for (const piece of pieces) sha.update(piece);
  return sha.digest('hex');
}
