import type { Letters } from './letters.ts';

/** Letters of a text between two counts of its line feeds. */
export const BLOCK = 256;

/**
 * How many line feeds stand before each block of a text's letters, and at the end how many there are. Of bytes, all must
 * be ASCII. It takes four bytes, or two numbers of two, at a time: looking for one line feed
 * after the other takes ten times as long where lines are short.
 */
export function feedsBefore(letters: Letters): Int32Array {
  const blocks = Math.floor(letters.length / BLOCK);
  const counts = new Int32Array(blocks + 2);
  const size = (BLOCK * letters.BYTES_PER_ELEMENT) / 4;
  const numbers = aligned(letters, blocks * size);
  const feedsIn = letters.BYTES_PER_ELEMENT === 1 ? feedsOfBytes : feedsOfUnits;
  for (let block = 0; block < blocks; block += 1) {
    counts[block + 1] = (counts[block] ?? 0) + feedsIn(numbers, block * size, (block + 1) * size);
  }
  let rest = 0;
  for (let at = blocks * BLOCK; at < letters.length; at += 1) if (letters[at] === 10) rest += 1;
  counts[blocks + 1] = (counts[blocks] ?? 0) + rest;
  return counts;
}

/**
 * Counts what is no line feed, one count for each letter of a number beside the others; a block has too few letters for any to
 * run over. The highest bit of an ASCII letter is free: the sum sets it for all letters but LF.
 */
function feedsOfBytes(numbers: Int32Array, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) {
    others = (others + (((((numbers[at] ?? 0) ^ 0x0a0a0a0a) + 0x7f7f7f7f) >>> 7) & 0x01010101)) | 0;
  }
  return BLOCK - (others & 0xff) - ((others >>> 8) & 0xff) - ((others >>> 16) & 0xff) - (others >>> 24);
}

/** The same where a letter may have its highest bit: the sum leaves that out, and it is put in again. */
function feedsOfUnits(numbers: Int32Array, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) {
    const other = (numbers[at] ?? 0) ^ 0x000a000a;
    others = (others + (((((other & 0x7fff7fff) + 0x7fff7fff) | other) >>> 15) & 0x00010001)) | 0;
  }
  return BLOCK - (others & 0xffff) - (others >>> 16);
}

/** The letters' memory as numbers of 32 bits, copied where it does not begin at a multiple of four bytes. */
function aligned({ buffer, byteOffset }: Letters, count: number): Int32Array {
  if (byteOffset % 4 === 0) return new Int32Array(buffer, byteOffset, count);
  return new Int32Array(buffer.slice(byteOffset, byteOffset + 4 * count));
}
