/** What bytes are: text that encodes back to exactly the same bytes, or not something that we edit. */
export type Decoded =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'not-utf8' };

/** U+FEFF at the start of a file; it stays part of the text, so that nothing is lost on the way back. */
export const BYTE_ORDER_MARK = '\u{FEFF}';

/** Reads bytes as UTF-8. A NUL byte makes a file binary, as git sees it; a byte order mark is kept in the text. */
export function decodeText(bytes: Uint8Array): Decoded {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(0)) return { kind: 'binary' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf8' };
  }
}

/** The text's bytes in UTF-8. Throws for half a surrogate pair, which no bytes can say. */
export function encodeText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new Error('A text with half a surrogate pair has no UTF-8 form.');
  return new TextEncoder().encode(text);
}

/** How many bytes the text has in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
