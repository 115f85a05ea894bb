/** A text's letters as numbers; one byte each where all of them are ASCII, else two. */
export type Letters = Uint8Array<ArrayBufferLike> | Uint16Array<ArrayBufferLike>;

/** The letters that end lines. */
export const [LF, CR] = [10, 13];

/** Whether a CR with its LF stands at an offset of a text. */
export function isPair(text: string, offset: number): boolean {
  return text.charCodeAt(offset) === CR && text.charCodeAt(offset + 1) === LF;
}

/** The letters of a text as numbers of one's own, for loops over all of it that would be slow over a string. */
export function lettersOf(text: string): Letters {
  if (Buffer.byteLength(text) === text.length) return Buffer.from(text, 'latin1');
  const bytes = Buffer.from(text, 'utf16le');
  // A buffer from the pool may begin anywhere; numbers of two bytes may not.
  if (bytes.byteOffset % 2 === 1) return new Uint16Array(Uint8Array.from(bytes).buffer);
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

/** The text of the first `length` of such letters. */
export function textOf({ buffer, byteOffset, BYTES_PER_ELEMENT: width }: Letters, length: number): string {
  return Buffer.from(buffer, byteOffset, width * length).toString(width === 1 ? 'latin1' : 'utf16le');
}
