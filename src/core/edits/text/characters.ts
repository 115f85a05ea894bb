import { createHash } from 'node:crypto';

/** U+FEFF at the start of a file. It stays part of the text, so that encoding gives the same bytes again. */
export const BYTE_ORDER_MARK = '\u{FEFF}';

/** The text of bytes that encode back to exactly the same bytes, or the reason why we cannot edit them. */
type DecodedText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'not-utf8' };

/** Decodes UTF-8 and keeps a byte order mark. As in git, a NUL byte makes a file binary. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(0)) return { kind: 'binary' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf8' };
  }
}

/** Encodes as UTF-8. Throws for half a surrogate pair, which UTF-8 cannot represent. */
export function encodeText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new Error('The text has half a surrogate pair, which has no UTF-8 form.');
  return new TextEncoder().encode(text);
}

/** Bytes of the text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The SHA-1, in hex, under which git stores these bytes as a blob. */
export function blobSha(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** A text with LF in place of every CRLF, and the way back to its original offsets. */
type NormalizedText = {
  readonly text: string;
  /** The original offset of a normalized one. The LF of a former CRLF maps to the CR. */
  readonly originalOffset: (offset: number) => number;
};

/** Replaces every CRLF with LF. */
export function normalizeLineEndings(text: string): NormalizedText {
  // The normalized offsets of the LFs that had a CR, in order.
  const returns: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) returns.push(at - returns.length);
  if (returns.length === 0) return asNormalized(text);
  return { text: text.replaceAll('\r\n', '\n'), originalOffset: (offset) => offset + countBelow(returns, offset) };
}

/** How many of some rising numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Wraps a text without replacing anything, for searches that involve no line ending. */
export function asNormalized(text: string): NormalizedText {
  return { text, originalOffset: (offset) => offset };
}

/**
 * A character that is invisible or changes how others are displayed. `line` is 1-based, `offset` counts code units.
 */
type HiddenCharacter = { readonly codePoint: number; readonly line: number; readonly offset: number };

/** The signs of Arabic and Syriac numbers and verses, which are drawn although their category is format. */
const DRAWN_FORMAT = String.raw`\u0600-\u0605\u06DD\u070F\u08E2`;

/** Controls but tab and LF, format and unassigned characters, half surrogates, ignorable ones, and a blank. */
const HIDDEN = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\t\n${DRAWN_FORMAT}]]`;

/** Most texts have none. */
const MAYBE_HIDDEN = new RegExp(HIDDEN, 'v');

/** Letters of scripts that join: there, U+200C and U+200D decide how words are written. */
const JOINING = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}\p{scx=Tibt}]`;

/** What is no reason to look closer comes first: CR LF, styles, keycaps, flags and joiners of emoji, and of words. */
const SHOWN_OR_HIDDEN = new RegExp(
  [
    String.raw`\r\n`,
    String.raw`[[\p{Emoji}\p{Extended_Pictographic}]--[0-9#*]][\uFE0E\uFE0F]`,
    String.raw`[0-9#*]\uFE0F?\u20E3`,
    String.raw`\p{RGI_Emoji_Tag_Sequence}`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=${JOINING})[\u200C\u200D]|[\u200C\u200D](?=${JOINING})`,
    `(?<hidden>${HIDDEN})`,
  ].join('|'),
  'gv',
);

const BYTE_ORDER_MARK_CODE_POINT = 0xfeff;

/** The hidden characters of a text, in order. A byte order mark at the start of a file is not one of them. */
export function findHiddenCharacters(text: string, startsFile = false): HiddenCharacter[] {
  if (!MAYBE_HIDDEN.test(text)) return [];
  const found: HiddenCharacter[] = [];
  let line = 1;
  let lineFeed = text.indexOf('\n');
  for (const { index: offset, groups } of text.matchAll(SHOWN_OR_HIDDEN)) {
    const codePoint = groups?.['hidden']?.codePointAt(0);
    if (codePoint === undefined) continue;
    if (codePoint === BYTE_ORDER_MARK_CODE_POINT && offset === 0 && startsFile) continue;
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

/** JSON that controls no terminal: hidden characters become escapes, which every reader of JSON takes for the same. */
export function escapeHiddenInJson(json: string): string {
  return replaceHiddenCharacters(json, ({ codePoint }) => {
    const units = String.fromCodePoint(codePoint).split('');
    return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  });
}

/** Removes hidden characters and every CR. Twice, because a removed character can have stood between two others. */
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
