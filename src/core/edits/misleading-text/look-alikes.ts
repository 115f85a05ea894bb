import { asciiLikeness, isSameGlyph } from './confusables.ts';
import { findFalseEnds } from './false-ends.ts';
import type { SyntaxSpan } from './line-scan.ts';
import { splitLine } from './line-syntax.ts';

/**
 * A character that looks like an ASCII one. `line` is 1-based; `looksLike` is null if the ASCII character is unknown.
 */
export type LookAlike = { readonly codePoint: number; readonly line: number; readonly looksLike: string | null };

/**
 * The characters of a file's lines that resemble ASCII ones and so could mislead a reader, by the rules of
 * `docs/internals/misleading-text.md`. Each rule looks at one line, in time linear in its length.
 */
export function findLookAlikes(text: string, path: string): readonly LookAlike[] {
  if (!BEYOND_ASCII.test(text)) return [];
  return text.split('\n').flatMap((line, index) => (BEYOND_ASCII.test(line) ? findInLine(line, path, index + 1) : []));
}

/** The look-alikes of a path. Its segments have no comments and no strings. */
export function findLookAlikesInPath(path: string): readonly LookAlike[] {
  return path.split('/').flatMap((text) => findInSpan({ kind: 'code', text }).map((found) => toLookAlike(found, 1)));
}

/**
 * A text as a reader can take it for ASCII, with its look-alikes replaced; none for a text in ASCII. A sign like a bar
 * has two readings.
 */
export function asciiReadings(text: string): readonly string[] {
  if (!BEYOND_ASCII.test(text)) return [];
  const reading = text.replace(EACH_BEYOND_ASCII, likenessOf);
  const withBars = text.replace(EACH_BEYOND_ASCII, (one) => likenessOf(one).replace(/[I1|]/g, 'l'));
  return reading === withBars ? [reading] : [reading, withBars];
}

const EACH_BEYOND_ASCII = /\P{ASCII}/gu;

/** Texts share few characters. */
const LIKENESSES = new Map<string, string>();

function likenessOf(character: string): string {
  const known = LIKENESSES.get(character);
  if (known !== undefined) return known;
  const likeness = asciiLikeness(character) ?? character;
  LIKENESSES.set(character, likeness);
  return likeness;
}

const BEYOND_ASCII = /\P{ASCII}/u;

type Found = { readonly character: string; readonly looksLike: string | null };

function findInLine(line: string, path: string, number: number): readonly LookAlike[] {
  return splitLine(line, path)
    .flatMap(findInSpan)
    .map((found) => toLookAlike(found, number));
}

function toLookAlike({ character, looksLike }: Found, line: number): LookAlike {
  return { codePoint: character.codePointAt(0) ?? 0, line, looksLike };
}

function findInSpan(span: SyntaxSpan): readonly Found[] {
  if (!BEYOND_ASCII.test(span.text)) return [];
  return [
    ...[...span.text.matchAll(ALWAYS_CONFUSABLE)].map(([character]) => named(character)),
    ...findMixedWords(span),
    ...findWholeWords(span),
    ...findPunctuation(span),
    ...findLetterSigns(span),
    ...findFalseEnds(span),
  ];
}

function named(character: string): Found {
  return { character, looksLike: asciiLikeness(character) };
}

/** The Greek question mark, the Greek varia, the Kelvin sign, and all spaces but the ASCII and the ideographic one. */
const ALWAYS_CONFUSABLE = /[\u037E\u1FEF\u212A]|[[\p{Zs}]--[ \u3000]]/gv;

/** East Asian words stand next to Latin ones without a space, so a word ends where they begin. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[[\p{L}\p{M}\p{N}_$]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]]+/gv;

/** Alphabets that resemble Latin so much that any of their letters among ASCII ones is reported. */
const LATIN_LIKE =
  /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Coptic}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Gothic}\p{Script=Deseret}\p{Script=Osage}\p{Script=Tifinagh}\p{Script=Canadian_Aboriginal}\p{Script=Vai}\p{Script=Old_Italic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Elbasan}\p{Script=Warang_Citi}]/u;

/**
 * Characters that ordinary words have next to ASCII letters: letters of Latin alphabets, and modifiers as apostrophes.
 */
const ORDINARY_IN_WORDS = /[ıſɣɩƖʋƲ\p{Lm}]/u;

/** Scripts that attach their own affixes to a Latin word: before or behind it, and not within. */
const AFFIX = /[\p{Script_Extensions=Hebrew}\p{Script_Extensions=Arabic}]/u;

/** A word without its affixes: from its first ASCII letter to its last one. */
const WITHOUT_AFFIXES = /[A-Za-z](?:.*[A-Za-z])?/su;

/** Look-alikes in words that also have ASCII letters. */
function findMixedWords({ kind, text }: SyntaxSpan): readonly Found[] {
  const isSentence = kind === 'text' || isSentenceOfWords(text);
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    if (!BEYOND_ASCII.test(word) || !/[A-Za-z]/.test(word)) return [];
    const foreign = [...word].filter((character) => BEYOND_ASCII.test(character) && character !== KELVIN_SIGN);
    const [stem = ''] = WITHOUT_AFFIXES.exec(word) ?? [];
    const isOrdinary = (character: string): boolean =>
      ORDINARY_IN_WORDS.test(character) || (AFFIX.test(character) && !stem.includes(character));
    const isDisguised = foreign.every(isConfusable) && !(isSentence && isTranscription(text, index, word));
    return foreign
      .filter((character) => {
        if (isSameGlyph(character) || LATIN_LIKE.test(character)) return true;
        if (isSentence) return isDisguised && !isOrdinary(character);
        return isConfusable(character);
      })
      .map(named);
  });
}

/** Is reported everywhere. */
const KELVIN_SIGN = '\u212A';

function isConfusable(character: string): boolean {
  return asciiLikeness(character) !== null;
}

/** Whether slashes or brackets stand directly around a word, as in `/ɡɪt/`, the notation of sounds. */
function isTranscription(text: string, start: number, word: string): boolean {
  const end = start + word.length;
  return (
    /(?:^|[^\p{L}\p{N}.])[/[]$/u.test(text.slice(Math.max(0, start - 2), start)) &&
    /^[/\]](?:[^\p{L}\p{N}]|$)/u.test(text.slice(end, end + 2))
  );
}

/** Signs of code. */
const CODE_SIGN = /[=(){}[\]<>;$_&|+*/\\@^%#~]|[A-Za-z]\.[A-Za-z]|:\s*$/;

/** Whether code reads like prose, as text between tags does: three words at least, and no sign of code. */
function isSentenceOfWords(text: string): boolean {
  return !CODE_SIGN.test(text) && /\S\s+\S+\s+\S/.test(text);
}

type Word = { readonly text: string; readonly start: number; readonly disguised: boolean };

/**
 * The text between the words of a phrase: a space with the punctuation of sentences around it, an abbreviation sign, or
 * the hyphen of a compound or of a range such as `[а-я]`.
 */
const WITHIN_PHRASE = {
  code: /^(?:[,.!?:;…"'»”’]*\s+[—–\-"'«“(„]*\s*|[״׳’-])$/u,
  text: /^(?:[,.!?:;…"'»”’]*\s+[—–\-"'«“(„]*\s*|[״׳’/|-])$/u,
} as const;

const MAX_PHRASE_GAP_CHARACTERS = 10;

/** A word in a text is code if it is glued to such a sign. */
const GLUED_BEFORE = /[$_\\/={<&|@]$/;
const GLUED_AFTER = /^(?:[$_\\/=}[>&|@]|\(|\.[\p{L}_])/u;

/** Words without ASCII letters that consist of confusable letters only, outside phrases of another language. */
function findWholeWords({ kind, text }: SyntaxSpan): readonly Found[] {
  return phrasesOf(text, WITHIN_PHRASE[kind]).flatMap((phrase) => {
    if (phrase.some(({ disguised }) => !disguised)) return [];
    return phrase
      .filter((word) => (kind === 'code' && !isWordFromRightToLeft(word)) || isGlued(text, word))
      .flatMap((word) => [...word.text].filter((character) => BEYOND_ASCII.test(character)).map(named));
  });
}

/** Only single letters of these scripts pass for ASCII: a word of them is read in the other direction. */
function isWordFromRightToLeft({ text }: Word): boolean {
  return text.length > 1 && /[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(text);
}

function isGlued(text: string, word: Word): boolean {
  const end = word.start + word.text.length;
  if (isTranscription(text, word.start, word.text)) return false;
  return (
    GLUED_BEFORE.test(text.slice(Math.max(0, word.start - 1), word.start)) || GLUED_AFTER.test(text.slice(end, end + 2))
  );
}

/** Successive words beyond ASCII that only the space of a sentence separates. */
function phrasesOf(text: string, separator: RegExp): readonly (readonly Word[])[] {
  const phrases: Word[][] = [];
  let end = -1;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!BEYOND_ASCII.test(word) || /[A-Za-z]/.test(word)) continue;
    const disguised = [...word].every((character) => !BEYOND_ASCII.test(character) || isConfusable(character));
    const isNear = index - end <= MAX_PHRASE_GAP_CHARACTERS && separator.test(text.slice(end, index));
    const phrase = phrases.at(-1);
    if (phrase !== undefined && isNear) phrase.push({ text: word, start: index, disguised });
    else phrases.push([{ text: word, start: index, disguised }]);
    end = index + word.length;
  }
  return phrases;
}

/** Runs of punctuation and signs beyond ASCII, with the spaces between them. */
const FOREIGN_PUNCTUATION = /(?:[[\p{P}\p{S}\u3000]--\p{ASCII}]\s*)+/gv;

/** Quotes, dashes and the ellipsis of printed text. A sentence has them in any language. */
const TYPOGRAPHIC = /[‘’‚‛“”„‟…–‹›´•′″‐‑]/u;

/** Signs that would end a name within an address. */
const ADDRESS_SIGN = /[⁄∕╱⟋⧸∶꞉․]/u;

/** An apostrophe after a letter, which ends no string, and an ellipsis after text. */
const ORDINARY_IN_CODE = /\p{L}’|[\p{L}\p{N}})]…(?![\p{L}\p{N}_$[])/u;

/** Confusable punctuation: in code, unless a letter beyond ASCII is next to it; in text only within addresses. */
function findPunctuation({ kind, text }: SyntaxSpan): readonly Found[] {
  const isSentence = kind === 'code' && isSentenceOfWords(text);
  return [...text.matchAll(FOREIGN_PUNCTUATION)].flatMap(({ 0: run, index }) => {
    const before = lastVisible(text, index);
    const after = text.slice(index + run.length, index + run.length + 2);
    if (kind === 'text' && !isWithinAddress(before, after)) return [];
    if (ENDS_WITH_FOREIGN_LETTER.test(before) || STARTS_WITH_FOREIGN_LETTER.test(after)) return [];
    if (kind === 'code' && run.length === 1 && ORDINARY_IN_CODE.test(before + run + after)) return [];
    return [...run]
      .filter((character) => {
        if (!isConfusable(character) || ALWAYS_CONFUSABLE_PUNCTUATION.test(character)) return false;
        if (/[A-Za-z0-9]/.test(asciiLikeness(character) ?? '')) return false;
        return kind === 'text' ? ADDRESS_SIGN.test(character) : !(isSentence && TYPOGRAPHIC.test(character));
      })
      .map(named);
  });
}

const ALWAYS_CONFUSABLE_PUNCTUATION = /[\u037E\u1FEF]/u;

/** The last character before an offset, without the spaces in between, as far as 20 of them. */
function lastVisible(text: string, offset: number): string {
  return text
    .slice(Math.max(0, offset - 20), offset)
    .trimEnd()
    .slice(-2);
}

const ENDS_WITH_FOREIGN_LETTER = /[[\p{L}\p{M}\p{N}]--\p{ASCII}]$/v;
const STARTS_WITH_FOREIGN_LETTER = /^[[\p{L}\p{M}\p{N}]--\p{ASCII}]/v;

function isWithinAddress(before: string, after: string): boolean {
  return /[A-Za-z]$/.test(before) && /^[A-Za-z0-9]/.test(after);
}

/** A sign that looks like a letter, such as `×`, between letters of code. */
const LETTER_SIGN = /(?<=[A-Za-z_$])[\p{P}\p{S}](?=[A-Za-z_$])/gu;

function findLetterSigns({ kind, text }: SyntaxSpan): readonly Found[] {
  if (kind === 'text') return [];
  return [...text.matchAll(LETTER_SIGN)]
    .map(([character]) => named(character))
    .filter(({ character, looksLike }) => BEYOND_ASCII.test(character) && /^[A-Za-z0-9]+$/.test(looksLike ?? ''));
}
