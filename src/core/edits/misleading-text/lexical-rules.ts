/** How a language writes comments and strings, as sources of regular expressions. */
export type LexicalRules = {
  readonly comments: string;
  /** The quotes that open a string. */
  readonly strings: string;
  /** The quotes that open a string that can have code in it. */
  readonly templates?: string;
  /** The signs that open the code in such a string. It ends with its brackets. */
  readonly interpolation?: string;
  /** Literals of one character, in languages where other apostrophes open no string. */
  readonly characters?: string;
  /** The start of a line that can be within a comment, or code that goes on from the line above. */
  readonly unsureLines?: string;
  /** Whether text stands between tags. */
  readonly hasTags?: boolean;
  /** Regular expressions, which can have quotes and signs of comments in them. */
  readonly patterns?: string;
  /** Other literals that can have quotes and signs of comments in them. They count as code. */
  readonly literals?: string;
  /** Text that can be such a literal, or something else in front of a string. */
  readonly unsureLiterals?: string;
  /** The sign that escapes a quote, instead of a backslash. */
  readonly escapeSign?: string;
  /** The opening quotes of strings in which a backslash escapes a quote. In strings that are neither, it is unsure. */
  readonly escaped?: string;
  /** The opening quotes of strings in which a backslash is an ordinary character. */
  readonly raw?: string;
};

/** A slash after a bracket or backslash belongs to a regular expression, and one after a colon to an address. */
const SLASHES = String.raw`(?<![:\\[])//.*|(?<![\\[])/\*.*?(?:\*/|$)|^\s*\*/`;
const BLOCKS = String.raw`/\*.*?(?:\*/|$)|^\s*\*/`;
const STAR = String.raw`\*`;
const HASH = String.raw`(?<!\S)#.*`;

const EITHER = `"|'`;
const TRIPLE = `"""|'''|${EITHER}`;
const CHARACTER = String.raw`'(?:[^'\\]|\\.[^'\\]{0,10})'`;

const ANY_QUOTE = `["'\\u0060]`;

/** Strings of attributes have no escapes. */
const NO_ATTRIBUTE = `(?<!=)${ANY_QUOTE}`;

/** A prefix can make a string raw. */
const WITHOUT_PREFIX = String.raw`(?<![\p{L}\p{N}_@#$])["']`;

/** A quote behind an operand transposes it. */
const NOT_TRANSPOSED = String.raw`(?<![\p{L}\p{N}_)\]}.'])'`;

/** The bounds here and below keep a search linear. */
const BETWEEN_SLASHES = String.raw`/(?![*/])(?:\[(?:[^\]\\]|\\.){0,50}\]|\\.|[^/[\\]){1,60}/`;

/** Where an operand begins, a slash begins a regular expression. */
const PATTERN = String.raw`(?<=(?:^|[=(,:!&|?\[;{+]|=>|\b(?:return|typeof|case|in|of|else|void|throw|yield|await))\s{0,5})${BETWEEN_SLASHES}`;

/** Behind a bracket it can do so. */
const PATTERN_OR_DIVISION = String.raw`(?<=[)\]}]\s{0,5})${BETWEEN_SLASHES}`;

/** A text between brackets, or between two equal signs. */
const DELIMITED = String.raw`(?:\([^()]{0,200}\)|\[[^[\]]{0,200}\]|\{[^{}]{0,200}\}|<[^<>]{0,200}>|(?<sign>[|!/,~^])(?:(?!\k<sign>).){0,200}\k<sign>)`;

/** Such as `?'`. */
const QUESTION_CHARACTER = String.raw`(?<![\p{L}\p{N}_])\?\\?["'\u0060#]`;

const C_LIKE = {
  comments: SLASHES,
  strings: '"',
  characters: CHARACTER,
  unsureLines: STAR,
  escaped: WITHOUT_PREFIX,
} as const;
const SCRIPT = {
  comments: SLASHES,
  strings: EITHER,
  templates: '\\u0060',
  interpolation: String.raw`\$\{`,
  unsureLines: STAR,
  patterns: PATTERN,
  unsureLiterals: PATTERN_OR_DIVISION,
  escaped: NO_ATTRIBUTE,
} as const;
const TAGGED = {
  ...SCRIPT,
  comments: `${SLASHES}|<!--.*?(?:-->|$)`,
  strings: EITHER,
  hasTags: true,
} as const;

const UNKNOWN: LexicalRules = { comments: '(?!)', strings: EITHER, unsureLines: String.raw`\*|//` };

/** Languages by extensions and by names of files without one. Prose has none. */
const RULES: readonly (readonly [LexicalRules | 'prose', string])[] = [
  ['prose', 'md markdown txt rst adoc asciidoc po pot srt vtt csv tsv'],
  [SCRIPT, 'js mjs cjs'],
  [{ ...SCRIPT, escaped: ANY_QUOTE }, 'ts mts cts ets json json5 jsonc snap'],
  [TAGGED, 'vue svelte astro jsx tsx mdx'],
  [
    { ...TAGGED, templates: `\\u0060|${EITHER}`, interpolation: String.raw`\$\{|\{\{` },
    'html htm xhtml xml xaml svg hbs ejs twig',
  ],
  [{ ...TAGGED, templates: '\\u0060|"', interpolation: String.raw`[$#]\{` }, 'erb'],
  [{ ...TAGGED, templates: '\\u0060|"', interpolation: String.raw`\{(?=\$)|\$\{` }, 'php'],
  [
    { ...C_LIKE, literals: String.raw`R"(?<mark>[^()\s\\]{0,16})\(.{0,1000}?\)\k<mark>"` },
    'c h cc cpp cxx c++ hh hpp hxx inl ipp ino cu cuh cl glsl hlsl vert frag comp geom metal wgsl fx',
  ],
  [C_LIKE, 'java zig v sv svh vh s mm'],
  [{ ...C_LIKE, literals: String.raw`r(?<mark>#{0,9})".{0,1000}?"\k<mark>` }, 'rs'],
  [{ ...C_LIKE, literals: String.raw`\u0060[^\u0060]*\u0060|r"[^"]*"|q"\(.{0,1000}?\)"` }, 'd'],
  [{ ...C_LIKE, literals: '"""(?:.{0,1000}?""")?|@"(?:[^"]|"")*"' }, 'fs fsi fsx'],
  [{ ...C_LIKE, strings: '"|\\u0060', raw: '\\u0060' }, 'go'],
  [
    { ...C_LIKE, templates: '"""|"', interpolation: String.raw`\$\{`, literals: '"{3}.{0,1000}?"{3,9}' },
    'kt kts scala sc',
  ],
  [
    {
      ...C_LIKE,
      templates: '"""|"',
      interpolation: String.raw`\\\(`,
      literals: String.raw`(?<mark>#{1,9})".{0,1000}?"\k<mark>`,
    },
    'swift',
  ],
  [
    {
      ...C_LIKE,
      templates: String.raw`(?<=\$@?|@\$)"`,
      interpolation: String.raw`\{`,
      literals: String.raw`(?<mark>"{3,9})(?!").{0,1000}?\k<mark>(?!")|(?<!\$)@"(?:[^"]|"")*"(?!")`,
      escaped: String.raw`(?<![\p{L}\p{N}_@#])"`,
      raw: String.raw`(?<=@\$?)"`,
    },
    'cs csx',
  ],
  [
    {
      comments: SLASHES,
      strings: '(?!)',
      templates: TRIPLE,
      interpolation: String.raw`\$\{`,
      unsureLines: STAR,
      escaped: WITHOUT_PREFIX,
      unsureLiterals: BETWEEN_SLASHES,
    },
    'dart groovy gradle jenkinsfile',
  ],
  [
    { comments: SLASHES, strings: EITHER, unsureLines: STAR, escaped: WITHOUT_PREFIX },
    'scss sass less styl proto sol hx as qml pde re rei res prisma bicep cue jsonnet libsonnet thrift fbs ' +
      'dts dtsi typ odin vala nut avdl y yy l lex bal cls trigger mod work idl',
  ],
  [{ comments: SLASHES, strings: EITHER, unsureLines: STAR, raw: EITHER }, 'pas dpr'],
  [{ comments: BLOCKS, strings: EITHER, unsureLines: STAR, escaped: ANY_QUOTE }, 'css'],
  [
    {
      comments: HASH,
      strings: TRIPLE,
      templates: String.raw`(?<=(?<![\p{L}\p{N}_])(?:[fF][rR]?|[rR][fF]))(?:"""|'''|["'])`,
      interpolation: String.raw`\{`,
      // Raw ones too: their backslash stays, and the string goes on.
      escaped: ANY_QUOTE,
    },
    'py pyi pyx pxd bzl bazel build workspace',
  ],
  [
    {
      comments: HASH,
      strings: "'",
      templates: '"""|"',
      interpolation: String.raw`#\{`,
      escaped: ANY_QUOTE,
      unsureLiterals: `${QUESTION_CHARACTER}|[%~][A-Za-z]?${DELIMITED}|${BETWEEN_SLASHES}`,
    },
    'rb rake gemspec cr ex exs coffee gemfile rakefile podfile fastfile vagrantfile brewfile guardfile',
  ],
  [
    {
      comments: HASH,
      strings: "'",
      templates: '"',
      interpolation: '[$@][({]',
      literals: String.raw`\\.`,
      escaped: String.raw`"|(?<=\$)'`,
      raw: String.raw`(?<!\$)'`,
    },
    'sh bash zsh ksh bats env envrc',
  ],
  [
    {
      comments: HASH,
      strings: "'",
      templates: '"',
      interpolation: '[$@][({]',
      literals: '\\u0060.',
      escapeSign: '\\u0060',
      escaped: '"',
      raw: "'",
    },
    'ps1 psm1',
  ],
  [
    {
      comments: HASH,
      strings: "'",
      templates: '"',
      interpolation: '[$@][({]',
      escaped: ANY_QUOTE,
      unsureLiterals: String.raw`(?<![\p{L}\p{N}_])(?:q[qwrx]?|m|s|y|tr)\s?${DELIMITED}|${BETWEEN_SLASHES}`,
    },
    'pl pm',
  ],
  [{ comments: HASH, strings: NOT_TRANSPOSED, templates: '"', interpolation: '[$@][({]', escaped: ANY_QUOTE }, 'jl'],
  [
    { comments: HASH, strings: "'", templates: '"', interpolation: '[$@][({]' },
    'fish mk cmake dockerfile containerfile makefile cmakelists.txt',
  ],
  [
    { comments: HASH, strings: '\\u0060', templates: EITHER, interpolation: String.raw`\$?\{\{`, escaped: '"' },
    'yml yaml',
  ],
  [
    {
      comments: `${HASH}|${SLASHES}`,
      strings: '(?!)',
      templates: '"',
      interpolation: String.raw`[$%]\{`,
      escaped: '"',
    },
    'tf tfvars hcl nomad',
  ],
  [
    {
      comments: `${HASH}|${BLOCKS}`,
      strings: '(?!)',
      templates: '"',
      interpolation: String.raw`\$\{`,
      literals: "''.{0,1000}?''(?!['$\\\\])",
      escaped: '"',
    },
    'nix',
  ],
  [
    {
      comments: HASH,
      strings: EITHER,
      unsureLiterals: `[rR]["']-{0,9}${DELIMITED}-{0,9}["']|${BETWEEN_SLASHES}`,
    },
    'toml conf cfg properties r nim awk graphql gql gn gd rego gitignore gitattributes dockerignore requirements.txt',
  ],
  [
    {
      comments: String.raw`--.*|/\*.*?(?:\*/|$)`,
      strings: EITHER,
      literals: String.raw`\$(?<mark>\w{0,60})\$.{0,1000}?\$\k<mark>\$|\u0060[^\u0060]*\u0060`,
    },
    'sql',
  ],
  [
    {
      comments: String.raw`--\[(?<level>=*)\[.*?(?:\]\k<level>\]|$)|--.*`,
      strings: EITHER,
      literals: String.raw`\[(?<mark>=*)\[.{0,1000}?\]\k<mark>\]`,
      escaped: ANY_QUOTE,
    },
    'lua',
  ],
  [
    {
      comments: '--.*',
      strings: '"',
      characters: CHARACTER,
      literals: String.raw`\[\w{1,60}\|.{0,1000}?\|\]`,
      escaped: '"',
    },
    'hs elm purs',
  ],
  [{ comments: '--.*', strings: '"', characters: CHARACTER, raw: '"' }, 'adb ads vhd vhdl'],
  [
    { comments: ';.*', strings: '"', literals: String.raw`[#?]?\\.|\?"`, escaped: '"' },
    'lisp clj cljs cljc edn el scm rkt',
  ],
  [{ comments: ';.*', strings: EITHER }, 'asm ini'],
  [{ comments: String.raw`(?<!\\)%.*`, strings: EITHER }, 'tex sty bib'],
  [{ comments: '%.*', strings: EITHER, literals: String.raw`\$\\?.`, escaped: ANY_QUOTE }, 'erl hrl'],
  // Objective-C has the same extension as MATLAB.
  [{ comments: `(?<=(?:^|;)\\s{0,20})%.*|${SLASHES}`, strings: `"|${NOT_TRANSPOSED}` }, 'm'],
  [{ comments: '!.*', strings: EITHER }, 'f for f90 f95 f03 f08'],
  [{ comments: "'.*", strings: '"', raw: '"' }, 'vb vbs bas'],
  [
    {
      comments: String.raw`\(\*.*?(?:\*\)|$)`,
      strings: '"',
      characters: CHARACTER,
      literals: String.raw`\{(?<mark>[a-z_]{0,60})\|.{0,1000}?\|\k<mark>\}`,
      escaped: '"',
    },
    'ml mli',
  ],
  [{ comments: String.raw`^\s*(?:@?[rR][eE][mM]\b|::).*`, strings: '"' }, 'bat cmd'],
];

const RULES_OF_NAME = new Map(
  RULES.flatMap(([language, names]) => names.split(' ').map((name) => [name, language] as const)),
);

/**
 * The rules of a file's language, by its name or extension. In an unknown one only strings and lines of words behind
 * `*` or `//` are text.
 */
export function lexicalRulesOf(path: string): LexicalRules | 'prose' {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return RULES_OF_NAME.get(name) ?? RULES_OF_NAME.get(extension) ?? UNKNOWN;
}
