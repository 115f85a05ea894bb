import { isLineStart, lineStart } from './lines.ts';

/**
 * How many lines two lists share at the start (`head`) and, among the rest, at the end (`tail`). Numbers can stand for
 * lines.
 */
export function countCommonLines<Line>(
  left: ArrayLike<Line>,
  right: ArrayLike<Line>,
  isEqual: (left: Line | undefined, right: Line | undefined) => boolean = (one, other) => one === other,
): { readonly head: number; readonly tail: number } {
  const limit = Math.min(left.length, right.length);
  let head = 0;
  while (head < limit && isEqual(left[head], right[head])) head += 1;
  let tail = 0;
  while (tail < limit - head && isEqual(left[left.length - 1 - tail], right[right.length - 1 - tail])) tail += 1;
  return { head, tail };
}

/** Length of the whole lines that both texts start with. */
export function commonStartLength(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let common = 0;
  while (common + CHUNK_LENGTH <= limit && isSameChunk(before, common, after, common)) common += CHUNK_LENGTH;
  while (common < limit && before.charCodeAt(common) === after.charCodeAt(common)) common += 1;
  return lineStart(before, common);
}

/**
 * Length of the whole lines that both texts end with after their common start. The last line need not be terminated.
 */
export function commonEndLength(before: string, after: string, head: number): number {
  const limit = Math.min(before.length, after.length) - head;
  const growth = after.length - before.length;
  let start = before.length;
  const first = before.length - limit;
  while (
    start - CHUNK_LENGTH >= first &&
    isSameChunk(before, start - CHUNK_LENGTH, after, start - CHUNK_LENGTH + growth)
  )
    start -= CHUNK_LENGTH;
  while (start > first && before.charCodeAt(start - 1) === after.charCodeAt(start - 1 + growth)) start -= 1;
  if (isLineStart(before, start) && isLineStart(after, start + growth)) return before.length - start;
  const lineFeed = before.indexOf('\n', start);
  return lineFeed === -1 ? 0 : before.length - lineFeed - 1;
}

/** Characters to compare at once: the engine compares slices much faster than single characters. */
const CHUNK_LENGTH = 4096;

function isSameChunk(left: string, at: number, right: string, other: number): boolean {
  return left.slice(at, at + CHUNK_LENGTH) === right.slice(other, other + CHUNK_LENGTH);
}
