import { redact } from '../../../lib/credentials.ts';
import { byteLength, escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { crLfToLf } from '../../edits/text/lines.ts';
import { CONTEXT_LIMITS, type CodeExcerpt } from '../../state/task-context.ts';
import { nameOf } from '../shared/file-list.ts';
import { formatPath } from '../shared/tool-results.ts';
import type { CommentedPlace } from './diff-excerpt.ts';

/** A file at the head with its declarations (null if no parser knows the language), and names of some to show. */
type SourceFile = {
  readonly path: string;
  readonly text: string;
  /** In the order of their first lines. */
  readonly declarations: DeclaredLines | null;
  readonly names: ReadonlySet<string>;
};

type DeclaredLines = readonly Readonly<Record<'line' | 'named' | 'last', number>>[];

/** Lines, 1-based and inclusive. */
type Lines = { readonly first: number; readonly last: number };

/** As compilers, tests and people name a place: `/home/ci/shop/src/a.ts:12`, `a.ts(12,3)`, or a file alone. */
const NAMED_PLACE = /(?<![\w@./-])[\w@./-]+\.\w+(?:[:(]\d{1,7}\b)?/g;

const MAX_NAMED_PLACES = 20;

/** The places at the head that a text names, such as the log of a failed check; only where one file can be meant. */
export function namedPlaces(text: string, paths: readonly string[]): readonly CommentedPlace[] {
  const byFileName = Map.groupBy(paths, nameOf);
  const named = [...new Set(text.match(NAMED_PLACE))].map((place) => place.split(/[:(](?=\d+$)/));
  const known = named.filter(([name = '']) => byFileName.has(nameOf(name))).slice(0, 10 * MAX_NAMED_PLACES);
  const found = known.flatMap(([name = '', number]): readonly CommentedPlace[] => {
    const alike = byFileName.get(nameOf(name)) ?? [];
    const whole = alike.filter((path) => name.includes('/') && `/${name}`.endsWith(`/${path}`));
    const [longest] = whole.toSorted((one, other) => other.length - one.length);
    const meant = longest === undefined ? alike.filter((path) => `/${path}`.endsWith(`/${name}`)) : [longest];
    const line = number === undefined ? null : Number(number);
    return meant.length === 1 ? meant.map((path) => ({ path, line, side: 'RIGHT' })) : [];
  });
  const lines = found.filter(({ line }) => line !== null);
  return [...lines, ...found.filter(({ line }) => line === null)].slice(0, MAX_NAMED_PLACES);
}

/** The last words of names in backticks, as of `Reader::read` and `total()`. */
export function quotedNames(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/`(?:[\w.:#]*[.:#])?(\w+)(?:\(\))?`/g), ([, name = '']) => name));
}

/** The functions around lines of one file, and of some names, each line once. Lines beyond the file are left out. */
export function excerptsAround({ path, text, declarations, names }: SourceFile, commented: readonly number[]) {
  const lines = crLfToLf(redact(text)).replace(/\n$/, '').split('\n');
  const isNamed = (row: number) => lines[row - 1]?.match(/\w+/g)?.some((word) => names.has(word));
  const found = [...commented, ...(declarations ?? []).map(({ named }) => named).filter(isNamed)]
    .filter((line) => line <= lines.length)
    .map((line) => linesAround(line, declarations ?? [], lines.length))
    .toSorted((one, other) => one.first - other.first);
  const joined: Lines[] = [];
  for (const { first, last } of found) {
    const before = joined.at(-1);
    if (before === undefined || before.last < first) joined.push({ first, last });
    else joined.splice(-1, 1, { first: before.first, last: Math.max(before.last, last) });
  }
  return joined.map(({ first, last }): CodeExcerpt => ({ path, first, lines: lines.slice(first - 1, last) }));
}

/** A declaration of fewer lines says too little alone. */
const FEW_LINES = 4;

/** Lines before and after a line that no declaration holds. */
const NEAR_LINES = 10;

/** A comment or an attribute can stand above a declaration. */
const LINES_ABOVE = 3;

/** The innermost declaration of some length that holds the line; of a long one the lines around. */
function linesAround(line: number, declarations: DeclaredLines, lineCount: number): Lines {
  const max = CONTEXT_LIMITS.excerptLineCount;
  const whole = declarations.findLast(
    (one) => one.line <= line && line <= one.last && one.last - one.line + 1 >= FEW_LINES,
  );
  if (whole === undefined)
    return { first: Math.max(1, line - NEAR_LINES), last: Math.min(lineCount, line + NEAR_LINES) };
  const top = Math.max(1, whole.line - LINES_ABOVE);
  const first = Math.max(top, Math.min(line - max / 2, whole.last - max + 1));
  return { first, last: Math.min(whole.last, first + max - 1) };
}

/** The first excerpts that fit all together. */
export function boundExcerpts(excerpts: readonly CodeExcerpt[]): readonly CodeExcerpt[] {
  let remaining: number = CONTEXT_LIMITS.excerpts;
  return excerpts.slice(0, CONTEXT_LIMITS.excerptCount).filter((excerpt) => {
    const bytes = byteLength(formatExcerpt(excerpt));
    if (bytes > remaining) return false;
    remaining -= bytes;
    return true;
  });
}

/** Each row begins with its number, so that none can pose as another part. */
export function formatExcerpts(excerpts: readonly CodeExcerpt[]): string {
  return excerpts.map(formatExcerpt).join('\n');
}

function formatExcerpt({ path, first, lines }: CodeExcerpt): string {
  const rows = lines.map((line, index) => `${first + index}\t${escapeHiddenCharacters(line)}`);
  return [`${formatPath(escapeHiddenCharacters(path))}:`, ...rows].join('\n');
}
