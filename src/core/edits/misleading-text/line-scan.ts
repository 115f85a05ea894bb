import { asciiLikeness } from './confusables.ts';
import type { LexicalRules } from './lexical-rules.ts';

/** A part of one line. Comments, string literals and prose are `text`, all other parts are `code`. */
export type SyntaxSpan = {
  readonly kind: 'code' | 'text';
  readonly text: string;
  /** The quote that opened the string of this part. */
  readonly quote?: string;
};

/** Decides on an unsure quote at an offset: whether to read it in the second of its two ways. */
export type Decide = (at: number) => boolean;

/**
 * Splits a line by the rules of its language, in one reading. The line stands alone, as in a diff, so comments and
 * strings that began above count as code, and after a quote that nothing closes all of the line is code. Takes linear
 * time.
 */
export function scanLine(line: string, language: LexicalRules, decide: Decide): readonly SyntaxSpan[] {
  const tagEnds = language.hasTags === true ? findTagEnds(line) : NO_TAGS;
  const scan: Scan = { line, decide, patterns: patternsOf(language), tagEnds, spans: [], frames: [], start: 0, at: 0 };
  while (step(scan));
  const [unclosed] = scan.frames;
  if (unclosed?.kind === 'string') {
    scan.spans.length = unclosed.spanCount;
    scan.start = unclosed.start;
  }
  emit(scan, 'code', line.length);
  return scan.spans;
}

type Scan = {
  readonly line: string;
  readonly decide: Decide;
  readonly patterns: Patterns;
  readonly tagEnds: ReadonlySet<number>;
  readonly spans: SyntaxSpan[];
  /** Open strings and the code within them, outermost first. */
  readonly frames: Frame[];
  /** Where the current span starts. */
  start: number;
  at: number;
};

type Frame = StringFrame | CodeFrame;

/** `spanCount` is the number of spans before it. */
type StringFrame = {
  readonly kind: 'string';
  readonly quote: string;
  readonly pattern: RegExp;
  readonly start: number;
  readonly spanCount: number;
};

/** Code in a string, until its bracket is closed as often as it was opened. */
type CodeFrame = { readonly kind: 'code'; readonly bracket: string; depth: number };

function emit(scan: Scan, kind: SyntaxSpan['kind'], end: number, quote?: string): void {
  const text = scan.line.slice(scan.start, end);
  if (text !== '') scan.spans.push(quote === undefined ? { kind, text } : { kind, text, quote });
  scan.start = end;
}

/** Goes on to the next sign that can begin or end a span; false if there is none. */
function step(scan: Scan): boolean {
  const frame = scan.frames.at(-1);
  return frame?.kind === 'string' ? stepInString(scan, frame) : stepInCode(scan, frame);
}

function stepInString(scan: Scan, { pattern, quote, spanCount }: StringFrame): boolean {
  const match = execAt(pattern, scan);
  if (match === null) return false;
  const { code: opening, backslashes } = match.groups ?? {};
  scan.at = match.index + match[0].length;
  // An even number escapes itself, so the quote behind it is the end in both readings.
  const isUnsure = backslashes !== undefined && backslashes.length % 2 === 1 && scan.line.startsWith(quote, scan.at);
  if (isUnsure && !scan.decide(match.index)) scan.at += 1;
  if (opening !== undefined) {
    emit(scan, 'text', scan.at, quote);
    const bracket = opening.slice(-1);
    scan.frames.push({ kind: 'code', bracket, depth: opening.split(bracket).length - 1 });
  } else if (match.groups?.['close'] !== undefined) {
    const isCode = scan.spans.length === spanCount && isBetweenStrings(scan.line.slice(scan.start, scan.at), quote);
    emit(scan, isCode ? 'code' : 'text', scan.at, quote);
    scan.frames.pop();
  }
  return true;
}

/**
 * Whether two quotes have code between them: they can close a string of the line above and open one for the line below,
 * or stand in literals of an unknown form. Sentences have two words in a row.
 */
function isBetweenStrings(text: string, quote: string): boolean {
  if (quote !== '`' && quote.length === 1 && SUCCESSIVE_WORDS.test(text)) return false;
  return /^["'`]+\s*[-+*/.,;:)\]}&|?=<>!~%]/u.test(text) && /[-+*/.,;:([{&|?=<>!~%^@#$\\]\s*["'`]+$/u.test(text);
}

function stepInCode(scan: Scan, frame: CodeFrame | undefined): boolean {
  const found = execAt(scan.patterns.code, scan);
  const match = found !== null && isNoTextBetweenTags(found, scan) ? execAt(scan.patterns.codeBesideTags, scan) : found;
  if (match === null) return false;
  const { unsure, text, between, literal, maybeLiteral, quote, template, pattern, bracket } = match.groups ?? {};
  const end = match.index + match[0].length;
  scan.at = end;
  if (literal !== undefined || isApostrophe(scan, match)) return true;
  if (maybeLiteral !== undefined) {
    scan.at = HAS_QUOTE_OR_HASH.test(maybeLiteral) && scan.decide(match.index) ? end : match.index + 1;
  } else if (unsure !== undefined) {
    if (isContinuedCode(unsure)) scan.at = unsure.search(/\S/) + 2;
    else emit(scan, 'text', end);
  } else if (text !== undefined || between !== undefined) {
    emit(scan, 'code', match.index);
    emit(scan, 'text', end);
  } else if (quote !== undefined || template !== undefined) {
    emit(scan, 'code', match.index);
    openString(scan, match[0], match.index, template !== undefined);
  } else if (pattern !== undefined) {
    emit(scan, 'code', match.index + 1);
    emit(scan, 'code', end - 1);
  } else if (bracket !== undefined && frame !== undefined) {
    closeCode(scan, frame, bracket);
  }
  return true;
}

const HAS_QUOTE_OR_HASH = /["'`#]/;

/** A quote behind two letters: one of a word such as `don't`, or a string behind a keyword or a prefix. */
function isApostrophe({ line, decide, at }: Scan, { 0: quote, index }: RegExpExecArray): boolean {
  if (quote !== "'" || !BEHIND_LETTERS.test(line.slice(Math.max(0, index - 4), index))) return false;
  return !line.includes("'", at) || !decide(index);
}

const BEHIND_LETTERS = /[\p{L}\p{N}]{2}$/u;

function openString(
  { line, patterns, frames, spans, start }: Scan,
  quote: string,
  at: number,
  isTemplate: boolean,
): void {
  const isOneOf = (openers: RegExp): boolean => {
    openers.lastIndex = at;
    return openers.test(line);
  };
  const escapes = isOneOf(patterns.raw) ? '' : isOneOf(patterns.escaped) ? patterns.escapes : UNSURE_ESCAPES;
  const pattern = stringPattern(quote, escapes, isTemplate ? patterns.interpolation : undefined);
  frames.push({ kind: 'string', quote, pattern, start, spanCount: spans.length });
}

/** A reading decides on the last of these backslashes, if a quote follows. */
const UNSURE_ESCAPES = String.raw`(?<backslashes>\\+)|`;

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['(', ')'],
]);

function closeCode(scan: Scan, frame: CodeFrame, bracket: string): void {
  if (bracket === frame.bracket) frame.depth += 1;
  if (bracket !== CLOSING.get(frame.bracket)) return;
  frame.depth -= 1;
  if (frame.depth > 0) return;
  emit(scan, 'code', scan.at - 1);
  scan.frames.pop();
}

function execAt(pattern: RegExp, { line, at }: Scan): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}

/** Patterns are global, so that a search starts where the last one ended. */
type Patterns = {
  readonly code: RegExp;
  /** Without text between tags. */
  readonly codeBesideTags: RegExp;
  readonly interpolation: string | undefined;
  /** The escapes of the strings that `escaped` opens. */
  readonly escapes: string;
  readonly escaped: RegExp;
  readonly raw: RegExp;
};

const PATTERNS = new Map<LexicalRules, Patterns>();

function patternsOf(language: LexicalRules): Patterns {
  const known = PATTERNS.get(language);
  if (known !== undefined) return known;
  const tokens = tokensOf(language);
  const patterns = {
    code: new RegExp([...tokens, ...(language.hasTags === true ? [TEXT_BETWEEN_TAGS] : [])].join('|'), 'gu'),
    codeBesideTags: new RegExp(tokens.join('|'), 'gu'),
    interpolation: language.interpolation,
    escapes: `${language.escapeSign ?? String.raw`\\`}.?|`,
    escaped: new RegExp(language.escaped ?? '(?!)', 'uy'),
    raw: new RegExp(language.raw ?? '(?!)', 'uy'),
  };
  PATTERNS.set(language, patterns);
  return patterns;
}

const TEXT_BETWEEN_TAGS = String.raw`(?<between>(?<=[\w"'\}/]>)[^<>\{\}=;]+(?=<|$))`;

/** Outside of a string some languages escape a quote, and others open a string behind a backslash. */
const ESCAPED_QUOTE = String.raw`(?<!\\)\\(?:\\\\)*["'\u0060]`;

function tokensOf(language: LexicalRules): readonly string[] {
  const { comments, strings, templates, characters, patterns, literals, unsureLiterals, unsureLines } = language;
  return [
    ...(literals === undefined ? [] : [`(?<literal>${literals})`]),
    `(?<maybeLiteral>${unsureLiterals === undefined ? ESCAPED_QUOTE : `${ESCAPED_QUOTE}|${unsureLiterals}`})`,
    ...(unsureLines === undefined ? [] : [String.raw`(?<unsure>^\s*(?:${unsureLines})(?=\s).*?(?:\*/|$))`]),
    `(?<text>${characters === undefined ? comments : `${comments}|${characters}`})`,
    ...(templates === undefined ? [] : [`(?<template>${templates})`]),
    `(?<quote>${strings})`,
    ...(patterns === undefined ? [] : [`(?<pattern>${patterns})`]),
    '(?<bracket>[(){}])',
  ];
}

const STRING_PATTERNS = new Map<string, RegExp>();

/** The signs that end a string or begin code in it, with the escapes that it can have. A doubled brace begins none. */
function stringPattern(quote: string, escapes: string, interpolation: string | undefined): RegExp {
  const key = `${quote}${escapes}${interpolation ?? ''}`;
  const known = STRING_PATTERNS.get(key);
  if (known !== undefined) return known;
  const doubled = interpolation === String.raw`\{` ? String.raw`\{\{|` : '';
  const code = interpolation === undefined ? '' : `(?<code>${interpolation})|`;
  const pattern = new RegExp(`${doubled}${code}${escapes}(?<close>${quote})`, 'gu');
  STRING_PATTERNS.set(key, pattern);
  return pattern;
}

const NO_TAGS: ReadonlySet<number> = new Set();

/** A tag with its attributes. A comparison has an operator where an attribute would start. */
const TAG =
  /<\/?[A-Za-z][\w.:-]*(?:\s+(?!(?:in|instanceof|as|satisfies|and|or|is)\s)(?:[@:#*$[(]?[A-Za-z_][\w.:@\])-]*(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*){0,9}\}|[^\s"'{}<>=]+))?|\{[^{}]*\}))*\s*\/?>/gu;

function findTagEnds(line: string): ReadonlySet<number> {
  return new Set([...line.matchAll(TAG)].map(({ 0: tag, index }) => index + tag.length));
}

/** Operators and calls, which text between tags does not have. */
const OPERATOR = /&&|\|\||\?\?|[\p{L}\p{N}_\])]\(/u;

/** Between two tags is text, at only one tag text without operators, and beside a mere `>` code. */
function isNoTextBetweenTags({ 0: text, index, groups }: RegExpExecArray, { line, tagEnds }: Scan): boolean {
  if (groups?.['between'] === undefined) return false;
  const isAfterTag = tagEnds.has(index);
  const isBeforeTag = /^<\/[A-Za-z>]/.test(line.slice(index + text.length, index + text.length + 3));
  return !(isAfterTag && isBeforeTag) && (!(isAfterTag || isBeforeTag) || OPERATOR.test(text));
}

/** A tag of documentation comments, such as `@param`. */
const DOCUMENTATION_TAG = /^\s*\*\s+[@\\][A-Za-z][\w-]*(?!\s*[+*/%&|^?=;\w-])/;

const STRING_OR_COMMENT = /"[^"]*"|'[^']*'|`[^`]*`|(?<!:)\/\/.*/g;

/** Operators that are words. */
const WORD_OPERATOR = /\b(?:await|new|typeof|as|in|of|instanceof|is|not|and|or|void|delete|sizeof|satisfies)\b/g;

/** Signs that prose does not have, or does not end with. */
const SIGN_OF_CODE = /;\s*$|&&|\|\||[=!]=|[+*%&|^={]\s*$/;

const SUCCESSIVE_WORDS = /[\p{L}\p{N}_]\s+[\p{L}\p{N}_]/u;

/**
 * Whether a line that starts with a star or slashes goes on with the code of the line above, and is within no comment:
 * it has signs of code, or neither two words in a row nor anything beyond ASCII but letters that pass for ASCII ones.
 */
function isContinuedCode(text: string): boolean {
  if (DOCUMENTATION_TAG.test(text)) return false;
  if (text.endsWith('*/')) return text.includes('/*');
  const signs = /^\s*(?:\/\/|.)/u.exec(text)?.[0] ?? '';
  const operands = text.slice(signs.length).replace(STRING_OR_COMMENT, '""').replace(WORD_OPERATOR, '""');
  if (SIGN_OF_CODE.test(operands) || operands.includes('/*')) return true;
  return !SUCCESSIVE_WORDS.test(operands) && [...operands].every(passesForAscii);
}

function passesForAscii(character: string): boolean {
  return /\p{ASCII}/u.test(character) || (/\p{L}/u.test(character) && asciiLikeness(character) !== null);
}
