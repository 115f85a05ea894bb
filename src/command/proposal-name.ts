const SHAPE = /^(?=[a-z0-9]{4,6}$)(?=.*[a-z])(?=.*[0-9])/i;

/** A word read as a proposal's id, in lower case: 4 to 6 ASCII letters and digits, at least one of each. Null for any other word. */
export function readId(word: string): string | null {
  return SHAPE.test(word) ? word.toLowerCase() : null;
}
