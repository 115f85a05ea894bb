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

/** A part of one line. Comments, string literals and prose are `text`, all other parts are `code`. */
export type SyntaxSpan = { readonly kind: 'code' | 'text'; readonly text: string };

/**
 * Splits a line by the syntax of its file. The line stands alone, as in a diff, so comments and strings that began above
 * count as code, and after a quote that nothing closes all of the line is code: where the syntax is unsure, more is
 * reported.
 */
export function splitLine(line: string, path: string): readonly SyntaxSpan[] {
  const syntax = syntaxOf(path);
  if (syntax === 'prose') return [{ kind: 'text', text: line }];
  const spans: SyntaxSpan[] = [];
  let offset = 0;
  for (const match of line.matchAll(TEXT_PATTERNS[syntax])) {
    if (match.groups?.['unclosed'] !== undefined) break;
    const [text] = match;
    if (match.index > offset) spans.push({ kind: 'code', text: line.slice(offset, match.index) });
    spans.push({ kind: 'text', text });
    offset = match.index + text.length;
  }
  if (offset < line.length) spans.push({ kind: 'code', text: line.slice(offset) });
  return spans;
}

type Syntax = 'slashes' | 'markup' | 'hash' | 'dashes' | 'semicolon' | 'percent' | 'prose';

/** A quote after two letters is an apostrophe. `unclosed` marks a quote that nothing closes. */
const STRINGS = [
  String.raw`"(?:[^"\\]|\\.?)*(?:"|(?<unclosed>$))`,
  String.raw`(?<![\p{L}\p{N}]{2})'(?:[^'\\]|\\.?)*(?:'|(?<unclosed>$))`,
  String.raw`\u0060(?:[^\u0060\\]|\\.?)*(?:\u0060|(?<unclosed>$))`,
].join('|');

/** One-line comments, lines inside of a block comment that start with its star, and text between tags. */
const TEXT_PATTERNS = {
  slashes: textPattern(String.raw`//.*|/\*.*?(?:\*/|$)|^\s*\*(?=[\s/]).*`),
  markup: textPattern(
    String.raw`//.*|/\*.*?(?:\*/|$)|^\s*\*(?=[\s/]).*|<!--.*?(?:-->|$)|(?<=[\w"'\}/]>)[^<>\{\}=;]+(?=<|$)`,
  ),
  hash: textPattern(String.raw`(?<!\S)#.*`),
  dashes: textPattern(String.raw`--.*|/\*.*?(?:\*/|$)`),
  semicolon: textPattern(';.*'),
  percent: textPattern('%.*'),
} as const satisfies Readonly<Record<Exclude<Syntax, 'prose'>, RegExp>>;

function textPattern(comments: string): RegExp {
  return new RegExp(`${comments}|${STRINGS}`, 'gu');
}

/** Extensions, and names of files without one. All others have the syntax `slashes`. */
const EXTENSIONS: readonly (readonly [Syntax, string])[] = [
  ['prose', 'md markdown txt rst adoc asciidoc po pot srt vtt csv tsv'],
  ['markup', 'html htm xhtml xml xaml svg vue svelte astro jsx tsx mdx php erb hbs ejs twig'],
  ['hash', 'py pyi rb sh bash zsh fish yml yaml toml conf cfg env properties pl pm r jl ex exs cr nim tf tfvars'],
  ['hash', 'mk cmake ps1 awk graphql dockerfile makefile gemfile rakefile gitignore gitattributes dockerignore'],
  ['dashes', 'sql lua hs elm adb ads vhd vhdl'],
  ['semicolon', 'lisp clj cljs cljc edn el scm asm s ini'],
  ['percent', 'tex bib erl hrl m'],
];

const SYNTAX_OF_EXTENSION = new Map(
  EXTENSIONS.flatMap(([syntax, names]) => names.split(' ').map((name) => [name, syntax] as const)),
);

function syntaxOf(path: string): Syntax {
  const extension = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf('/')) + 1);
  return SYNTAX_OF_EXTENSION.get(extension.toLowerCase()) ?? 'slashes';
}
