const SHAPE = /^(?=[a-z0-9]{4,6}$)(?=.*[a-z])(?=.*[0-9])/i;

/** A word read as a proposal's id, in lower case: 4 to 6 ASCII letters and digits, at least one of each. Null for any other word. */
export function readId(word: string): string | null {
  return SHAPE.test(word) ? word.toLowerCase() : null;
}

/** What stands around an id where people write sentences: `k7q2:`, "k7q2", (k7q2), and the page's own code spans. */
const AROUND = /^[^\p{L}\p{N}]{0,9}([a-z0-9]{4,6})[^\p{L}\p{N}]{0,9}$/iu;

/** The same for a word as it stands among others, with marks before and behind it. */
export function readIdAmongWords(word: string): string | null {
  return readId(AROUND.exec(word)?.[1] ?? '');
}
