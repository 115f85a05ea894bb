import { splitLine } from './line-syntax.ts';

const TAB_COLUMNS = 8;

/**
 * The columns of characters wider than a letter. Typefaces draw the widest ones differently, so these are upper bounds:
 * a phrase in one sign, the signs of cuneiform and of Javanese ornaments, long dashes, hieroglyphs, and East Asian
 * ones.
 */
const WIDE: readonly (readonly [columns: number, RegExp])[] = [
  [20, /[\u{FDFD}\u{12031}\u{12219}\u{1242B}]/u],
  [8, /[\u{FDFA}\u{FDFB}\u{2E3B}\u{A9C1}\u{A9C2}\u{A9C4}\u{A9C5}\u{0BF5}\u{0BF8}]/u],
  [5, /[\p{Script=Cuneiform}\u{2E3A}]/u],
  [3, /[\p{Script=Egyptian_Hieroglyphs}\p{Script=Anatolian_Hieroglyphs}\u{FDF0}-\u{FDFC}\u{102A}\u{0DF4}]/u],
  [
    2,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\p{Script=Nushu}\p{Emoji_Presentation}\p{Extended_Pictographic}\u3000-\u303F\u3200-\u33FF\u4DC0-\u4DFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]/u,
  ],
];

/** The width of a line as GitHub displays it: a tab reaches to a multiple of eight, a wide character takes several. */
export function columnsOf(line: string): number {
  if (/^[^\t\P{ASCII}]*$/u.test(line)) return line.length;
  let columns = 0;
  for (const character of line)
    columns += character === '\t' ? TAB_COLUMNS - (columns % TAB_COLUMNS) : widthOf(character);
  return columns;
}

function widthOf(character: string): number {
  if (character < '\u0080') return 1;
  return WIDE.find(([, pattern]) => pattern.test(character))?.[0] ?? 1;
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

/** The letters of all blocks of Unicode that are for right-to-left scripts, and the digits of some. */
const RIGHT_TO_LEFT = String.raw`[[[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]&&\p{L}]\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]`;

/** A right-to-left letter, the signs after it, and the letter or digit that continues its run. */
const RIGHT_TO_LEFT_RUN = new RegExp(
  String.raw`${RIGHT_TO_LEFT}\p{M}*(?<signs>[^\p{L}\p{M}\p{N}]+)(?=\p{Nd}|${RIGHT_TO_LEFT})`,
  'gv',
);

/** Signs of code that sentences do not have: operators and brackets, and a quote next to another sign. */
const SIGNS_OF_CODE = /[=+*<>[\]{}&|^;$\\`]|["'][^"']|[^"']["']/;

/**
 * Whether displays show code in another order than it runs: a right-to-left run reaches to the next such letter or
 * digit with no other letter between. A run within one string or comment is prose.
 */
export function isCodeReordered(line: string, path: string): boolean {
  const runs = signsInRuns(line);
  if (runs.length === 0) return false;
  const spans = splitLine(line, path);
  const code = spans.flatMap(({ kind, text }) => (kind === 'code' ? [text] : []));
  if (code.some(hasReorderedOperands)) return true;
  // A comment can have lines with examples of code, which start with its star.
  if (/^\s*\*\s/.test(line) && !code.some((text) => HAS_RIGHT_TO_LEFT.test(text))) return false;
  const prose = spans.filter(({ kind }) => kind === 'text');
  return countSignsOfCode(runs) > prose.reduce((count, { text }) => count + countSignsOfCode(signsInRuns(text)), 0);
}

const HAS_RIGHT_TO_LEFT = new RegExp(RIGHT_TO_LEFT, 'v');

function signsInRuns(text: string): readonly string[] {
  return [...text.matchAll(RIGHT_TO_LEFT_RUN)].map(({ groups }) => groups?.['signs'] ?? '');
}

function countSignsOfCode(runs: readonly string[]): number {
  return runs.filter((signs) => SIGNS_OF_CODE.test(signs)).length;
}

/** Signs that code and sentences have: operators, separators, and the brackets of calls. */
const OPERAND_SIGNS = /[-/%,.:?!()]/;

/** Signs that a text is code and no sentence. */
const EVIDENCE_OF_CODE = /[=;<>[\]{}]|^\s*(?:return|if|elif|while|yield|await|assert|not)\b|[\p{L}\p{N}_]\(/u;

/** Two right-to-left words in a row, which no code has outside of strings and comments. */
const RIGHT_TO_LEFT_WORDS = new RegExp(String.raw`${RIGHT_TO_LEFT}\p{M}*\s+${RIGHT_TO_LEFT}`, 'v');

/** A range of letters in a class of a regular expression, such as `[a-z]`. */
const LETTER_RANGE = new RegExp(String.raw`(?<=\[[^\s\]]{0,20})${RIGHT_TO_LEFT}-${RIGHT_TO_LEFT}`, 'gv');

/** Whether operands change places: `a - b`, `f(a, b)` or `a.b()` in right-to-left letters. */
function hasReorderedOperands(code: string): boolean {
  if (RIGHT_TO_LEFT_WORDS.test(code) || !EVIDENCE_OF_CODE.test(code)) return false;
  return signsInRuns(code.replace(LETTER_RANGE, '')).some((signs) => OPERAND_SIGNS.test(signs));
}

/** Whether displays show neighboring segments of a path in the other order. */
export function isPathReordered(path: string): boolean {
  return signsInRuns(path).some((signs) => signs.includes('/'));
}
