import { createHash } from 'node:crypto';

/** U+FEFF at the start of a file. It stays part of the text, so that encoding gives the same bytes again. */
export const BYTE_ORDER_MARK = '\u{FEFF}';

/** The text of bytes that encode back to exactly the same bytes, or the reason why we cannot edit them. */
type DecodedText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'not-utf8' };

/** Decodes UTF-8 and keeps a byte order mark. As in git, a NUL byte makes a file binary. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(0)) return { kind: 'binary' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf8' };
  }
}

/** Encodes as UTF-8. Throws for half a surrogate pair, which UTF-8 cannot represent. */
export function encodeText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new Error('The text has half a surrogate pair, which has no UTF-8 form.');
  return new TextEncoder().encode(text);
}

/** Bytes of the text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The SHA-1, in hex, under which git stores these bytes as a blob. */
export function blobSha(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** A text with LF in place of every CRLF, and the way back to its original offsets. */
type NormalizedText = {
  readonly text: string;
  /** The original offset of a normalized one. The LF of a former CRLF maps to the CR. */
  readonly originalOffset: (offset: number) => number;
};

/** Replaces every CRLF with LF. */
export function normalizeLineEndings(text: string): NormalizedText {
  // The normalized offsets of the LFs that had a CR, in order.
  const returns: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) returns.push(at - returns.length);
  if (returns.length === 0) return asNormalized(text);
  return { text: text.replaceAll('\r\n', '\n'), originalOffset: (offset) => offset + countBelow(returns, offset) };
}

/** How many of some rising numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Wraps a text without replacing anything, for searches that involve no line ending. */
export function asNormalized(text: string): NormalizedText {
  return { text, originalOffset: (offset) => offset };
}
