import { REDACTED } from '../../../lib/credentials.ts';
import { pluralize } from '../../../lib/format.ts';
import { redact } from '../../../lib/redaction.ts';
import { decodeText } from '../../edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../../edits/text/limits.ts';
import { lineEnd, lineStart, withoutLineEnding } from '../../edits/text/lines.ts';
import { escapeHiddenCharacters } from '../../edits/text/unicode.ts';
import { MAX_FEW_FILES_HITS, MAX_FILE_HITS } from '../../state/tools.ts';
import { GLOB_HINT } from '../shared/file-list.ts';
import { formatPath, quoteTruncated, REDACTED_NOTE } from '../shared/tool-results.ts';
import { createLineFinder, type LineFinder, type LineQuery } from './find-lines.ts';

/**
 * Prepares a search that adds every line of a file that matches outside of secrets. Files that are not text or too large
 * are recorded as skipped.
 */
export function createFileSearch(query: SearchQuery): (results: SearchResults, file: SearchedFile) => SearchResults {
  const prepared = { ...query, find: createLineFinder(query) };
  return (results, file) => addFile(results, file, prepared);
}

type PreparedQuery = SearchQuery & { readonly find: LineFinder };

function addFile(results: SearchResults, { path, bytes }: SearchedFile, query: PreparedQuery): SearchResults {
  if (bytes.length > MAX_FILE_BYTES) return recordSkippedFile(results, path, 'too-large');
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return recordSkippedFile(results, path, decoded.kind);
  // Most files have no match, and need not be searched for secrets.
  if (!hasMatch(decoded.text, query)) return results;
  const text = redact(decoded.text);
  const share = hitsPerFile(results.files + 1, query);
  const earlier = keepHits(results.hits, share);
  const room = MAX_SEARCH_HITS - earlier.length;
  const { lines, hits } = findMatchingLines(text, query, Math.min(share, room));
  if (lines === 0) return results;
  const isRedacted =
    text !== decoded.text && hits.some((hit) => rowsOf(hit).some((row) => row.text.includes(REDACTED)));
  return {
    ...results,
    hits: [...earlier, ...hits.map((hit) => ({ path, ...hit }))],
    long: addLongFile(results.long, { path, lines }, hits.length),
    total: results.total + lines,
    isTotalExact: results.isTotalExact && lines < MAX_COUNTED_LINES,
    files: results.files + 1,
    isRedacted: results.isRedacted || isRedacted,
  };
}

/** Where few files match, each shows more of its lines. */
function hitsPerFile(files: number, { context }: SearchQuery): number {
  return Math.max(MAX_FILE_HITS, Math.floor(MAX_FEW_FILES_HITS / (context + 1) / files));
}

/** The first hits of each file. */
function keepHits(hits: readonly SearchHit[], perFile: number): readonly SearchHit[] {
  return [...Map.groupBy(hits, ({ path }) => path).values()].flatMap((ofFile) => ofFile.slice(0, perFile));
}

type SearchedFile = { readonly path: string; readonly bytes: Uint8Array };

/** The text to search for, and the number of lines to show before and after each line. */
export type SearchQuery = LineQuery & { readonly context: number };

function hasMatch(text: string, { find }: PreparedQuery): boolean {
  let found = false;
  find(text, () => {
    found = true;
    return false;
  });
  return found;
}

/** The number of matching lines, at most `MAX_COUNTED_LINES`, and the text of the first ones. */
function findMatchingLines(text: string, { find, context }: PreparedQuery, maxHits: number): LineHits {
  const hits: FileHit[] = [];
  let [lines, line, at] = [0, 1, 0];
  find(text, (found) => {
    lines += 1;
    if (hits.length < maxHits) {
      for (; at < found.start; at = lineEnd(text, at)) line += 1;
      const end = lineEnd(text, found.start);
      const [before, after] = [linesBefore(text, found.start, context), linesAfter(text, end, context)];
      hits.push({ line, text: excerpt(text.slice(found.start, end), found.at()), before, after });
    }
    return lines < MAX_COUNTED_LINES;
  });
  return { lines, hits };
}

type LineHits = { readonly lines: number; readonly hits: readonly FileHit[] };

function linesBefore(text: string, start: number, count: number): readonly string[] {
  const lines: string[] = [];
  for (let end = start; end > 0 && lines.length < count; ) {
    const from = lineStart(text, end - 1);
    lines.unshift(excerpt(text.slice(from, end), 0));
    end = from;
  }
  return lines;
}

function linesAfter(text: string, end: number, count: number): readonly string[] {
  const lines: string[] = [];
  for (let from = end; from < text.length && lines.length < count; ) {
    const next = lineEnd(text, from);
    lines.push(excerpt(text.slice(from, next), 0));
    from = next;
  }
  return lines;
}

/** A part of the line around a match. */
function excerpt(line: string, at: number): string {
  const bareText = withoutLineEnding(line);
  if (bareText.length <= MAX_EXCERPT_CHARACTERS) return escapeHiddenCharacters(bareText);
  const from = Math.max(0, Math.min(at - MAX_EXCERPT_CHARACTERS / 3, bareText.length - MAX_EXCERPT_CHARACTERS));
  const shown = bareText.slice(from, from + MAX_EXCERPT_CHARACTERS);
  return `${from > 0 ? '…' : ''}${escapeHiddenCharacters(shown)}${from + MAX_EXCERPT_CHARACTERS < bareText.length ? '…' : ''}`;
}

/** The results so far. `total` also counts lines that are not in `hits`; it is a lower bound unless `isTotalExact`. */
export type SearchResults = {
  readonly hits: readonly SearchHit[];
  /** The files of which not every line is in `hits`, or might not be once more files match. */
  readonly long: LongFiles;
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly files: number;
  readonly skipped: SkippedByReason;
  /** Whether a hit has a placeholder of a secret. */
  readonly isRedacted: boolean;
};

/**
 * A matching line of a file; `line` is 1-based, the texts are excerpts. `before` and `after` are the lines around it.
 */
type FileHit = {
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

type SearchHit = FileHit & { readonly path: string };

/** A file with its number of matching lines. */
type LongFile = { readonly path: string; readonly lines: number };

/** The first of them, and the number of all. */
type LongFiles = { readonly files: number; readonly first: readonly LongFile[] };

function addLongFile(long: LongFiles, file: LongFile, shown: number): LongFiles {
  if (file.lines === shown && file.lines <= MAX_FILE_HITS) return long;
  const first = long.files < MAX_PARTIAL_NAMED ? [...long.first, file] : long.first;
  return { files: long.files + 1, first };
}

const MAX_PARTIAL_NAMED = 50;

export const NO_SEARCH_RESULTS: SearchResults = {
  hits: [],
  long: { files: 0, first: [] },
  total: 0,
  isTotalExact: true,
  files: 0,
  skipped: {},
  isRedacted: false,
};

const MAX_SEARCH_HITS = 100;

/** Maximum number of counted lines per file. Counting millions would block the process. */
const MAX_COUNTED_LINES = 10_000;

const MAX_EXCERPT_CHARACTERS = 240;

/**
 * The output of `search`: a header, then `path:line:text`, then the files with more lines, then the skipped files.
 * `isComplete` is false if time ran out.
 */
export function formatSearchResults(
  query: SearchQuery,
  glob: string | null,
  results: SearchResults,
  isComplete = true,
): string {
  const notes = results.isRedacted ? [`${REDACTED_NOTE}.`] : [];
  const end = isComplete ? [] : ['The search took too long and ended early. Narrow the glob, or simplify the query.'];
  return [
    ...formatHits(query, glob, results),
    ...formatPartialFiles(results),
    ...notes,
    ...formatSkippedFiles(results.skipped),
    ...end,
  ].join('\n');
}

function formatHits(query: SearchQuery, glob: string | null, results: SearchResults): readonly string[] {
  const where = glob === null ? '' : ` in files matching ${quoteTruncated(glob)}`;
  const what = quoteTruncated(query.query);
  if (results.total === 0)
    return [`No line ${query.regex ? 'matches' : 'contains'} ${what}${where}. ${describeQuery(query)}`];
  const total = results.isTotalExact ? `${results.total}` : `${results.total} or more`;
  const verb = query.regex ? ['matches', 'match'] : ['contains', 'contain'];
  const lines = total === '1' ? `1 line ${verb[0]}` : `${total} lines ${verb[1]}`;
  const more = results.hits.length < results.total ? `, showing ${results.hits.length}` : '';
  return [
    `${lines} ${what}${where} (${pluralize(results.files, 'file')}${more}):`,
    ...formatRows(results.hits, query.context > 0),
  ];
}

/** The output of `search` where the glob leaves nothing to search, which says nothing about the text. */
export function formatNothingSearched(query: SearchQuery, glob: string): string {
  const verb = query.regex ? 'matches' : 'contains';
  return `No line ${verb} ${quoteTruncated(query.query)}, because no file matches the glob ${quoteTruncated(glob)}: nothing was searched. ${GLOB_HINT}`;
}

function describeQuery({ regex, ignoreCase }: SearchQuery): string {
  const what = regex ? 'The query is a regular expression for one line' : 'The query is literal text';
  return `${what}, ${ignoreCase ? 'upper and lower case count as the same' : 'upper and lower case differ'}.`;
}

type ResultRow = { readonly line: number; readonly text: string; readonly isHit: boolean };

function rowsOf({ line, text, before, after }: FileHit): readonly ResultRow[] {
  return [
    ...before.map((shown, index) => ({ line: line - before.length + index, text: shown, isHit: false })),
    { line, text, isHit: true },
    ...after.map((shown, index) => ({ line: line + 1 + index, text: shown, isHit: false })),
  ];
}

/** Each line once. With context, `--` stands between lines that are not neighbors. */
function formatRows(hits: readonly SearchHit[], hasContext: boolean): readonly string[] {
  const byFile = Map.groupBy(hits, ({ path }) => path);
  const blocks = [...byFile].map(([path, hitsOfFile]) => {
    const rows = new Map<number, ResultRow>();
    for (const row of hitsOfFile.flatMap(rowsOf)) if (row.isHit || !rows.has(row.line)) rows.set(row.line, row);
    const sorted = [...rows.values()].toSorted((one, other) => one.line - other.line);
    return sorted.flatMap(({ line, text, isHit }, index) => {
      const sign = isHit ? ':' : '-';
      const gap = hasContext && index > 0 && sorted[index - 1]?.line !== line - 1 ? ['--'] : [];
      return [...gap, `${formatPath(path)}${sign}${line}${sign}${text}`];
    });
  });
  return blocks.flatMap((block, index) => (hasContext && index > 0 ? ['--', ...block] : block));
}

/** Says of each file how many lines are not shown, so that the model can ask for that file alone. */
function formatPartialFiles({ hits, long: { files, first } }: SearchResults): readonly string[] {
  const shownOf = Map.groupBy(hits, ({ path }) => path);
  const rows = first.flatMap(({ path, lines }) => {
    const shown = shownOf.get(path)?.length ?? 0;
    const count = lines < MAX_COUNTED_LINES ? `${lines}` : `${lines} or more`;
    return shown === lines ? [] : [`${truncatePath(path)}: ${count} lines, ${shown} shown`];
  });
  if (rows.length === 0) return [];
  const more = files > first.length ? [`${files - first.length} more files with further lines`] : [];
  return ['Not all lines are shown; narrow the query or the glob to see others:', ...rows, ...more];
}

/** Tells the model which files were skipped, so that it does not conclude that a text exists nowhere. */
function formatSkippedFiles(skipped: SkippedByReason): readonly string[] {
  return SKIP_REASONS.flatMap((reason) => {
    const skippedFiles = skipped[reason];
    return skippedFiles === undefined ? [] : [formatSkipReason(reason, skippedFiles)];
  });
}

function formatSkipReason(reason: SkipReason, { files, first }: SkippedFiles): string {
  const more = files > first.length ? ` and ${files - first.length} more` : '';
  const count = files === 1 ? '1 file was' : `${files} files were`;
  // Names of images and archives help nobody; the result of each search would repeat them.
  if (reason === 'binary') return `${count} not searched (${SKIP_REASON_TEXT[reason]}).`;
  return `${count} not searched (${SKIP_REASON_TEXT[reason]}): ${first.map(truncatePath).join(', ')}${more}`;
}

function truncatePath(path: string): string {
  const name = formatPath(path);
  return name.length > MAX_SKIPPED_PATH_CHARACTERS ? `${name.slice(0, MAX_SKIPPED_PATH_CHARACTERS)}…` : name;
}

const SKIP_REASON_TEXT = {
  'too-large': `larger than ${MAX_FILE_BYTES / 1_000} kB`,
  'needs-approval': 'people must first approve that they are read; read_file asks them',
  'too-many': 'more than one search can fetch; narrow the glob to search them',
  'not-utf8': 'not valid UTF-8',
  binary: 'binary',
} as const satisfies Record<SkipReason, string>;

const SKIP_REASONS = [
  'needs-approval',
  'too-large',
  'too-many',
  'not-utf8',
  'binary',
] as const satisfies readonly SkipReason[];

const MAX_SKIPPED_NAMED = 5;

const MAX_SKIPPED_PATH_CHARACTERS = 300;

export function recordSkippedFile(results: SearchResults, path: string, why: SkipReason): SearchResults {
  return { ...results, skipped: addSkippedFile(results.skipped, path, why) };
}

function addSkippedFile(skipped: SkippedByReason, path: string, reason: SkipReason): SkippedByReason {
  const { files, first } = skipped[reason] ?? { files: 0, first: [] };
  return { ...skipped, [reason]: { files: files + 1, first: files < MAX_SKIPPED_NAMED ? [...first, path] : first } };
}

/** Why a readable file that matches the glob was not searched. */
export type SkipReason = 'needs-approval' | 'too-large' | 'too-many' | 'not-utf8' | 'binary';

/** The number of skipped files, and the first of them. */
type SkippedFiles = { readonly files: number; readonly first: readonly string[] };

type SkippedByReason = { readonly [Why in SkipReason]?: SkippedFiles };
