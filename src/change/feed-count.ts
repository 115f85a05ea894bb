/** Letters of a text between two counts of its line feeds. */
export const BLOCK = 256;

/** How a letter is looked for in all the letters that one number of 32 bits holds: LF, and all bits but the highest, in each of them. */
type Packing = { readonly feed: number; readonly low: number; readonly bits: number };
const BYTES: Packing = { feed: 0x0a0a0a0a, low: 0x7f7f7f7f, bits: 8 };
const UNITS: Packing = { feed: 0x000a000a, low: 0x7fff7fff, bits: 16 };

/**
 * How many line feeds stand before each block of a text's letters, and at the end how many there are. It takes four letters of
 * one byte, or two of two, at a time: looking for one line feed after the other takes ten times as long where lines are short.
 */
export function feedsBefore(letters: Uint8Array | Uint16Array): Int32Array {
  const width = letters.BYTES_PER_ELEMENT;
  const packing = width === 1 ? BYTES : UNITS;
  const blocks = Math.floor(letters.length / BLOCK);
  const counts = new Int32Array(blocks + 2);
  const numbers = aligned(letters, (blocks * BLOCK * width) / 4);
  const size = (BLOCK * width) / 4;
  for (let block = 0; block < blocks; block += 1) {
    const from = block * size;
    counts[block + 1] = (counts[block] ?? 0) + feedsIn(numbers, from, from + size, packing);
  }
  let rest = 0;
  for (let at = blocks * BLOCK; at < letters.length; at += 1) if (letters[at] === 10) rest += 1;
  counts[blocks + 1] = (counts[blocks] ?? 0) + rest;
  return counts;
}

/** Counted beside each other, one count for each letter of a number; a block has too few letters for any to run over. */
function feedsIn(numbers: Int32Array, from: number, to: number, { feed, low, bits }: Packing): number {
  let beside = 0;
  for (let at = from; at < to; at += 1) {
    const other = (numbers[at] ?? 0) ^ feed;
    // The highest bit of a letter is set here where all bits of the letter are 0, and nowhere else.
    const equal = ~(((other & low) + low) | other | low);
    beside = (beside + (equal >>> (bits - 1))) | 0;
  }
  let found = 0;
  for (; beside !== 0; beside >>>= bits) found += beside & (2 ** bits - 1);
  return found;
}

/** The letters' memory as numbers of 32 bits, copied where it does not begin at a multiple of four bytes. */
function aligned({ buffer, byteOffset }: Uint8Array | Uint16Array, count: number): Int32Array {
  if (byteOffset % 4 === 0) return new Int32Array(buffer, byteOffset, count);
  return new Int32Array(buffer.slice(byteOffset, byteOffset + 4 * count));
}
