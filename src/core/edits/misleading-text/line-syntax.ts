import { asciiLikeness } from './confusables.ts';
import { type LexicalRules, lexicalRulesOf } from './lexical-rules.ts';

/** A part of one line. Comments, string literals and prose are `text`, all other parts are `code`. */
export type SyntaxSpan = {
  readonly kind: 'code' | 'text';
  readonly text: string;
  /** What opened the string that this is a part of. */
  readonly quote?: string;
};

/**
 * Splits a line by the syntax of its file. The line stands alone, as in a diff, so comments and strings that began above
 * count as code, and after a quote that nothing closes all of the line is code: where the syntax is unsure, more is
 * reported. Takes linear time.
 */
export function splitLine(line: string, path: string): readonly SyntaxSpan[] {
  const language = lexicalRulesOf(path);
  if (language === 'prose') return [{ kind: 'text', text: line }];
  const tagEnds = language.hasTags === true ? findTagEnds(line) : NO_TAGS;
  const scan: Scan = { line, patterns: patternsOf(language), tagEnds, spans: [], frames: [], start: 0, at: 0 };
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
  const opening = match.groups?.['code'];
  scan.at = match.index + match[0].length;
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

/** Whether quotes that can close a string of the line above, and open one for the line below, have code between them. */
function isBetweenStrings(text: string, quote: string): boolean {
  if (quote !== '`' && quote.length === 1) return false;
  return /^["'`]+\s*[-+),;\]&|?:]/u.test(text) && /[-+(,=[&|?:]\s*["'`]+$/u.test(text);
}

function stepInCode(scan: Scan, frame: CodeFrame | undefined): boolean {
  const found = execAt(scan.patterns.code, scan);
  const match = found !== null && isNoTextBetweenTags(found, scan) ? execAt(scan.patterns.codeBesideTags, scan) : found;
  if (match === null) return false;
  const { unsure, text, between, quote, template, pattern, bracket } = match.groups ?? {};
  const end = match.index + match[0].length;
  scan.at = end;
  if (unsure !== undefined) {
    if (isContinuedCode(unsure)) scan.at = unsure.search(/\S/) + 2;
    else emit(scan, 'text', end);
  } else if (text !== undefined || between !== undefined) {
    emit(scan, 'code', match.index);
    emit(scan, 'text', end);
  } else if (quote !== undefined || template !== undefined) {
    emit(scan, 'code', match.index);
    openString(scan, match[0], template !== undefined);
  } else if (pattern !== undefined) {
    emit(scan, 'code', match.index + 1);
    emit(scan, 'code', end - 1);
  } else if (bracket !== undefined && frame !== undefined) {
    closeCode(scan, frame, bracket);
  }
  return true;
}

function openString({ patterns, frames, spans, start }: Scan, quote: string, isTemplate: boolean): void {
  const pattern = stringPattern(quote, isTemplate ? patterns.interpolation : undefined);
  frames.push({ kind: 'string', quote, pattern, start, spanCount: spans.length });
}

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
  };
  PATTERNS.set(language, patterns);
  return patterns;
}

const TEXT_BETWEEN_TAGS = String.raw`(?<between>(?<=[\w"'\}/]>)[^<>\{\}=;]+(?=<|$))`;

function tokensOf(language: LexicalRules): readonly string[] {
  const { comments, strings, templates, characters, patterns, unsureLines } = language;
  return [
    ...(unsureLines === undefined ? [] : [String.raw`(?<unsure>^\s*(?:${unsureLines})(?=\s).*?(?:\*/|$))`]),
    `(?<text>${characters === undefined ? comments : `${comments}|${characters}`})`,
    ...(templates === undefined ? [] : [`(?<template>${templates})`]),
    `(?<quote>${strings})`,
    ...(patterns === undefined ? [] : [`(?<pattern>${patterns})`]),
    '(?<bracket>[(){}])',
  ];
}

const STRING_PATTERNS = new Map<string, RegExp>();

/** What ends a string or begins code in it. A doubled brace is none, and a backslash escapes what follows. */
function stringPattern(quote: string, interpolation: string | undefined): RegExp {
  const key = `${quote}${interpolation ?? ''}`;
  const known = STRING_PATTERNS.get(key);
  if (known !== undefined) return known;
  const escaped = interpolation === String.raw`\{` ? String.raw`\{\{|` : '';
  const code = interpolation === undefined ? '' : `(?<code>${interpolation})|`;
  const pattern = new RegExp(String.raw`${escaped}${code}\\.?|(?<close>${quote})`, 'gu');
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
 * Whether a line that starts with a star or slashes goes on with the code of the line above, and is within no comment: it
 * has signs of code, or neither two words in a row nor anything beyond ASCII but letters that pass for ASCII ones.
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
