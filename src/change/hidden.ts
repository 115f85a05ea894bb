/** A character that a reader does not see, or that changes how others are shown. `line` is 1-based within the text given. */
export type HiddenCharacter = { readonly codePoint: number; readonly line: number; readonly offset: number };

const HIDDEN =
  /(?![\t\n]|\r\n)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{2028}\u{2029}\u{FFF9}-\u{FFFB}]/gu;
const EMOJI_BEFORE = /(?:\p{Emoji}|\p{Emoji_Modifier}|\u{FE0F})$/u;
const PICTURE_AFTER = /^\p{Extended_Pictographic}/u;

/**
 * The hidden characters of a text, in order: direction controls, zero-width and other ignorable ones, and controls
 * but for tab, LF and the CR of a CRLF. What joins or styles an emoji is none, nor is a byte order mark at a file's start.
 */
export function hiddenCharacters(text: string, startsFile = false): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  let line = 1;
  let feed = text.indexOf('\n');
  for (const match of text.matchAll(HIDDEN)) {
    const offset = match.index;
    const codePoint = match[0].codePointAt(0) ?? 0;
    if (isHarmless(text, offset, codePoint, startsFile)) continue;
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
  const pieces: string[] = [];
  let offset = 0;
  for (const hidden of hiddenCharacters(text, startsFile)) {
    pieces.push(text.slice(offset, hidden.offset), `\\u{${hidden.codePoint.toString(16).toUpperCase()}}`);
    offset = hidden.offset + (hidden.codePoint > 0xffff ? 2 : 1);
  }
  pieces.push(text.slice(offset));
  return pieces.join('');
}

function isHarmless(text: string, offset: number, codePoint: number, startsFile: boolean): boolean {
  switch (codePoint) {
    case 0xfeff:
      return offset === 0 && startsFile;
    case 0xfe0e:
    case 0xfe0f:
      return EMOJI_BEFORE.test(text.slice(Math.max(0, offset - 2), offset));
    case 0x200d:
      return (
        EMOJI_BEFORE.test(text.slice(Math.max(0, offset - 2), offset)) &&
        PICTURE_AFTER.test(text.slice(offset + 1, offset + 3))
      );
    default:
      return false;
  }
}
