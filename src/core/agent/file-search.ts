import { REDACTED } from '../../lib/credentials.ts';
import { redactFile } from '../../lib/redaction.ts';
import { decodeText } from '../edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../edits/text/limits.ts';
import { lineEnd, withoutLineEnding } from '../edits/text/lines.ts';
import { forEachOccurrence, STOP_SEARCH } from '../edits/text/two-way-search.ts';
import { escapeHiddenCharacters } from '../edits/text/unicode.ts';
import { formatPath, quoteTruncated, REDACTED_NOTE } from './tool-results.ts';

/**
 * Adds every line of a file with the literal pattern outside of secrets. Files that are not text or too large are
 * recorded as skipped.
 */
export function searchFile(results: SearchResults, { path, bytes, pattern }: SearchedFile): SearchResults {
  if (bytes.length > MAX_FILE_BYTES) return recordSkippedFile(results, path, 'too-large');
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return recordSkippedFile(results, path, decoded.kind);
  // Most files lack the pattern, and need not be searched for secrets.
  if (!decoded.text.includes(pattern)) return results;
  const text = redactFile(decoded.text);
  const { lines, hits } = findMatchingLines(text, pattern, MAX_SEARCH_HITS - results.hits.length);
  if (lines === 0) return results;
  const isRedacted = text !== decoded.text && hits.some((hit) => hit.text.includes(REDACTED));
  return {
    ...results,
    hits: [...results.hits, ...hits.map((hit) => ({ path, ...hit }))],
    total: results.total + lines,
    isTotalExact: results.isTotalExact && lines < MAX_COUNTED_LINES,
    files: results.files + 1,
    isRedacted: results.isRedacted || isRedacted,
  };
}

type SearchedFile = { readonly path: string; readonly bytes: Uint8Array; readonly pattern: string };

/** A file to search, and the results so far. */
export type FileSearch = SearchedFile & { readonly results: SearchResults };

/** The number of matching lines, at most `MAX_COUNTED_LINES`, and the text of the first ones. */
function findMatchingLines(text: string, pattern: string, maxHits: number): LineHits {
  const hits: Omit<SearchHit, 'path'>[] = [];
  let [lines, line, start] = [0, 1, 0];
  forEachOccurrence(text, pattern, (offset) => {
    lines += 1;
    const end = lineEnd(text, offset);
    if (hits.length < maxHits) {
      for (let next = lineEnd(text, start); next <= offset; next = lineEnd(text, start)) {
        line += 1;
        start = next;
      }
      hits.push({ line, text: excerpt(text.slice(start, end), offset - start) });
    }
    return lines < MAX_COUNTED_LINES ? end : STOP_SEARCH;
  });
  return { lines, hits };
}

type LineHits = { readonly lines: number; readonly hits: readonly Omit<SearchHit, 'path'>[] };

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
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly files: number;
  readonly skipped: SkippedByReason;
  /** Whether a hit has a placeholder of a secret. */
  readonly isRedacted: boolean;
};

/** A matching line; `line` is 1-based, `text` an excerpt. */
type SearchHit = { readonly path: string; readonly line: number; readonly text: string };

export const NO_SEARCH_RESULTS: SearchResults = {
  hits: [],
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

/** The output of `search`: a header, then `path:line: text`, then the skipped files. */
export function formatSearchResults(pattern: string, glob: string | null, results: SearchResults): string {
  const notes = results.isRedacted ? [`${REDACTED_NOTE}.`] : [];
  return [formatHits(pattern, glob, results), ...notes, ...formatSkippedFiles(results.skipped)].join('\n');
}

function formatHits(pattern: string, glob: string | null, results: SearchResults): string {
  const where = glob === null ? '' : ` in files matching ${quoteTruncated(glob)}`;
  const what = quoteTruncated(pattern);
  if (results.total === 0)
    return `No line contains ${what}${where}. The pattern is literal text, upper and lower case differ.`;
  const total = results.isTotalExact ? `${results.total}` : `${results.total} or more`;
  const lines = total === '1' ? '1 line contains' : `${total} lines contain`;
  const files = results.files === 1 ? '1 file' : `${results.files} files`;
  const more = results.hits.length < results.total ? `, showing the first ${results.hits.length}` : '';
  const rows = results.hits.map(({ path, line, text }) => `${formatPath(path)}:${line}: ${text}`);
  return `${lines} ${what}${where} (${files}${more}):\n${rows.join('\n')}`;
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
  return `${count} not searched (${SKIP_REASON_TEXT[reason]}): ${first.map(truncatePath).join(', ')}${more}`;
}

function truncatePath(path: string): string {
  const name = formatPath(path);
  return name.length > MAX_SKIPPED_PATH_CHARACTERS ? `${name.slice(0, MAX_SKIPPED_PATH_CHARACTERS)}…` : name;
}

const SKIP_REASON_TEXT = {
  'too-large': `larger than ${MAX_FILE_BYTES / 1_000_000} MB`,
  'too-many': 'more than one search can fetch; narrow the glob to search them',
  'not-utf8': 'not valid UTF-8',
  binary: 'binary',
} as const satisfies Record<SkipReason, string>;

const SKIP_REASONS = ['too-large', 'too-many', 'not-utf8', 'binary'] as const satisfies readonly SkipReason[];

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
export type SkipReason = 'too-large' | 'too-many' | 'not-utf8' | 'binary';

/** The number of skipped files, and the first of them. */
type SkippedFiles = { readonly files: number; readonly first: readonly string[] };

type SkippedByReason = { readonly [Why in SkipReason]?: SkippedFiles };
