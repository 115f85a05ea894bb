import { hash } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
/** Letter and digit in turn, so that every id has both. */
const ALPHABETS = [LETTERS, DIGITS, LETTERS, DIGITS, LETTERS, DIGITS];
const SHORT = LETTERS.length * DIGITS.length * LETTERS.length * DIGITS.length;
const LONG = SHORT * LETTERS.length * DIGITS.length;
/** Coprime to both sizes (they have only the factors 2, 5 and 13), so that multiplying visits every id once. */
const STRIDE = 40_009;

/**
 * The `count`-th proposal's id on a pull request: unique there by construction, and not in alphabetical order,
 * so that neighbours are hard to mistake for each other. Four characters for the first 67,600, then six.
 */
export function proposalId(pullKey: string, count: number): string {
  const short = count < SHORT;
  const size = short ? SHORT : LONG;
  const start = hash('sha256', pullKey, 'buffer').readUInt32BE(0) % size;
  const index = (start + (count % size) * STRIDE) % size;
  return spell(index, short ? 4 : 6);
}

function spell(index: number, length: number): string {
  let rest = index;
  let id = '';
  for (const alphabet of ALPHABETS.slice(0, length)) {
    id += alphabet.charAt(rest % alphabet.length);
    rest = Math.floor(rest / alphabet.length);
  }
  return id;
}
