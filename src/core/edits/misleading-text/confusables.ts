import unicodeConfusables from 'unhomoglyph/data.json' with { type: 'json' };

/** Greek, Cyrillic and Armenian letters that most typefaces draw like an ASCII letter, each followed by that letter. */
const CONFUSABLE_IN_MOST_TYPEFACES = toPairs([
  'αaΑAΒBΕEΖZΗHΙIΚKΜMΝNοoΟOΡPρpΤTυuΥYΧXνvγyϲcϳj',
  'аaАAВBсcСCеeЕEНHіiІIјjЈJКKМMоoОOрpРPѕsЅSТTуyУYхxХXһhӏlԁdԛqԝwԚQԜWѵv',
  'օoՕOսuՍUհhցgզqոnլlյjԼL',
]);

/** Signs that Unicode's data folds to `l` like a vertical bar, but that are read as bars. */
const BARS = toPairs(['ǀ|∣|⏽|￨|׀|']).concat([...'ǁ‖∥'].map((character) => [character, '||']));

function toPairs(lists: readonly string[]): [string, string][] {
  return lists.flatMap((pairs) =>
    [...pairs.matchAll(/(.)(.)/gu)].map(([, letter = '', looksLike = '']) => [letter, looksLike]),
  );
}

/** All of one kind: a word, or punctuation. `(a)` and `l.` resemble neither an identifier nor an operator. */
const WORD_OR_PUNCTUATION = /^(?:[A-Za-z0-9]+|[^A-Za-z0-9]+)$/;

/** Ligatures that are letters of living alphabets, and characters that are reported as hidden. */
const NOT_CONFUSABLE = /[æœÆŒ\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}]/u;

/** The ASCII text that a single character beyond ASCII looks like, by Unicode's confusables (UTS 39). */
const ASCII_LIKENESS = new Map(
  Object.entries(unicodeConfusables)
    .filter(
      ([character, likeness]) =>
        /^\P{ASCII}$/u.test(character) &&
        /^\p{ASCII}+$/u.test(likeness) &&
        WORD_OR_PUNCTUATION.test(likeness) &&
        !NOT_CONFUSABLE.test(character),
    )
    .concat(CONFUSABLE_IN_MOST_TYPEFACES, BARS),
);

/** Letters, digits and signs that can be styled forms of ASCII ones: full width, mathematical, Roman numerals. */
const STYLED = /^[\p{Lu}\p{Ll}\p{Nl}\p{Nd}\p{P}\p{S}\p{Zs}]$/u;

const PRINTABLE_ASCII = /^[ -~]$/;

/** The ASCII text that a character beyond ASCII looks like; null if it looks like none. */
export function asciiLikeness(character: string): string | null {
  return ASCII_LIKENESS.get(character) ?? styledAscii(character);
}

/** Whether it is confusable in any context: a styled ASCII letter or digit, or drawn alike in most typefaces. */
export function isSameGlyph(character: string): boolean {
  return SAME_GLYPHS.has(character) || /^[A-Za-z0-9]$/.test(styledAscii(character) ?? '');
}

const SAME_GLYPHS = new Set(CONFUSABLE_IN_MOST_TYPEFACES.map(([character]) => character));

function styledAscii(character: string): string | null {
  if (!STYLED.test(character)) return null;
  const plain = character.normalize('NFKC');
  return PRINTABLE_ASCII.test(plain) && plain !== character ? plain : null;
}
