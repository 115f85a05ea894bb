/** A character that a reader does not see, or that changes how others are shown. `line` is 1-based within the text given. */
export type HiddenCharacter = { readonly codePoint: number; readonly line: number; readonly offset: number };

/**
 * What is no warning comes first and is matched whole: emoji with what joins and styles them, a picture in text or colour,
 * the end of a line. Then direction controls, zero-width and other ignorable characters, format characters and controls
 * but for tab and LF, the blank of Braille, and half a surrogate pair. All emoji are tried only where one may begin: a letter
 * takes a microsecond to fit none of them.
 */
const SHOWN_OR_HIDDEN =
  /(?=[\p{Emoji}\p{Extended_Pictographic}])(?:(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?\u200D)+\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?|\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F])|\r\n|([[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]--[\t\n]])/gv;

/** Most texts have nothing of it. */
const MAYBE_HIDDEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]--[\t\n]]/v;
const BYTE_ORDER_MARK = 0xfeff;

/** The hidden characters of a text, in order; a byte order mark at a file's start is none. */
export function hiddenCharacters(text: string, startsFile = false): HiddenCharacter[] {
  if (!MAYBE_HIDDEN.test(text)) return [];
  const found: HiddenCharacter[] = [];
  let line = 1;
  let feed = text.indexOf('\n');
  for (const match of text.matchAll(SHOWN_OR_HIDDEN)) {
    const codePoint = match[1]?.codePointAt(0);
    const offset = match.index;
    if (codePoint === undefined || (codePoint === BYTE_ORDER_MARK && offset === 0 && startsFile)) continue;
    while (feed !== -1 && feed < offset) {
      line += 1;
      feed = text.indexOf('\n', feed + 1);
    }
    found.push({ codePoint, line, offset });
  }
  return found;
}

/** The text with each hidden character written as `\u{…}`, so that people and models see that it is there. */
export function showHidden(text: string, startsFile = false): string {
  return replaceHidden(text, ({ codePoint }) => `\\u{${codePoint.toString(16).toUpperCase()}}`, startsFile);
}

/** The text with something else in place of each hidden character. */
export function replaceHidden(text: string, by: (hidden: HiddenCharacter) => string, startsFile = false): string {
  const found = hiddenCharacters(text, startsFile);
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
