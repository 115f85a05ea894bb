import { replaceHiddenCharacters } from '../core/edits/text/unicode.ts';

/** JSON that controls no terminal: hidden characters are written as escapes, which every program reads as the same. */
export function toVisibleJson(value: unknown, indent = 0): string {
  return replaceHiddenCharacters(JSON.stringify(value, null, indent), ({ codePoint }) =>
    String.fromCodePoint(codePoint).split('').map(escapeCodeUnit).join(''),
  );
}

function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
