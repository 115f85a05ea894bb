/** A character that is easily taken for one of ASCII. `line` is 1-based; `like` is what it looks like, null where no table says it. */
export type LookAlike = { readonly codePoint: number; readonly line: number; readonly like: string | null };

/** Letters of Greek, Cyrillic and Armenian that most typefaces draw as they draw one of ASCII, each before that one. */
const LETTERS = new Map(
  [
    'αaΑAΒBΕEΖZΗHΙIΚKΜMΝNοoΟOΡPρpΤTυuΥYΧXνvγyϲcϳj',
    'аaАAВBсcСCеeЕEНHіiІIјjЈJКKМMоoОOрpРPѕsЅSТTуyУYхxХXһhӏlԁdԛqԝwԚQԜWѵv',
    'օoՕOսuՍUհhցgզqոnլlյjԼL',
  ].flatMap((pairs) => [...pairs.matchAll(/(.)(.)/gu)].map(([, letter = '', like = '']) => [letter, like] as const)),
);

const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const BEYOND_ASCII = /\P{ASCII}/u;
/** Letters and digits that may be those of ASCII in another dress: full width, mathematical, Roman numerals. */
const DRESSED = /[\p{Lu}\p{Ll}\p{Nl}\p{Nd}]/u;
/** Alphabets drawn so much as Latin is that a letter of theirs among those of ASCII is named whichever it is. */
const LATIN_LIKE =
  /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Coptic}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Gothic}\p{Script=Deseret}\p{Script=Osage}\p{Script=Tifinagh}\p{Script=Canadian_Aboriginal}\p{Script=Vai}\p{Script=Old_Italic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Elbasan}\p{Script=Warang_Citi}]/u;
/** The Greek question mark, the Greek varia, the Kelvin sign, and blanks that are not the blank. */
const ALONE = /[\u037E\u1FEF\u212A]|[[\p{Zs}]--[ \u3000]]/gv;

/**
 * Characters of a text that look like ASCII and are not: within a word that has letters of ASCII too, and a few that
 * never have another meaning. A word all in another script is that script's.
 */
export function lookAlikes(text: string): readonly LookAlike[] {
  if (!BEYOND_ASCII.test(text)) return [];
  return text.split('\n').flatMap((line, index) => (BEYOND_ASCII.test(line) ? inLine(line, index + 1) : []));
}

function inLine(text: string, line: number): readonly LookAlike[] {
  const alone = [...text.matchAll(ALONE)].map(([character]) => found(character, line, character.normalize('NFKC')));
  const mixed = [...text.matchAll(WORD)].flatMap(([word]) => (isMixed(word) ? inWord(word, line) : []));
  return [...alone, ...mixed];
}

function isMixed(word: string): boolean {
  return BEYOND_ASCII.test(word) && /[A-Za-z]/.test(word);
}

function inWord(word: string, line: number): readonly LookAlike[] {
  return [...word].flatMap((character) => {
    if (!BEYOND_ASCII.test(character)) return [];
    const like = LETTERS.get(character) ?? (DRESSED.test(character) ? character.normalize('NFKC') : '');
    if (ONE_OF_ASCII.test(like) && like !== character) return [found(character, line, like)];
    return LATIN_LIKE.test(character) ? [found(character, line, null)] : [];
  });
}

const ONE_OF_ASCII = /^[A-Za-z0-9]$/;

function found(character: string, line: number, like: string | null): LookAlike {
  return { codePoint: character.codePointAt(0) ?? 0, line, like };
}
