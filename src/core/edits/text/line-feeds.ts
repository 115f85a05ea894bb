import { type CodeUnits, CR, LF } from './characters.ts';

/** Code units between two stored counts of line feeds. */
export const LINE_FEED_BLOCK_LENGTH = 256;

/**
 * The line feeds before each block of code units, and at the end those of the whole text; bytes must be ASCII.
 * Counting four bytes or two units at a time is 10 times as fast as `indexOf` where lines are short.
 */
export function countLineFeedsByBlock(codeUnits: CodeUnits): Int32Array {
  const blocks = Math.floor(codeUnits.length / LINE_FEED_BLOCK_LENGTH);
  const counts = new Int32Array(blocks + 2);
  const { packed, size, form } = packUnits(codeUnits, blocks);
  const countFeeds = form === 'bytes' ? countFeedsInBytes : countFeedsInUnits;
  for (let block = 0; block < blocks; block += 1) {
    counts[block + 1] = (counts[block] ?? 0) + countFeeds(packed, block * size, (block + 1) * size);
  }
  let rest = 0;
  for (let at = blocks * LINE_FEED_BLOCK_LENGTH; at < codeUnits.length; at += 1) if (codeUnits[at] === LF) rest += 1;
  counts[blocks + 1] = (counts[blocks] ?? 0) + rest;
  return counts;
}

/** Counts the line feeds of a text, and among them those after a CR. Bytes must be ASCII. */
export function countLineEndings(codeUnits: CodeUnits): { readonly feeds: number; readonly pairs: number } {
  const blocks = Math.floor(codeUnits.length / LINE_FEED_BLOCK_LENGTH);
  const { packed, size, form } = packUnits(codeUnits, blocks);
  const countCrLf = form === 'bytes' ? countCrLfInBytes : countCrLfInUnits;
  let pairs = 0;
  for (let block = 0; block < blocks; block += 1) pairs += countCrLf(packed, block * size, (block + 1) * size);
  for (let at = Math.max(1, blocks * LINE_FEED_BLOCK_LENGTH); at < codeUnits.length; at += 1) {
    if (codeUnits[at] === LF && codeUnits[at - 1] === CR) pairs += 1;
  }
  return { feeds: countLineFeedsByBlock(codeUnits).at(-1) ?? 0, pairs };
}

/** The code units of whole blocks as 32-bit integers, `size` of them for each block. */
type PackedUnits = { readonly packed: Int32Array; readonly size: number; readonly form: 'bytes' | 'units' };

function packUnits(codeUnits: CodeUnits, blocks: number): PackedUnits {
  const { BYTES_PER_ELEMENT: width } = codeUnits;
  const size = (LINE_FEED_BLOCK_LENGTH * width) / 4;
  return { packed: toAlignedInts(codeUnits, blocks * size), size, form: width === 1 ? 'bytes' : 'units' };
}

/** Views the memory as 32-bit integers. Copies it unless it starts at a multiple of four bytes. */
function toAlignedInts({ buffer, byteOffset }: CodeUnits, count: number): Int32Array {
  if (byteOffset % 4 === 0) return new Int32Array(buffer, byteOffset, count);
  return new Int32Array(buffer.slice(byteOffset, byteOffset + 4 * count));
}

/**
 * Sums the code units that are no line feeds in one lane for each byte. A block is too short for a lane to overflow.
 */
function countFeedsInBytes(packed: Int32Array, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) others = (others + markOtherBytes(packed[at] ?? 0, 0x0a0a0a0a)) | 0;
  return LINE_FEED_BLOCK_LENGTH - sumBytes(others);
}

function countFeedsInUnits(packed: Int32Array, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) others = (others + markOtherUnits(packed[at] ?? 0, 0x000a000a)) | 0;
  return LINE_FEED_BLOCK_LENGTH - sumUnits(others);
}

/** Counts line feeds after CRs. The first unit is in the lowest bits, as on every processor that Node.js supports. */
function countCrLfInBytes(packed: Int32Array, from: number, to: number): number {
  let pairs = 0;
  let before = from === 0 ? 0 : (markOtherBytes(packed[from - 1] ?? 0, 0x0d0d0d0d) ^ 0x01010101) >>> 24;
  for (let at = from; at < to; at += 1) {
    const returns = markOtherBytes(packed[at] ?? 0, 0x0d0d0d0d) ^ 0x01010101;
    pairs = (pairs + (((returns << 8) | before) & ~markOtherBytes(packed[at] ?? 0, 0x0a0a0a0a))) | 0;
    before = returns >>> 24;
  }
  return sumBytes(pairs);
}

function countCrLfInUnits(packed: Int32Array, from: number, to: number): number {
  let pairs = 0;
  let before = from === 0 ? 0 : (markOtherUnits(packed[from - 1] ?? 0, 0x000d000d) ^ 0x00010001) >>> 16;
  for (let at = from; at < to; at += 1) {
    const returns = markOtherUnits(packed[at] ?? 0, 0x000d000d) ^ 0x00010001;
    pairs = (pairs + (((returns << 16) | before) & ~markOtherUnits(packed[at] ?? 0, 0x000a000a))) | 0;
    before = returns >>> 16;
  }
  return sumUnits(pairs);
}

/** Sets a one for each of four ASCII bytes that differs from the needle: adding 0x7f sets the free high bit. */
function markOtherBytes(number: number, needle: number): number {
  return (((number ^ needle) + 0x7f7f7f7f) >>> 7) & 0x01010101;
}

/** Sets a one for each of two units that differs from the needle. Their high bit is in use, so it is added back. */
function markOtherUnits(number: number, needle: number): number {
  const other = number ^ needle;
  return ((((other & 0x7fff7fff) + 0x7fff7fff) | other) >>> 15) & 0x00010001;
}

function sumBytes(counts: number): number {
  return (counts & 0xff) + ((counts >>> 8) & 0xff) + ((counts >>> 16) & 0xff) + (counts >>> 24);
}

function sumUnits(counts: number): number {
  return (counts & 0xffff) + (counts >>> 16);
}
