/**
 * A character that is invisible or changes how others are displayed. `line` is 1-based, `offset` counts code units.
 */
type HiddenCharacter = { readonly codePoint: number; readonly line: number; readonly offset: number };

/**
 * Harmless sequences come first and match whole: emoji with their joiners and styles, and CRLF. The group then matches
 * a hidden character. The look-ahead saves a microsecond for each character that cannot start an emoji.
 */
const SHOWN_OR_HIDDEN =
  /(?=[\p{Emoji}\p{Extended_Pictographic}])(?:(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?\u200D)+\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?|\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F])|\r\n|([[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]--[\t\n]]|(?<=\p{M}{4})\p{M})/gv;

/**
 * All of category C (controls but tab and LF, format, private use, unassigned, half a surrogate pair), ignorable
 * characters, those drawn as nothing, and the fifth and later marks on one letter. Most texts have none.
 */
const MAYBE_HIDDEN =
  /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]--[\t\n]]|(?<=\p{M}{4})\p{M}/v;

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

/** Removes hidden characters and every CR. Twice, because a removed character can have kept marks apart. */
export function stripHiddenAndCr(text: string): string {
  const visible = replaceHiddenCharacters(text, () => '').replaceAll('\r', '');
  return replaceHiddenCharacters(visible, () => '');
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
