import type { SyntaxSpan } from './line-scan.ts';

/** A character that a reader takes for the end of a string or of a comment, and the ASCII text it stands for. */
type FalseEnd = { readonly character: string; readonly looksLike: string };

/**
 * Signs in a string or comment that look like its end, so that text reads as code that runs. Prose has such quotes too,
 * so they count only where an operator or a call follows. Takes linear time.
 */
export function findFalseEnds({ kind, text, quote }: SyntaxSpan): readonly FalseEnd[] {
  if (kind === 'code') return [];
  return quote === undefined ? falseCommentEnds(text) : falseQuotes(text, quote.charAt(0));
}

/** By the quote of a string: the characters that look like it. */
const QUOTES: ReadonlyMap<string, RegExp> = new Map([
  ['"', /[＂“”„‟″‶ʺ˝ˮ״〃]/gu],
  ["'", /[＇‘’‚‛′‵ʹʻʼˈ׳´]/gu],
  ['`', /[｀‘‵ˋ]/gu],
]);

/** An operator, a call or the end of a condition, as they stand behind a string. */
const CODE_AFTER_STRING =
  /^[)\]}]{0,5}\s{0,5}(?:&&|\|\||\?\?|[=!]=|<=|>=|=>|\+\s{0,5}\S|\)\s{0,5}[;{]|;\s{0,5}[\w$.]{1,30}(?:\(|\s?=)|(?:or|and)\s\S{1,20}\s?[=<>(])/iu;

const MAX_CHARACTERS_AFTER = 70;

function falseQuotes(text: string, quote: string): readonly FalseEnd[] {
  return [...text.matchAll(QUOTES.get(quote) ?? /(?!)/gu)].flatMap(({ 0: character, index }) => {
    const after = text.slice(index + character.length, index + MAX_CHARACTERS_AFTER);
    return CODE_AFTER_STRING.test(after) ? [{ character, looksLike: quote }] : [];
  });
}

/** By how a comment begins: what looks like its end, one group for each character of the end. */
const COMMENT_ENDS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^\/\*/u, /([*∗＊٭⁎])([/∕⁄／╱⟋⧸])/gu, '*/'],
  // Prose has lines that begin with a star too, as items of a list.
  [/^\s*\*[\s/]/u, /([*∗＊٭⁎])([/∕⁄／╱⟋⧸])(?=.{0,200}[;{])/gu, '*/'],
  [/^<!--/u, /([-−‐‑﹣－])([-−‐‑﹣－])([>＞﹥›])/gu, '-->'],
];

function falseCommentEnds(text: string): readonly FalseEnd[] {
  return COMMENT_ENDS.flatMap(([start, end, ascii]) => {
    if (!start.test(text)) return [];
    return [...text.matchAll(end)].flatMap(([, ...signs]) =>
      signs.flatMap((character, at) => {
        const looksLike = ascii.charAt(at);
        return character === looksLike ? [] : [{ character, looksLike }];
      }),
    );
  });
}
