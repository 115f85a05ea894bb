import { pluralize } from '../../../lib/format.ts';
import { redactDiff } from '../../../lib/redaction.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { cutBeforeHeader } from '../../edits/text/hunks.ts';
import type { PathRules } from '../../state/settings.ts';
import type { PullRequestFile } from '../../step/ports.ts';
import { escapeDiff } from '../context/diff-excerpt.ts';
import { visibilityOf } from '../context/pull-summary.ts';
import { headOf } from '../shared/clean-text.ts';
import { formatPath, REDACTED_NOTE } from '../shared/tool-results.ts';

/** The changed files, as GitHub lists them, and the path to show: a file or a directory; null for all. */
type PullDiffInput = {
  readonly files: readonly PullRequestFile[];
  readonly path: string | null;
  readonly rules: PathRules;
};

/**
 * The output of `read_diff`: the changed files, then their diffs against the merge base, whole files in order while
 * they fit. Secrets are replaced, and files that may not be read are only counted. Those that people must approve first
 * are named without their lines.
 */
export function formatPullDiff({ files, path, rules }: PullDiffInput): string {
  const readable = files.flatMap((file) => withoutGatedLines(file, rules) ?? []);
  const wanted = path === null ? readable : readable.filter((file) => isBelow(file.path, path));
  const denied = path === null ? files.length - readable.length : 0;
  const hidden =
    denied === 0 ? [] : [`${pluralize(denied, 'file')} that may not be read ${denied === 1 ? 'is' : 'are'} left out.`];
  if (wanted.length === 0) return [describeNone(readable, path), ...hidden].join('\n');
  const { texts, rest } = takeWhatFits(wanted);
  const isRedacted = texts.some(({ isRedacted: redacted }) => redacted);
  return [
    `The pull request changes ${pluralize(wanted.length, 'file')}${path === null ? '' : ` in ${formatPath(path)}`}, here against the merge base${texts.length === 0 ? '' : NUMBERS_NOTE}:`,
    ...fileRows(wanted),
    ...hidden,
    ...(isRedacted ? [`${REDACTED_NOTE}.`] : []),
    ...texts.map(({ text }) => text),
    ...(rest.length === 0
      ? []
      : [`The diffs of these files do not fit here; call read_diff with one of them as path:`, ...fileRows(rest)]),
  ].join('\n');
}

const NUMBERS_NOTE = ', with the new version’s line numbers before a tab';

/** The patch of a file that may be read, or the reason in its place. */
type ReadableFile = PullRequestFile & { readonly isWithheld: boolean };

function withoutGatedLines(file: PullRequestFile, rules: PathRules): ReadableFile | null {
  const visibility = visibilityOf(file, rules);
  return visibility === 'hidden' ? null : { ...file, isWithheld: visibility === 'withheld' };
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function describeNone(readable: readonly ReadableFile[], path: string | null): string {
  if (path === null) return 'The pull request changes no file that may be read.';
  return [`The pull request does not change ${formatPath(path)}. It changes:`, ...fileRows(readable)].join('\n');
}

const MAX_LISTED = 300;

function fileRows(files: readonly PullRequestFile[]): readonly string[] {
  const rows = files.slice(0, MAX_LISTED).map(({ path, status, previousPath, added, removed }) => {
    const from = previousPath === null ? '' : ` from ${formatPath(previousPath)}`;
    return `${status} ${formatPath(path)}${from} (+${added} -${removed})`;
  });
  return files.length > MAX_LISTED ? [...rows, `and ${files.length - MAX_LISTED} more`] : rows;
}

const WITHHELD_NOTE =
  'its lines are not shown here: people must first approve that this file is read; read_file asks them';

type FileDiff = { readonly text: string; readonly isRedacted: boolean };

/** Bytes of all diffs of one call; a single file can have this much, and is cut there. */
const MAX_READ_DIFF_BYTES = 48_000;

function takeWhatFits(files: readonly ReadableFile[]): {
  readonly texts: readonly FileDiff[];
  readonly rest: readonly ReadableFile[];
} {
  const texts: FileDiff[] = [];
  const rest: ReadableFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const diff = formatFileDiff(file);
    const length = byteLength(diff.text);
    if (bytes + length > MAX_READ_DIFF_BYTES && files.length > 1) rest.push(file);
    else {
      texts.push(length > MAX_READ_DIFF_BYTES ? cutFileDiff(file, diff) : diff);
      bytes += length;
    }
  }
  return { texts, rest };
}

function formatFileDiff({ path, previousPath, patch, isWithheld }: ReadableFile): FileDiff {
  const header = `--- ${formatPath(previousPath ?? path)}\n+++ ${formatPath(path)}`;
  if (isWithheld) return { text: `${header}\n(${WITHHELD_NOTE})`, isRedacted: false };
  if (patch === null)
    return { text: `${header}\n(GitHub has no diff: binary, without changed lines, or too large)`, isRedacted: false };
  const shown = escapeDiff(redactDiff(patch));
  return { text: `${header}\n${numberRows(shown)}`, isRedacted: shown !== escapeDiff(patch) };
}

/** Each row behind its line number in the new version, which removed lines lack. */
function numberRows(patch: string): string {
  let next = 0;
  return patch
    .split('\n')
    .map((row) => {
      const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)?.[1];
      if (start !== undefined) next = Number(start);
      if (start !== undefined || row === '') return row;
      const isOfNewVersion = row.startsWith('+') || row.startsWith(' ');
      return isOfNewVersion ? `${next++}\t${row}` : `\t${row}`;
    })
    .join('\n');
}

function cutFileDiff({ path, added }: PullRequestFile, { text, isRedacted }: FileDiff): FileDiff {
  const rows = text.split('\n');
  // The last row of the head can be a part of one.
  const fitting = headOf(text, MAX_READ_DIFF_BYTES).split('\n').length - 1;
  const kept = rows.slice(0, cutBeforeHeader(rows, fitting)).join('\n');
  const ref = added === 0 ? ', ref base' : '';
  return {
    text: `${kept}\n(cut: the diff is too long; for the rest read ${formatPath(path)} with read_file${ref})`,
    isRedacted,
  };
}
