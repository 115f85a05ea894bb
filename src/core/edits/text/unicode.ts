/**
 * A character that is invisible or changes how others are displayed. `line` is 1-based, `offset` counts code units.
 */
type HiddenCharacter = { readonly codePoint: number; readonly line: number; readonly offset: number };

/**
 * All of category C (controls but tab and LF, format, private use, unassigned, half a surrogate pair), ignorable
 * characters, those drawn as nothing, and the fifth and later marks on one letter.
 */
const HIDDEN = String.raw`[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]--[\t\n]]|(?<=\p{M}{4})\p{M}`;

/** Most texts have none. */
const MAYBE_HIDDEN = new RegExp(HIDDEN, 'v');

/** Emoji with joiners between them; Unicode's longest sequences have three. */
const JOINED = String.raw`(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?\u200D){1,3}\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?`;

/** A style draws an emoji in color that is otherwise text. Tags make flags. */
const STYLED = String.raw`[[\p{Emoji}&&\p{Extended_Pictographic}]--\p{Emoji_Presentation}]\uFE0F|\p{Emoji_Keycap_Sequence}|\p{RGI_Emoji_Tag_Sequence}`;

/**
 * Sequences that can be harmless come first and match whole: emoji and CRLF. The look-ahead saves a microsecond for
 * each character that cannot start an emoji.
 */
const SHOWN_OR_HIDDEN = new RegExp(
  String.raw`(?=[\p{Emoji}\p{Extended_Pictographic}])(?:(?<joined>${JOINED})|${STYLED})|\r\n|(?<hidden>${HIDDEN})`,
  'gv',
);

const STYLED_OR_HIDDEN = new RegExp(`${STYLED}|(?<hidden>${HIDDEN})`, 'gv');

const BYTE_ORDER_MARK_CODE_POINT = 0xfeff;

/** The hidden characters of a text, in order. A byte order mark at the start of a file is not one of them. */
export function findHiddenCharacters(text: string, startsFile = false): HiddenCharacter[] {
  if (!MAYBE_HIDDEN.test(text)) return [];
  const found: HiddenCharacter[] = [];
  let line = 1;
  let lineFeed = text.indexOf('\n');
  for (const { codePoint, offset } of placesOfHidden(text)) {
    if (codePoint === BYTE_ORDER_MARK_CODE_POINT && offset === 0 && startsFile) continue;
    while (lineFeed !== -1 && lineFeed < offset) {
      line += 1;
      lineFeed = text.indexOf('\n', lineFeed + 1);
    }
    found.push({ codePoint, line, offset });
  }
  return found;
}

type HiddenPlace = { readonly codePoint: number; readonly offset: number };

/** Joiners and styles are harmless within the emoji that they make, and draw nothing elsewhere. */
function placesOfHidden(text: string): readonly HiddenPlace[] {
  return [...text.matchAll(SHOWN_OR_HIDDEN)].flatMap(({ 0: match, index, groups }) => {
    if (groups?.['joined'] === undefined) return toPlace(groups?.['hidden'], index);
    if (isEmoji(match)) return [];
    return [...match.matchAll(STYLED_OR_HIDDEN)].flatMap((inner) =>
      toPlace(inner.groups?.['hidden'], index + inner.index),
    );
  });
}

function toPlace(character: string | undefined, offset: number): readonly HiddenPlace[] {
  const codePoint = character?.codePointAt(0);
  return codePoint === undefined ? [] : [{ codePoint, offset }];
}

/**
 * An emoji that is drawn as text unless a style follows. Before and behind a joiner, many texts leave the style out.
 */
const WITHOUT_STYLE = /\p{Extended_Pictographic}(?<!\p{Emoji_Presentation})(?!\p{Emoji_Modifier}|\uFE0F)/gu;

const JOINED_EMOJI = /^\p{RGI_Emoji_ZWJ_Sequence}$/v;

function isEmoji(joined: string): boolean {
  return JOINED_EMOJI.test(joined.replace(WITHOUT_STYLE, '$&\uFE0F'));
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
