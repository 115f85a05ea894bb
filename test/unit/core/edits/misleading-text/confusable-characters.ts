import unicodeConfusables from 'unhomoglyph/data.json' with { type: 'json' };
import { asciiLikeness } from '../../../../../src/core/edits/misleading-text/confusables.ts';

const GREEK_CYRILLIC_ARMENIAN = Array.from({ length: 0x590 - 0x370 }, (_, index) =>
  String.fromCodePoint(0x370 + index),
);

/** The characters of Unicode's data and of these alphabets that look like ASCII text. */
export const CONFUSABLE_CHARACTERS: readonly string[] = [
  ...new Set([...Object.keys(unicodeConfusables), ...GREEK_CYRILLIC_ARMENIAN]),
].filter((character) => /^\P{ASCII}$/u.test(character) && asciiLikeness(character) !== null);
