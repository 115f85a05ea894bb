/** The letters of a text as numbers, for loops over all of it that would be slow over a string; two bytes each. */
export function unitsOf(text: string): Uint16Array<ArrayBufferLike> {
  const bytes = Buffer.from(text, 'utf16le');
  // A buffer from the pool may begin anywhere; numbers of two bytes may not.
  if (bytes.byteOffset % 2 === 1) return new Uint16Array(Uint8Array.from(bytes).buffer);
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

/** The text of the first `length` of such numbers. */
export function textOf(units: Uint16Array<ArrayBufferLike>, length: number): string {
  return Buffer.from(units.buffer, units.byteOffset, 2 * length).toString('utf16le');
}
