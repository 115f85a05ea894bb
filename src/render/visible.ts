import { replaceHidden, showHidden } from '../change/hidden.ts';

/**
 * The text with every hidden character written out as `\u{202E}`; a carriage return counts as hidden wherever it
 * stands.
 */
export function visible(text: string): string {
  return showHidden(text).replaceAll('\r', '\\u{D}');
}

/** The text without its hidden characters. */
export function withoutHidden(text: string): string {
  return replaceHidden(text, () => '').replaceAll('\r', '');
}

/** A code point as people name it: `U+202E`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
