import { searchText } from '../../src/change/occurrences.ts';

/** Offsets at which a text stands in another, overlapping ones included, in order. */
export function findText(text: string, sought: string): number[] {
  const found: number[] = [];
  searchText(text, sought, (offset) => {
    found.push(offset);
    return offset + 1;
  });
  return found;
}
