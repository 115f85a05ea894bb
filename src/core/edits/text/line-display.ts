import { splitLine } from './line-spans.ts';

const TAB_COLUMNS = 8;

const TAB_OR_WIDE =
  /\t|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60]/u;

/** The width of a line as GitHub displays it: a tab reaches to a multiple of eight, an East Asian character takes two. */
export function columnsOf(line: string): number {
  if (!TAB_OR_WIDE.test(line)) return line.length;
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += TAB_COLUMNS - (columns % TAB_COLUMNS);
    else columns += TAB_OR_WIDE.test(character) ? 2 : 1;
  }
  return columns;
}

const GAP_WITHIN_LINE = /(?<=\S)[\p{Zs}\t]{4,}(?=\S)/gu;

const MAX_GAP_SPACES = 20;

/** A tab counts as five spaces, so that four tabs are a wide gap. */
const SPACES_PER_TAB = 5;

/** Whether a line has 20 spaces or four tabs between two texts. Indentation is no gap. */
export function hasWideGap(line: string): boolean {
  return [...line.matchAll(GAP_WITHIN_LINE)].some(([gap]) => {
    const tabs = gap.split('\t').length - 1;
    return gap.length + tabs * (SPACES_PER_TAB - 1) >= MAX_GAP_SPACES;
  });
}

/** A right-to-left letter, the signs after it, and the letter or digit that continues its run. */
const RIGHT_TO_LEFT_RUN =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}](?<signs>[^\p{L}\p{M}\p{N}]+)(?=[\p{Nd}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])/gu;

/** Signs of code that sentences do not have: operators and brackets, and a quote next to another sign. */
const SIGNS_OF_CODE = /[=+*<>[\]{}&|^;$\\`]|["'][^"']|[^"']["']/;

/**
 * Whether displays show code in another order than it runs: a right-to-left run reaches to the next such letter or digit
 * with no other letter between. A run within one string or comment is prose.
 */
export function isCodeReordered(line: string, path: string): boolean {
  const runs = countRuns(line);
  if (runs === 0) return false;
  const prose = splitLine(line, path).filter(({ kind }) => kind === 'text');
  return runs > prose.reduce((count, { text }) => count + countRuns(text), 0);
}

function countRuns(text: string): number {
  return [...text.matchAll(RIGHT_TO_LEFT_RUN)].filter(({ groups }) => SIGNS_OF_CODE.test(groups?.['signs'] ?? ''))
    .length;
}
