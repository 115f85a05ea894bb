import { findWriteDenyRule } from '../src/core/policy/path-tables.ts';
import { fixMisspelling, type RewordedLine, removeRepeatedWord } from './wording.ts';

/** A small cleanup: it removes lines from `index` on and adds lines there. */
export type CleanupFinding = {
  readonly path: string;
  /** 1-based line where the change begins. */
  readonly line: number;
  /** 0-based index into the lines that were read. */
  readonly index: number;
  readonly removedLines: number;
  readonly addedLines: readonly string[];
  readonly reason: string;
  /** Higher is more useful. */
  readonly score: number;
  /** A reason to deny the change. */
  readonly objection: string;
};

type FoundCleanup = Pick<CleanupFinding, 'removedLines' | 'addedLines' | 'reason' | 'score' | 'objection'>;

type CleanupRule = (file: ReadFileResult, commentStyle: CommentStyle, index: number) => FoundCleanup | null;

/** Whether a line is a comment, or text outside a code block. */
function isProse(line: string, commentStyle: CommentStyle): boolean {
  if (commentStyle.kind === 'prose') return !/^(?: {4}|\t|```|~~~|\||\s*[$>#]|.*[`"{])/.test(line);
  return line.trimStart().startsWith(commentStyle.open.trim()) || /^\s*\*\s/.test(line);
}

type WordingOptions = Pick<FoundCleanup, 'score' | 'objection'> & { readonly reason: (found: RewordedLine) => string };

function createWordingRule(
  reword: (line: string) => RewordedLine | null,
  { score, objection, reason }: WordingOptions,
): CleanupRule {
  return (file, commentStyle, index) => {
    const line = file.lines[index] ?? '';
    const found = isProse(line, commentStyle) ? reword(line) : null;
    return found === null
      ? null
      : { removedLines: 1, addedLines: [found.line], reason: reason(found), score, objection };
  };
}

const fixSpelling = createWordingRule(fixMisspelling, {
  score: 9,
  objection: 'please fix spelling in a separate pull request',
  reason: ({ to }) => `Spelling: ${to}.`,
});

const removeDoubledWord = createWordingRule(removeRepeatedWord, {
  score: 8,
  objection: 'that sentence is about to be rewritten anyway',
  reason: ({ to }) => `The word “${to}” is repeated.`,
});

function trimLine(file: ReadFileResult, commentStyle: CommentStyle, index: number): FoundCleanup | null {
  const line = file.lines[index] ?? '';
  const bare = line.trimEnd();
  if (bare === line || bare === '' || commentStyle.kind === 'prose' || /[^\x20-\x7e\t]/.test(line)) return null;
  return {
    removedLines: 1,
    addedLines: [bare],
    reason: 'Removes trailing white space.',
    score: 6,
    objection: 'our formatter removes that',
  };
}

/** A line that imports names, and nothing else. */
const IMPORT_LINES = [
  /^import (?:type )?\{([\w\s,$]+)\} from ['"][^'"]+['"];?$/,
  /^import ([\w$]+) from ['"][^'"]+['"];?$/,
  /^from [\w.]+ import ([\w\s,]+)$/,
  /^import (\w+)$/,
];

/** Removes an import whose names the whole file, which must be known, does not use. */
function removeUnusedImport(file: ReadFileResult, commentStyle: CommentStyle, index: number): FoundCleanup | null {
  const isWhole = file.firstLine === 1 && file.reachesEnd;
  if (commentStyle.kind === 'prose' || !isWhole || /__init__\.py$|\.d\.ts$/.test(file.path)) return null;
  const line = file.lines[index] ?? '';
  const names = IMPORT_LINES.flatMap((pattern) => pattern.exec(line)?.[1]?.split(',') ?? []).map((name) => name.trim());
  const isPlain = names.length > 0 && names.every((name) => /^[A-Za-z_]\w*$/.test(name) && name !== 'React');
  if (!isPlain || line.includes('__future__')) return null;
  const others = file.lines.filter((_, at) => at !== index).join('\n');
  if (names.some((name) => new RegExp(`\\b${name}\\b`).test(others))) return null;
  return {
    removedLines: 1,
    addedLines: [],
    reason: `Nothing in this file uses ${names.join(', ')}.`,
    score: 10,
    objection: 'the next pull request needs it',
  };
}

function removeBlankLine(file: ReadFileResult, commentStyle: CommentStyle, index: number): FoundCleanup | null {
  const count = commentStyle.kind === 'prose' ? 2 : 3;
  const blanks = file.lines.slice(index, index + count);
  if (blanks.length < count || blanks.some((line) => line !== '') || file.lines[index - 1] === '') return null;
  return {
    removedLines: count,
    addedLines: blanks.slice(1),
    reason: 'Removes an extra blank line.',
    score: 3,
    objection: 'the gap is there on purpose',
  };
}

const CLEANUP_RULES: readonly CleanupRule[] = [
  fixSpelling,
  removeDoubledWord,
  removeUnusedImport,
  trimLine,
  removeBlankLine,
];

function addFinalNewline(file: ReadFileResult, commentStyle: CommentStyle): CleanupFinding | null {
  const last = file.lines.at(-1);
  if (
    !file.reachesEnd ||
    file.endsWithNewline ||
    last === undefined ||
    last.trim() === '' ||
    commentStyle.kind === 'prose'
  )
    return null;
  const index = file.lines.length - 1;
  return {
    path: file.path,
    line: file.firstLine + index,
    index,
    removedLines: 1,
    addedLines: [last],
    reason: 'Adds the missing newline at the end of the file.',
    score: 7,
    objection: 'our formatter adds that',
  };
}

const MAX_LINE_CHARACTERS = 300;

/** Excludes generated files, by their header or by their long lines. */
function isHandWritten(file: ReadFileResult): boolean {
  const top = file.lines.slice(0, 10).join('\n');
  return (
    !/do not edit|auto-?generated|generated by/i.test(top) &&
    file.lines.every((line) => line.length <= MAX_LINE_CHARACTERS)
  );
}

/** The comment style of a file; null when the demo must not change it. */
function editableStyleOf(file: ReadFileResult): CommentStyle | null {
  return isHandWritten(file) ? commentStyleOf(file.path) : null;
}

/** Finds at most one cleanup for each line, in the order of the lines; a missing final newline comes first. */
export function findCleanups(file: ReadFileResult): readonly CleanupFinding[] {
  const commentStyle = editableStyleOf(file);
  if (commentStyle === null) return [];
  const end = addFinalNewline(file, commentStyle);
  const found = file.lines.flatMap((line, index) => {
    // The tool escapes hidden characters, so such a line cannot be quoted exactly.
    const first = line.includes('\\u{') ? null : applyFirstRule(file, commentStyle, index);
    return first === null ? [] : [{ ...first, path: file.path, line: file.firstLine + index, index }];
  });
  return [...(end === null ? [] : [end]), ...found];
}

function applyFirstRule(file: ReadFileResult, commentStyle: CommentStyle, index: number): FoundCleanup | null {
  for (const rule of CLEANUP_RULES) {
    const found = rule(file, commentStyle, index);
    if (found !== null) return found;
  }
  return null;
}

/** The comment syntax of a language; prose has none. */
type CommentStyle =
  | { readonly kind: 'code'; readonly open: string; readonly close: string }
  | { readonly kind: 'prose' };

function createCodeStyle(open: string, close = ''): CommentStyle {
  return { kind: 'code', open, close };
}

const SLASH_COMMENTS = createCodeStyle('// ');

const HASH_COMMENTS = createCodeStyle('# ');

const DASH_COMMENTS = createCodeStyle('-- ');

const STAR_COMMENTS = createCodeStyle('/* ', ' */');

const SEMICOLON_COMMENTS = createCodeStyle(';; ');

const TAG_COMMENTS = createCodeStyle('<!-- ', ' -->');

const PROSE_STYLE: CommentStyle = { kind: 'prose' };

/** Comment styles by file extension. */
const COMMENT_STYLES: readonly (readonly [CommentStyle, string])[] = [
  [
    SLASH_COMMENTS,
    'ts tsx mts cts js jsx mjs cjs go rs cc cpp cxx hpp hh java kt kts scala swift cs dart php groovy zig m',
  ],
  [HASH_COMMENTS, 'py pyi rb sh bash zsh pl pm r jl ex exs yml yaml toml cmake nix tcl awk'],
  [DASH_COMMENTS, 'lua sql hs elm adb ads'],
  [SEMICOLON_COMMENTS, 'el clj cljs scm lisp rkt'],
  [STAR_COMMENTS, 'c h css scss less'],
  [createCodeStyle('% '), 'erl tex'],
  [TAG_COMMENTS, 'vue svelte'],
  [PROSE_STYLE, 'md markdown rst txt adoc'],
];

const STYLE_BY_EXTENSION = new Map(
  COMMENT_STYLES.flatMap(([commentStyle, extensions]) =>
    extensions.split(' ').map((extension) => [extension, commentStyle]),
  ),
);

/** Generated files, fixtures and build files, which the demo must not change. */
const EXCLUDED_PATHS = [
  /\.min\.|[-.]lock\b|lock\.(?:json|ya?ml)$|_pb2?\.|\.pb\.|generated|\.g\.dart$|\.d\.ts$/i,
  /(?:^|\/)(?:dist|build|vendor|third_party|node_modules|fixtures?|testdata|__snapshots__|snapshots?|golden)\//i,
  /(?:^|\/)\.(?:git[^/]*|vscode|idea|husky|circleci|cargo|yarn)(?:\/|$)/,
  /(?:^|\/)(?:dockerfile|makefile|cmakelists\.txt|setup\.py|requirements[^/]*\.txt|robots\.txt|licen[cs]e[^/]*|copying[^/]*)$/i,
];

/** The comment style for a path; null when the demo must not change the file. */
export function commentStyleOf(path: string): CommentStyle | null {
  const commentStyle = STYLE_BY_EXTENSION.get(/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '') ?? null;
  const isExcluded = findWriteDenyRule(path) !== null || EXCLUDED_PATHS.some((pattern) => pattern.test(path));
  return isExcluded ? null : commentStyle;
}

/** A file in a `read_file` result. `lines` have no line endings and start at line number `firstLine`. */
export type ReadFileResult = {
  readonly path: string;
  readonly lines: readonly string[];
  readonly firstLine: number;
  /** Whether `lines` include the last line of the file. */
  readonly reachesEnd: boolean;
  readonly endsWithNewline: boolean;
  /** A suggestion cannot preserve CRLF. */
  readonly usesCrlf: boolean;
};

const READ_FILE_HEADER = /^File (.+): lines (\d+) to (\d+) of (\d+);(.*)\. Its text begins on the next line\.\n/;

/** Parses a `read_file` result; null when it shows no text. */
export function parseReadFileResult(result: string): ReadFileResult | null {
  const [header, path, first, last, total, notes] = READ_FILE_HEADER.exec(result) ?? [];
  if (header === undefined || path === undefined || notes === undefined) return null;
  const reachesEnd = last === total;
  const endsWithNewline = !notes.includes('no newline at the end');
  const usesCrlf = notes.includes('line endings are CRLF');
  const lines = result.slice(header.length).split('\n');
  if (!reachesEnd || endsWithNewline) lines.pop();
  return { path, lines, firstLine: Number(first), reachesEnd, endsWithNewline, usesCrlf };
}
