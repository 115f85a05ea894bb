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
  return blobShaOfPieces([bytes]);
}

/** The blob SHA-1 of several pieces in a row. The pieces are not copied. */
export function blobShaOfPieces(pieces: readonly Uint8Array[]): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const sha = createHash('sha1').update(`blob ${length}\0`);
  for (const piece of pieces) sha.update(piece);
  return sha.digest('hex');
}

/** A text with LF in place of every CRLF, and the way back to its original offsets. */
export type NormalizedText = {
  readonly text: string;
  /** The original offset of a normalized one. The LF of a former CRLF maps to the CR. */
  readonly originalOffset: (offset: number) => number;
};

/** Normalized characters between two stored original offsets. */
const OFFSET_BLOCK_LENGTH = 32;

/**
 * Replaces every CRLF with LF in one pass, 10 times as fast as the engine's own `replaceAll` where lines are very
 * short.
 */
export function normalizeLineEndings(text: string): NormalizedText {
  if (!text.includes('\r\n')) return asNormalized(text);
  const codeUnits = toCodeUnits(text);
  const origins = new Int32Array(Math.floor(codeUnits.length / OFFSET_BLOCK_LENGTH) + 1);
  const length = normalizeInPlace(codeUnits, origins);
  // Callers mostly ask for rising offsets, so counting on from the last one is shorter than from its block.
  let [lastOffset, original] = [0, 0];
  return {
    text: codeUnitsToText(codeUnits, length),
    originalOffset: (offset) => {
      const block = Math.floor(offset / OFFSET_BLOCK_LENGTH);
      if (offset < lastOffset || lastOffset < block * OFFSET_BLOCK_LENGTH)
        [lastOffset, original] = [block * OFFSET_BLOCK_LENGTH, origins[block] ?? 0];
      for (; lastOffset < offset; lastOffset += 1) original += isCrLfAt(text, original) ? 2 : 1;
      return original;
    },
  };
}

/** Wraps a text without replacing anything, for searches that involve no line ending. */
export function asNormalized(text: string): NormalizedText {
  return { text, originalOffset: (offset) => offset };
}

/**
 * Moves the code units to their new places, stores the original offset of each block in `origins` and returns the new
 * length.
 */
function normalizeInPlace(codeUnits: CodeUnits, origins: Int32Array): number {
  let [at, length] = [0, 0];
  for (let block = 0; at < codeUnits.length; block += 1) {
    origins[block] = at;
    for (const end = length + OFFSET_BLOCK_LENGTH; length < end && at < codeUnits.length; length += 1) {
      if (codeUnits[at] === CR && codeUnits[at + 1] === LF) at += 1;
      codeUnits[length] = codeUnits[at] ?? 0;
      at += 1;
    }
  }
  if (length % OFFSET_BLOCK_LENGTH === 0) origins[length / OFFSET_BLOCK_LENGTH] = codeUnits.length;
  return length;
}

export const LF = 10;

export const CR = 13;

export function isCrLfAt(text: string, offset: number): boolean {
  return text.charCodeAt(offset) === CR && text.charCodeAt(offset + 1) === LF;
}

/** UTF-16 code units of a text: one byte each if all are ASCII, else two. */
export type CodeUnits = Uint8Array<ArrayBufferLike> | Uint16Array<ArrayBufferLike>;

/** Copies the code units of a text: loops over all of them are much faster than over a string. */
export function toCodeUnits(text: string): CodeUnits {
  if (Buffer.byteLength(text) === text.length) return Buffer.from(text, 'latin1');
  const bytes = Buffer.from(text, 'utf16le');
  // A pooled buffer can start at an odd address, but a Uint16Array cannot.
  if (bytes.byteOffset % 2 === 1) return new Uint16Array(Uint8Array.from(bytes).buffer);
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

export function codeUnitsToText({ buffer, byteOffset, BYTES_PER_ELEMENT: width }: CodeUnits, length: number): string {
  return Buffer.from(buffer, byteOffset, width * length).toString(width === 1 ? 'latin1' : 'utf16le');
}

const SPACE_CODE = 32;

/** By code unit: 1 for the characters that `\s` matches and `trim` removes. */
const IS_WHITESPACE = createWhitespaceTable();

function createWhitespaceTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const space of '\t\n\v\f\r \u{A0}\u{1680}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}')
    table[space.charCodeAt(0)] = 1;
  return table.fill(1, 0x2000, 0x200b);
}

export function isWhitespace(codeUnit: number): boolean {
  return IS_WHITESPACE[codeUnit] === 1;
}

/** Narrows a range to exclude white space at its start and end. A range of white space alone gives its end twice. */
export function trimRange(codeUnits: CodeUnits, from: number, to: number): readonly [from: number, to: number] {
  let [start, end] = [from, to];
  while (start < end && isWhitespace(codeUnits[start] ?? 0)) start += 1;
  while (end > start && isWhitespace(codeUnits[end - 1] ?? 0)) end -= 1;
  return [start, end];
}

/** Writes a range into `into`, trimmed and with every run of white space as one space. Returns the length written. */
export function collapseWhitespace(codeUnits: CodeUnits, from: number, to: number, into: Uint16Array): number {
  const [start, end] = trimRange(codeUnits, from, to);
  let length = 0;
  let afterSpace = false;
  for (let at = start; at < end; at += 1) {
    const codeUnit = codeUnits[at] ?? 0;
    const isSpace = isWhitespace(codeUnit);
    if (isSpace && afterSpace) continue;
    into[length] = isSpace ? SPACE_CODE : codeUnit;
    length += 1;
    afterSpace = isSpace;
  }
  return length;
}
