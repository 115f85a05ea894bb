/**
 * Characters that a reader cannot see or that reorder what he sees. Emoji sequences are matched first, as a whole,
 * so that the joiners inside them stay; tabs and line feeds are the only controls that pass.
 */
const EMOJI_OR_HIDDEN =
  /\p{RGI_Emoji}|[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFB]--[\t\n]]/gv;

const STARTS_HIDDEN = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFB]/v;

/** One character as it is shown in place of itself: `\u{202E}`. */
export function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

/** The text with every hidden character written out; a carriage return and a lone surrogate count as hidden too. */
export function visible(text: string): string {
  return text.replace(EMOJI_OR_HIDDEN, (match) => (STARTS_HIDDEN.test(match) ? escapeCharacter(match) : match));
}

/** The hidden characters of a text, in order. */
export function hiddenIn(text: string): readonly string[] {
  return [...text.matchAll(EMOJI_OR_HIDDEN)].map(([match]) => match).filter((match) => STARTS_HIDDEN.test(match));
}

/** The text without its hidden characters. */
export function withoutHidden(text: string): string {
  return text.replace(EMOJI_OR_HIDDEN, (match) => (STARTS_HIDDEN.test(match) ? '' : match));
}

/** A code point as people name it: `U+202E`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
