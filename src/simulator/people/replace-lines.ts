import { Buffer } from 'node:buffer';

/** Lines `start` to `end` (1-based, inclusive) and what stands there instead. */
export type Replacement = { readonly start: number; readonly end: number; readonly lines: readonly string[] };

/**
 * The file with some of its lines replaced, byte for byte the same elsewhere. A missing
 * newline at the end stays missing. The replacements must not overlap.
 */
export function replaceLines(bytes: Uint8Array, replacements: readonly Replacement[]): Uint8Array {
  // One character per byte, so that bytes that are no UTF-8 survive.
  const rows = Buffer.from(bytes).toString('latin1').split('\n');
  for (const { start, end, lines } of replacements.toSorted((left, right) => right.start - left.start)) {
    const row = lines.map((line) => Buffer.from(line, 'utf8').toString('latin1'));
    rows.splice(start - 1, end - start + 1, ...row);
  }
  return Buffer.from(rows.join('\n'), 'latin1');
}
