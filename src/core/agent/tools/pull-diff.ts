import { redactDiff } from '../../../lib/credentials.ts';
import { firstOf, pluralize } from '../../../lib/format.ts';
import type { PathRules } from '../../state/settings.ts';
import type { PullRequestFile } from '../../step/ports.ts';
import { escapeDiff, selectDiffs } from '../context/diff-excerpt.ts';
import { visibilityOf } from '../context/pull-summary.ts';
import { cutDiff } from '../shared/response-size.ts';
import { formatPath } from '../shared/tool-results.ts';

/** The changed files, as GitHub lists them, and the path to show: a file or a directory; null for all. */
type PullDiffInput = {
  readonly files: readonly PullRequestFile[];
  readonly path: string | null;
  readonly rules: PathRules;
};

/**
 * The output of `read_diff`: the changed files, then their diffs against the merge base, whole files as the first
 * message selects them. A single file that is too long is cut. Files that may not be read are only counted.
 */
export function formatPullDiff({ files, path, rules }: PullDiffInput): string {
  const readable = files.filter((file) => visibilityOf(file, rules) !== 'hidden');
  const wanted = path === null ? readable : readable.filter((file) => `${file.path}/`.startsWith(`${path}/`));
  const hidden = path === null ? files.length - readable.length : 0;
  const note =
    hidden === 0 ? [] : [`${pluralize(hidden, 'file')} that may not be read ${hidden === 1 ? 'is' : 'are'} left out.`];
  if (wanted.length === 0) return [describeNone(readable, path), ...note].join('\n');
  const texts = wanted.length === 1 ? wanted.flatMap((file) => formatOne(file, rules)) : formatSeveral(wanted, rules);
  return [
    `The pull request changes ${pluralize(wanted.length, 'file')}${path === null ? '' : ` in ${formatPath(path)}`}, here against the merge base, with the new version’s line numbers before a tab:`,
    ...fileRows(wanted),
    ...note,
    ...texts,
  ].join('\n');
}

function describeNone(readable: readonly PullRequestFile[], path: string | null): string {
  if (path === null) return 'The pull request changes no file that may be read.';
  return [`The pull request does not change ${formatPath(path)}. It changes:`, ...fileRows(readable)].join('\n');
}

const MAX_LISTED = 300;

function fileRows(files: readonly PullRequestFile[]): readonly string[] {
  return firstOf(files, MAX_LISTED, fileRow, 'and ');
}

function fileRow({ path, status, previousPath, added, removed }: PullRequestFile): string {
  const from = previousPath === null ? '' : ` from ${formatPath(previousPath)}`;
  return `${status} ${formatPath(path)}${from} (+${added} -${removed})`;
}

/** Bytes of all diffs of one call, before they have line numbers. */
const MAX_READ_DIFF_BYTES = 48_000;

function formatSeveral(files: readonly PullRequestFile[], rules: PathRules): readonly string[] {
  const selected = selectDiffs(files, MAX_READ_DIFF_BYTES, rules);
  const rest = files.filter(({ path }) => selected.omitted.includes(path));
  return [
    ...selected.files.map(({ path, patch }) =>
      formatDiff(files.find((file) => file.path === path)?.previousPath ?? path, path, patch),
    ),
    ...(rest.length === 0
      ? []
      : ['The diffs of these files are not shown here; call read_diff with one of them as path:', ...fileRows(rest)]),
  ];
}

function formatOne(file: PullRequestFile, rules: PathRules): readonly string[] {
  const { path, previousPath, patch, added } = file;
  if (visibilityOf(file, rules) === 'withheld')
    return ['Its lines are not shown here: people must first approve that this file is read; read_file asks them.'];
  if (patch === null) return ['GitHub has no diff of it: it is binary, without changed lines, or too large.'];
  const shown = escapeDiff(redactDiff(patch));
  const cut = cutDiff(shown, MAX_READ_DIFF_BYTES);
  const rest =
    cut === shown
      ? []
      : [
          `The diff is too long; for the rest read ${formatPath(path)} with read_file${added === 0 ? ', ref base' : ''}.`,
        ];
  return [formatDiff(previousPath ?? path, path, cut), ...rest];
}

/** Each row behind its line number in the new version, which removed lines lack. */
function formatDiff(from: string, path: string, patch: string): string {
  let next = 0;
  const rows = patch.split('\n').map((row) => {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)?.[1];
    if (start !== undefined) next = Number(start);
    if (start !== undefined || row === '') return row;
    return /^[+ ]/.test(row) ? `${next++}\t${row}` : `\t${row}`;
  });
  return [`--- ${formatPath(from)}`, `+++ ${formatPath(path)}`, ...rows].join('\n');
}
