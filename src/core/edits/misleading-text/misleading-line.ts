import { findHiddenCharacters } from '../text/unicode.ts';
import { isCodeReordered } from './line-display.ts';
import { findLookAlikes } from './look-alikes.ts';

/** Why a reader could take a line for another one: a character, or code that is displayed in another order. */
export type Misleading = { readonly codePoint: number } | 'reordered';

/** The first reason why an added line misleads; null if it does not. A CR before the LF is a line's end. */
export function findMisleading(line: string, path: string, startsFile: boolean): Misleading | null {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const [found] = [...findHiddenCharacters(text, startsFile), ...findLookAlikes(text, path)];
  if (found !== undefined) return { codePoint: found.codePoint };
  return isCodeReordered(text, path) ? 'reordered' : null;
}
