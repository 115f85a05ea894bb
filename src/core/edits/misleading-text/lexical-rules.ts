/** How a language writes comments and strings, as sources of regular expressions. */
export type LexicalRules = {
  readonly comments: string;
  /** What opens a string. */
  readonly strings: string;
  /** What opens a string that can have code in it. */
  readonly templates?: string;
  /** What opens the code in such a string. It ends with its brackets. */
  readonly interpolation?: string;
  /** Literals of one character, in languages where other apostrophes open no string. */
  readonly characters?: string;
  /** What starts a line that can be within a comment, or code that goes on from the line above. */
  readonly unsureLines?: string;
  /** Whether text stands between tags. */
  readonly hasTags?: boolean;
  /** Regular expressions, which can have quotes and signs of comments in them. */
  readonly patterns?: string;
};

/** A slash after a bracket or backslash belongs to a regular expression, and one after a colon to an address. */
const SLASHES = String.raw`(?<![:\\[])//.*|(?<![\\[])/\*.*?(?:\*/|$)|^\s*\*/`;
const BLOCKS = String.raw`/\*.*?(?:\*/|$)|^\s*\*/`;
const STAR = String.raw`\*`;
const HASH = String.raw`(?<!\S)#.*`;

/** A quote after two letters is an apostrophe. */
const APOSTROPHE = String.raw`(?<![\p{L}\p{N}]{2})'`;
const EITHER = `"|${APOSTROPHE}`;
const TRIPLE = `"""|'''|${EITHER}`;
const CHARACTER = String.raw`'(?:[^'\\]|\\.[^'\\]{0,10})'`;

/** Where an operand begins, a slash begins a regular expression. The bounds keep a search linear. */
const PATTERN = String.raw`(?<=(?:^|[=(,:!&|?\[]|\breturn)\s{0,5})/(?![*/])(?:\[(?:[^\]\\]|\\.){0,50}\]|\\.|[^/[\\]){1,60}/`;

const C_LIKE = { comments: SLASHES, strings: '"', characters: CHARACTER, unsureLines: STAR } as const;
const SCRIPT = {
  comments: SLASHES,
  strings: EITHER,
  templates: '\\u0060',
  interpolation: String.raw`\$\{`,
  unsureLines: STAR,
  patterns: PATTERN,
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
  [SCRIPT, 'js mjs cjs ts mts cts ets json json5 jsonc snap'],
  [TAGGED, 'vue svelte astro jsx tsx mdx'],
  [
    { ...TAGGED, templates: `\\u0060|${EITHER}`, interpolation: String.raw`\$\{|\{\{` },
    'html htm xhtml xml xaml svg hbs ejs twig',
  ],
  [{ ...TAGGED, templates: '\\u0060|"', interpolation: String.raw`[$#]\{` }, 'erb'],
  [{ ...TAGGED, templates: '\\u0060|"', interpolation: String.raw`\{(?=\$)|\$\{` }, 'php'],
  [C_LIKE, 'c h cc cpp cxx c++ hh hpp hxx inl ipp ino cu cuh cl glsl hlsl vert frag comp geom metal wgsl fx'],
  [C_LIKE, 'java rs zig d v sv svh vh fs fsi fsx s mm'],
  [{ ...C_LIKE, strings: '"|\\u0060' }, 'go'],
  [{ ...C_LIKE, templates: '"""|"', interpolation: String.raw`\$\{` }, 'kt kts scala sc'],
  [{ ...C_LIKE, templates: '"""|"', interpolation: String.raw`\\\(` }, 'swift'],
  [{ ...C_LIKE, templates: String.raw`(?<=\$@?)"`, interpolation: String.raw`\{` }, 'cs csx'],
  [
    { comments: SLASHES, strings: '(?!)', templates: TRIPLE, interpolation: String.raw`\$\{`, unsureLines: STAR },
    'dart groovy gradle jenkinsfile',
  ],
  [
    { comments: SLASHES, strings: EITHER, unsureLines: STAR },
    'scss sass less styl proto sol pas dpr hx as qml pde re rei res prisma bicep cue jsonnet libsonnet thrift fbs ' +
      'dts dtsi typ odin vala nut avdl y yy l lex bal cls trigger mod work idl',
  ],
  [{ comments: BLOCKS, strings: EITHER, unsureLines: STAR }, 'css'],
  [
    {
      comments: HASH,
      strings: TRIPLE,
      templates: String.raw`(?<=(?<![\p{L}\p{N}_])(?:[fF][rR]?|[rR][fF]))(?:"""|'''|["'])`,
      interpolation: String.raw`\{`,
    },
    'py pyi pyx pxd bzl bazel build workspace',
  ],
  [
    { comments: HASH, strings: APOSTROPHE, templates: '"""|"', interpolation: String.raw`#\{` },
    'rb rake gemspec cr ex exs coffee gemfile rakefile podfile fastfile vagrantfile brewfile guardfile',
  ],
  [
    { comments: HASH, strings: APOSTROPHE, templates: '"', interpolation: '[$@][({]' },
    'sh bash zsh ksh fish bats env envrc ps1 psm1 pl pm jl mk cmake dockerfile containerfile makefile cmakelists.txt',
  ],
  [{ comments: HASH, strings: '\\u0060', templates: EITHER, interpolation: String.raw`\$?\{\{` }, 'yml yaml'],
  [
    { comments: `${HASH}|${SLASHES}`, strings: '(?!)', templates: '"', interpolation: String.raw`[$%]\{` },
    'tf tfvars hcl nomad',
  ],
  [{ comments: `${HASH}|${BLOCKS}`, strings: '(?!)', templates: '"', interpolation: String.raw`\$\{` }, 'nix'],
  [
    { comments: HASH, strings: EITHER },
    'toml conf cfg properties r nim awk graphql gql gn gd rego gitignore gitattributes dockerignore requirements.txt',
  ],
  [{ comments: String.raw`--.*|/\*.*?(?:\*/|$)`, strings: EITHER }, 'sql lua'],
  [{ comments: '--.*', strings: '"', characters: CHARACTER }, 'hs elm purs adb ads vhd vhdl'],
  [{ comments: ';.*', strings: '"' }, 'lisp clj cljs cljc edn el scm rkt'],
  [{ comments: ';.*', strings: EITHER }, 'asm ini'],
  [{ comments: String.raw`(?<!\\)%.*`, strings: EITHER }, 'tex sty bib'],
  [{ comments: '%.*', strings: EITHER }, 'erl hrl'],
  // Objective-C has the same extension as MATLAB, where a quote after an operand transposes it.
  [{ comments: `(?<=(?:^|;)\\s{0,20})%.*|${SLASHES}`, strings: String.raw`"|(?<![\p{L}\p{N}_)\]}.'])'` }, 'm'],
  [{ comments: '!.*', strings: EITHER }, 'f for f90 f95 f03 f08'],
  [{ comments: "'.*", strings: '"' }, 'vb vbs bas'],
  [{ comments: String.raw`\(\*.*?(?:\*\)|$)`, strings: '"', characters: CHARACTER }, 'ml mli'],
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
