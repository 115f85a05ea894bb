import { CR, type Letters, LF } from './letters.ts';

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
  const { numbers, size, form } = numbersOf(letters, blocks);
  const feedsIn = form === 'bytes' ? feedsOfBytes : feedsOfUnits;
  for (let block = 0; block < blocks; block += 1) {
    counts[block + 1] = (counts[block] ?? 0) + feedsIn(numbers, block * size, (block + 1) * size);
  }
  let rest = 0;
  for (let at = blocks * BLOCK; at < letters.length; at += 1) if (letters[at] === LF) rest += 1;
  counts[blocks + 1] = (counts[blocks] ?? 0) + rest;
  return counts;
}

/** How many line feeds a text has, and how many of them stand behind a CR. Of bytes, all must be ASCII. */
export function countEnds(letters: Letters): { readonly feeds: number; readonly pairs: number } {
  const blocks = Math.floor(letters.length / BLOCK);
  const { numbers, size, form } = numbersOf(letters, blocks);
  const pairsIn = form === 'bytes' ? pairsOfBytes : pairsOfUnits;
  let pairs = 0;
  for (let block = 0; block < blocks; block += 1) pairs += pairsIn(numbers, block * size, (block + 1) * size);
  for (let at = Math.max(1, blocks * BLOCK); at < letters.length; at += 1) {
    if (letters[at] === LF && letters[at - 1] === CR) pairs += 1;
  }
  return { feeds: feedsBefore(letters).at(-1) ?? 0, pairs };
}

/** The letters of whole blocks as numbers of 32 bits, `size` of them for each block. */
type Numbers = { readonly numbers: Int32Array; readonly size: number; readonly form: 'bytes' | 'units' };

function numbersOf(letters: Letters, blocks: number): Numbers {
  const { BYTES_PER_ELEMENT: width } = letters;
  const size = (BLOCK * width) / 4;
  return { numbers: aligned(letters, blocks * size), size, form: width === 1 ? 'bytes' : 'units' };
}

/** Counts what is no line feed, one count for each letter of a number beside the others; a block has too few letters for any to run over. */
function feedsOfBytes(numbers: Int32Array, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) others = (others + otherBytes(numbers[at] ?? 0, 0x0a0a0a0a)) | 0;
  return BLOCK - sumOfBytes(others);
}

function feedsOfUnits(numbers: Int32Array, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) others = (others + otherUnits(numbers[at] ?? 0, 0x000a000a)) | 0;
  return BLOCK - sumOfUnits(others);
}

/** Counts line feeds behind CRs. Numbers have their first letter lowest, as every processor that Node runs on stores them. */
function pairsOfBytes(numbers: Int32Array, from: number, to: number): number {
  let pairs = 0;
  let before = from === 0 ? 0 : (otherBytes(numbers[from - 1] ?? 0, 0x0d0d0d0d) ^ 0x01010101) >>> 24;
  for (let at = from; at < to; at += 1) {
    const returns = otherBytes(numbers[at] ?? 0, 0x0d0d0d0d) ^ 0x01010101;
    pairs = (pairs + (((returns << 8) | before) & ~otherBytes(numbers[at] ?? 0, 0x0a0a0a0a))) | 0;
    before = returns >>> 24;
  }
  return sumOfBytes(pairs);
}

function pairsOfUnits(numbers: Int32Array, from: number, to: number): number {
  let pairs = 0;
  let before = from === 0 ? 0 : (otherUnits(numbers[from - 1] ?? 0, 0x000d000d) ^ 0x00010001) >>> 16;
  for (let at = from; at < to; at += 1) {
    const returns = otherUnits(numbers[at] ?? 0, 0x000d000d) ^ 0x00010001;
    pairs = (pairs + (((returns << 16) | before) & ~otherUnits(numbers[at] ?? 0, 0x000a000a))) | 0;
    before = returns >>> 16;
  }
  return sumOfUnits(pairs);
}

/** A one for each of four ASCII letters that is not the one sought: the highest bit is free, and the sum sets it for all others. */
function otherBytes(number: number, sought: number): number {
  return (((number ^ sought) + 0x7f7f7f7f) >>> 7) & 0x01010101;
}

/** The same of two letters that may have their highest bit: the sum leaves that out, and it is put in again. */
function otherUnits(number: number, sought: number): number {
  const other = number ^ sought;
  return ((((other & 0x7fff7fff) + 0x7fff7fff) | other) >>> 15) & 0x00010001;
}

function sumOfBytes(counts: number): number {
  return (counts & 0xff) + ((counts >>> 8) & 0xff) + ((counts >>> 16) & 0xff) + (counts >>> 24);
}

function sumOfUnits(counts: number): number {
  return (counts & 0xffff) + (counts >>> 16);
}

/** The letters' memory as numbers of 32 bits, copied where it does not begin at a multiple of four bytes. */
function aligned({ buffer, byteOffset }: Letters, count: number): Int32Array {
  if (byteOffset % 4 === 0) return new Int32Array(buffer, byteOffset, count);
  return new Int32Array(buffer.slice(byteOffset, byteOffset + 4 * count));
}
