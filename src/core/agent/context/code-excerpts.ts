import { redact } from '../../../lib/redaction.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { crLfToLf } from '../../edits/text/lines.ts';
import { escapeHiddenCharacters } from '../../edits/text/unicode.ts';
import { CONTEXT_LIMITS, type CodeExcerpt } from '../../state/task-context.ts';
import { nameOf } from '../shared/file-list.ts';
import { formatPath } from '../shared/tool-results.ts';
import type { CommentedPlace } from './diff-excerpt.ts';

/** A file at the head with its declarations; null if no parser knows the language. */
type SourceFile = {
  readonly path: string;
  readonly text: string;
  /** In the order of their first lines. */
  readonly declarations: DeclaredLines | null;
};

type DeclaredLines = readonly { readonly line: number; readonly last: number }[];

/** Lines, 1-based and inclusive. */
type Lines = { readonly first: number; readonly last: number };

/** As compilers and tests name a place: `src/a.ts:12`, `/home/ci/shop/src/a.ts:12`, `a.ts(12,3)`. */
const NAMED_PLACE = /[\w@./-]+\.\w+[:(]\d{1,7}\b/g;

/** Most places of a log are in libraries, which the head does not have. */
const NAMED_PLACES = { tried: 200, found: 20 } as const;

/** The places at the head that a text names, such as the log of a failed check; only where one file can be meant. */
export function namedPlaces(text: string, paths: readonly string[]): readonly CommentedPlace[] {
  const byFileName = Map.groupBy(paths, nameOf);
  const named = [...new Set(text.match(NAMED_PLACE))].slice(0, NAMED_PLACES.tried);
  const found = named.flatMap((place): readonly CommentedPlace[] => {
    const [name = '', line] = place.split(/[:(](?=\d+$)/);
    const alike = byFileName.get(nameOf(name)) ?? [];
    const whole = alike.filter((path) => name.includes('/') && `/${name}`.endsWith(`/${path}`));
    const [longest] = whole.toSorted((one, other) => other.length - one.length);
    const meant = longest === undefined ? alike.filter((path) => `/${path}`.endsWith(`/${name}`)) : [longest];
    return meant.length === 1 ? meant.map((path) => ({ path, line: Number(line), side: 'RIGHT' })) : [];
  });
  return found.slice(0, NAMED_PLACES.found);
}

/** The functions around commented lines of one file, each line once. Lines that the file does not have are left out. */
export function excerptsAround({ path, text, declarations }: SourceFile, commented: readonly number[]): CodeExcerpt[] {
  const lines = crLfToLf(redact(text)).replace(/\n$/, '').split('\n');
  const found = commented
    .filter((line) => line <= lines.length)
    .map((line) => linesAround(line, declarations ?? [], lines.length))
    .toSorted((one, other) => one.first - other.first);
  const joined: Lines[] = [];
  for (const { first, last } of found) {
    const before = joined.at(-1);
    if (before === undefined || before.last < first) joined.push({ first, last });
    else joined.splice(-1, 1, { first: before.first, last: Math.max(before.last, last) });
  }
  return joined.map(({ first, last }) => ({ path, first, lines: lines.slice(first - 1, last) }));
}

/** A declaration of fewer lines says too little alone. */
const FEW_LINES = 4;

/** Lines before and after a line that no declaration holds. */
const NEAR_LINES = 10;

/** The innermost declaration of some length that holds the line; of a long one the lines around. */
function linesAround(line: number, declarations: DeclaredLines, lineCount: number): Lines {
  const around = declarations
    .filter(({ line: first, last }) => first <= line && line <= last)
    .map(({ line: first, last }) => ({ first, last }));
  const max = CONTEXT_LIMITS.excerptLineCount;
  const whole = around.findLast(({ first, last }) => last - first + 1 >= FEW_LINES);
  if (whole === undefined)
    return { first: Math.max(1, line - NEAR_LINES), last: Math.min(lineCount, line + NEAR_LINES) };
  if (whole.last - whole.first < max) return whole;
  const first = Math.max(whole.first, Math.min(line - max / 2, whole.last - max + 1));
  return { first, last: first + max - 1 };
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
