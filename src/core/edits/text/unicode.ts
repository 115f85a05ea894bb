/**
 * A character that is invisible or changes how others are displayed. `line` is 1-based, `offset` counts code units.
 */
type HiddenCharacter = { readonly codePoint: number; readonly line: number; readonly offset: number };

/**
 * Harmless sequences come first and match whole: emoji with their joiners and styles, and CRLF. The group then matches
 * a hidden character. The look-ahead saves a microsecond for each character that cannot start an emoji.
 */
const SHOWN_OR_HIDDEN =
  /(?=[\p{Emoji}\p{Extended_Pictographic}])(?:(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?\u200D)+\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?|\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F])|\r\n|([[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]--[\t\n]])/gv;

/**
 * Controls but tab and LF, format and ignorable characters, the Braille blank, half a surrogate pair. Most texts have
 * none.
 */
const MAYBE_HIDDEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]--[\t\n]]/v;

const BYTE_ORDER_MARK_CODE_POINT = 0xfeff;

/** The hidden characters of a text, in order. A byte order mark at the start of a file is not one of them. */
export function findHiddenCharacters(text: string, startsFile = false): HiddenCharacter[] {
  if (!MAYBE_HIDDEN.test(text)) return [];
  const found: HiddenCharacter[] = [];
  let line = 1;
  let lineFeed = text.indexOf('\n');
  for (const match of text.matchAll(SHOWN_OR_HIDDEN)) {
    const codePoint = match[1]?.codePointAt(0);
    const offset = match.index;
    if (codePoint === undefined || (codePoint === BYTE_ORDER_MARK_CODE_POINT && offset === 0 && startsFile)) continue;
    while (lineFeed !== -1 && lineFeed < offset) {
      line += 1;
      lineFeed = text.indexOf('\n', lineFeed + 1);
    }
    found.push({ codePoint, line, offset });
  }
  return found;
}

/** Writes each hidden character as `\u{202E}`, so that people and models see that it is there. */
export function escapeHiddenCharacters(text: string, startsFile = false): string {
  return replaceHiddenCharacters(text, ({ codePoint }) => `\\u{${codePoint.toString(16).toUpperCase()}}`, startsFile);
}

/** Writes each hidden character and every CR, even before LF, as `\u{D}`. */
export function escapeHiddenAndCr(text: string): string {
  return escapeHiddenCharacters(text).replaceAll('\r', '\\u{D}');
}

/** Removes hidden characters and every CR. */
export function stripHiddenAndCr(text: string): string {
  return replaceHiddenCharacters(text, () => '').replaceAll('\r', '');
}

export function replaceHiddenCharacters(
  text: string,
  by: (hidden: HiddenCharacter) => string,
  startsFile = false,
): string {
  const found = findHiddenCharacters(text, startsFile);
  if (found.length === 0) return text;
  const pieces: string[] = [];
  let offset = 0;
  for (const hidden of found) {
    pieces.push(text.slice(offset, hidden.offset), by(hidden));
    offset = hidden.offset + (hidden.codePoint > 0xffff ? 2 : 1);
  }
  pieces.push(text.slice(offset));
  return pieces.join('');
}

/** The Unicode name of a code point: `U+202E`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * A character that looks like an ASCII one. `line` is 1-based; `looksLike` is null if the ASCII character is unknown.
 */
export type LookAlike = { readonly codePoint: number; readonly line: number; readonly looksLike: string | null };

/**
 * Greek, Cyrillic and Armenian letters that most typefaces draw like an ASCII letter, each followed by that letter.
 */
const ASCII_LOOK_ALIKES = new Map(
  [
    'αaΑAΒBΕEΖZΗHΙIΚKΜMΝNοoΟOΡPρpΤTυuΥYΧXνvγyϲcϳj',
    'аaАAВBсcСCеeЕEНHіiІIјjЈJКKМMоoОOрpРPѕsЅSТTуyУYхxХXһhӏlԁdԛqԝwԚQԜWѵv',
    'օoՕOսuՍUհhցgզqոnլlյjԼL',
  ].flatMap((pairs) =>
    [...pairs.matchAll(/(.)(.)/gu)].map(([, letter = '', looksLike = '']) => [letter, looksLike] as const),
  ),
);

const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;

const BEYOND_ASCII = /\P{ASCII}/u;

/** Letters and digits that can be styled forms of ASCII ones: full width, mathematical, Roman numerals. */
const STYLED_LETTER_OR_DIGIT = /[\p{Lu}\p{Ll}\p{Nl}\p{Nd}]/u;

const ASCII_LETTER_OR_DIGIT = /^[A-Za-z0-9]$/;

/** Alphabets that resemble Latin so much that any of their letters among ASCII ones is reported. */
const LATIN_LIKE =
  /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Coptic}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Gothic}\p{Script=Deseret}\p{Script=Osage}\p{Script=Tifinagh}\p{Script=Canadian_Aboriginal}\p{Script=Vai}\p{Script=Old_Italic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Elbasan}\p{Script=Warang_Citi}]/u;

/** The Greek question mark, the Greek varia, the Kelvin sign, and all spaces but the ASCII and the ideographic one. */
const ALWAYS_CONFUSABLE = /[\u037E\u1FEF\u212A]|[[\p{Zs}]--[ \u3000]]/gv;

/**
 * Finds look-alikes in words that also have ASCII letters, and a few characters that are always confusing. A word that
 * is all in another script is fine.
 */
export function findLookAlikes(text: string): readonly LookAlike[] {
  if (!BEYOND_ASCII.test(text)) return [];
  return text
    .split('\n')
    .flatMap((line, index) => (BEYOND_ASCII.test(line) ? findLookAlikesInLine(line, index + 1) : []));
}

function findLookAlikesInLine(text: string, line: number): readonly LookAlike[] {
  const confusable = [...text.matchAll(ALWAYS_CONFUSABLE)].map(([character]) =>
    toLookAlike(character, line, character.normalize('NFKC')),
  );
  const mixed = [...text.matchAll(WORD)].flatMap(([word]) =>
    hasMixedScripts(word) ? findLookAlikesInWord(word, line) : [],
  );
  return [...confusable, ...mixed];
}

function hasMixedScripts(word: string): boolean {
  return BEYOND_ASCII.test(word) && /[A-Za-z]/.test(word);
}

function findLookAlikesInWord(word: string, line: number): readonly LookAlike[] {
  return [...word].flatMap((character) => {
    if (!BEYOND_ASCII.test(character)) return [];
    const looksLike =
      ASCII_LOOK_ALIKES.get(character) ?? (STYLED_LETTER_OR_DIGIT.test(character) ? character.normalize('NFKC') : '');
    if (ASCII_LETTER_OR_DIGIT.test(looksLike) && looksLike !== character)
      return [toLookAlike(character, line, looksLike)];
    return LATIN_LIKE.test(character) ? [toLookAlike(character, line, null)] : [];
  });
}

function toLookAlike(character: string, line: number, looksLike: string | null): LookAlike {
  return { codePoint: character.codePointAt(0) ?? 0, line, looksLike };
}

/**
 * A Markdown fence that the text cannot close: one backtick longer than its longest run of backticks, at least three.
 */
export function fenceFor(text: string): string {
  let ticks = '```';
  for (let at = text.indexOf(ticks); at !== -1; at = text.indexOf(ticks, at)) {
    const start = at;
    while (text.startsWith('`', at)) at += 1;
    ticks = '`'.repeat(at - start + 1);
  }
  return ticks;
}
