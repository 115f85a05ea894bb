import { forEachOccurrence } from '../../../../src/core/edits/text/find-text.ts';

/** The offsets of all occurrences in order, including overlapping ones. */
export function findOccurrences(text: string, needle: string): number[] {
  const found: number[] = [];
  forEachOccurrence(text, needle, (offset) => {
    found.push(offset);
    return offset + 1;
  });
  return found;
}
