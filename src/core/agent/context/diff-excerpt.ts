import { redactDiff } from '../../../lib/credentials.ts';
import { byteLength, escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { crLfToLf } from '../../edits/text/lines.ts';
import type { PathRules } from '../../state/settings.ts';
import type { DiffExcerpt } from '../../state/task-context.ts';
import type { PullRequestFile, ReviewThread } from '../../step/ports.ts';
import { cutText } from '../shared/clean-text.ts';
import { cutDiff } from '../shared/response-size.ts';
import { formatPath } from '../shared/tool-results.ts';
import { hasReadableHunks, visibilityOf } from './pull-summary.ts';

/** Bytes of a file's heading beside its path. */
const HEADING_BYTES = 80;

/** A patch of hidden characters is masked, and does not fit once they are escaped. Many of them would take seconds. */
const MAX_MASKED_SHARE = 4;

/** Versions and checksums that a tool wrote: long, and no help. They are named. */
const LOCK_FILE = /(?:^|\/)(?:go\.sum|package\.resolved|npm-shrinkwrap\.json|[^/]*[.-]lock(?:file|\.\w+)?)$/i;

/** A place that comments are about; `line` is null for a whole file or an outdated place. */
export type CommentedPlace = Pick<ReviewThread, 'path' | 'line' | 'side'>;

/**
 * The diffs of commented files first, and then of whole files, smallest first, until `maxBytes` are full, so that most
 * files are whole. Files that no tool reads are left out without a trace, lock files and those that people must approve
 * first are named; secrets are masked.
 */
export function selectDiffs(
  files: readonly PullRequestFile[],
  maxBytes: number,
  rules: PathRules,
  commented: readonly CommentedPlace[] = [],
): DiffExcerpt {
  const readable = files.filter((file) => visibilityOf(file, rules) !== 'hidden');
  const isCommented = ({ path }: PullRequestFile): boolean => commented.some((place) => place.path === path);
  const shownFiles = readable.filter(
    (file) => visibilityOf(file, rules) === 'shown' && (isCommented(file) || !LOCK_FILE.test(file.path)),
  );
  const ordered = shownFiles
    .toSorted((left, right) => sizeOf(left) - sizeOf(right))
    .toSorted((left, right) => Number(isCommented(right)) - Number(isCommented(left)));
  const share = Math.floor(maxBytes / Math.max(1, ordered.filter(isCommented).length));
  const patches = new Map<string, string>();
  let remaining = maxBytes;
  let untried = MAX_MASKED_SHARE * maxBytes;
  for (const file of ordered) {
    const { path, patch } = file;
    const room = remaining - byteLength(path) - HEADING_BYTES;
    if (patch === null || room <= 0) continue;
    // Masking takes time, so a patch that cannot fit is skipped before.
    const fits = patch.length <= Math.min(room, untried);
    if (!fits && !isCommented(file)) continue;
    const most = fits ? room : Math.min(room - PARTIAL_ROW.length, share);
    const tried = fits ? patch : rowsThatFit(hunksFrom(patch, commented, path), most);
    untried -= tried.length;
    const masked = escapeDiff(redactDiff(tried));
    const cut = isCommented(file) ? cutDiff(masked, most) : masked;
    const shown = fits ? cut : `${cut}${PARTIAL_ROW}`;
    if (byteLength(shown) > room) continue;
    remaining = room - byteLength(shown);
    patches.set(path, shown);
  }
  const shown = readable.flatMap(({ path }) => {
    const patch = patches.get(path);
    return patch === undefined ? [] : [{ path, patch }];
  });
  return { files: shown, omitted: readable.filter(({ path }) => !patches.has(path)).map(({ path }) => path) };
}

/** Below a commented file's diff that did not fit as a whole. */
const PARTIAL_ROW = '\n(only a part of the diff of this file)';

/** A long patch from the hunk on that holds the first commented line. */
function hunksFrom(patch: string, commented: readonly CommentedPlace[], path: string): string {
  const hunks = patch.split(/^(?=@@ )/m);
  const first = hunks.findIndex((hunk) => commented.some((place) => place.path === path && holdsLine(hunk, place)));
  return hunks.slice(Math.max(first, 0)).join('');
}

/** Half a row can hold half a secret, which is not recognized. */
function rowsThatFit(patch: string, most: number): string {
  return patch.length <= most ? patch.replace(/\n$/, '') : patch.slice(0, most).replace(/\n[^\n]*$/, '');
}

function holdsLine(hunk: string, { line, side }: CommentedPlace): boolean {
  const [, oldStart, oldCount, newStart, newCount] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?/.exec(hunk) ?? [];
  const [start, count] = side === 'LEFT' ? [oldStart, oldCount] : [newStart, newCount];
  return line !== null && Number(start) <= line && line < Number(start) + Number(count ?? 1);
}

/** Hidden characters are shown, also a lone carriage return, which would look like the end of a row. */
export function escapeDiff(diff: string): string {
  return escapeHiddenCharacters(crLfToLf(diff.toWellFormed()));
}

/** Characters of a hunk that are searched for secrets, which takes time. */
const MAX_SEARCHED_CHARACTERS = 32_000;

/** The last rows of a hunk, where the commented lines are, without secrets. */
export function endOfHunk(hunk: string, maxRows: number, maxBytes: number): string {
  const tail = hunk.slice(-MAX_SEARCHED_CHARACTERS);
  // Half a line can hold half a secret, which is not recognized.
  const near = tail.length < hunk.length ? tail.slice(tail.indexOf('\n') + 1 || tail.length) : tail;
  const rows = escapeDiff(redactDiff(near)).replace(/\n$/, '').split('\n').slice(-maxRows);
  while (rows.length > 1 && byteLength(rows.join('\n')) > maxBytes) rows.shift();
  return cutText(rows.join('\n'), maxBytes);
}

const MAX_LINE_BYTES = 300;

/** The line that a thread is about, as it was then; empty if it is unknown or may not be read. */
export function commentedLine(
  { path, root: { diffHunk } }: ReviewThread,
  files: readonly PullRequestFile[] | null,
  rules: PathRules,
): string {
  const row = hasReadableHunks(path, files, rules) ? endOfHunk(diffHunk, 1, MAX_LINE_BYTES) : '';
  return /^[-+ ]/.test(row) ? row.slice(1) : '';
}

function sizeOf({ patch }: PullRequestFile): number {
  return patch?.length ?? Number.POSITIVE_INFINITY;
}

const MAX_NAMED_FILES = 30;

/** The diffs with their headings. Each line of a diff begins with a sign, so none can pose as another part. */
export function formatDiffs({ files, omitted }: DiffExcerpt, hint: string): string {
  const shown = files.map(({ path, patch }) => `diff of ${formatPath(escapeHiddenCharacters(path))}:\n${patch}`);
  return [...shown, ...omittedLine(omitted, hint)].join('\n');
}

function omittedLine(omitted: readonly string[], hint: string): readonly string[] {
  if (omitted.length === 0) return [];
  const named = omitted.slice(0, MAX_NAMED_FILES).map((path) => JSON.stringify(escapeHiddenCharacters(path)));
  const more = omitted.length > named.length ? ` and ${omitted.length - named.length} more` : '';
  return [`Not shown here${hint}: ${named.join(', ')}${more}.`];
}
